"""The default dictionary of a position, with the game's own fields by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from boardenvs.core.checks import (
    counted,
    finite_number,
    is_list,
    shown,
    truth_value,
    whole_number,
)
from boardenvs.core.records import own_names

__all__ = [
    "fields_to_dict",
    "write_fields",
    "write_outcome",
]


def fields_to_dict(record: np.void) -> dict[str, Any]:
    """Return the game's own fields of a record as JSON values."""
    names = own_names(record.dtype.names or ())
    return {name: np.asarray(record[name]).tolist() for name in names}


def write_fields(data: Mapping[str, Any], record: np.void) -> None:
    """Write the game's own fields, and `to_move` and `ply`, into a record.

    Args:
        data: values of `fields_to_dict`, and optionally `to_move` and `ply` as ints.
        record: a start record of the game.

    Raises:
        ValueError: a value does not have the shape or the range of its field.
    """
    for name in own_names(record.dtype.names or ()):
        dtype = record.dtype[name]
        if dtype.base.kind not in "iufb":
            raise ValueError(
                f"{name} must be a field of numbers, got dtype {dtype.base}: the game must "
                f"override to_dict and from_dict"
            )
        record[name] = _checked(name, data[name], dtype.base, dtype.shape)
    record["to_move"] = data.get("to_move", 0)
    record["ply"] = data.get("ply", 0)


def _checked(name: str, value: Any, kind: np.dtype[Any], shape: tuple[int, ...]) -> Any:
    """Check a value for a field or a part of it, and return it as nested lists of numbers."""
    if shape:
        if not is_list(value) or len(value) != shape[0]:
            values = counted(shape[0], "value")
            raise ValueError(f"{name} must be a list of {values}, got {shown(value)}")
        return [_checked(name, one, kind, shape[1:]) for one in value]
    if kind.kind == "b":
        return truth_value(name, value)
    if kind.kind == "f":
        return finite_number(name, value, -math.inf) + 0.0  # -0.0 has other bytes than 0.0
    bounds = np.iinfo(kind)
    return whole_number(name, value, bounds.min, bounds.max)


def write_outcome(data: Mapping[str, Any], record: np.void, max_plies: int) -> None:
    """Write the given outcome of a position, for rules without `judge`.

    Args:
        data: dictionary that may contain `terminated` and `returns`.
        record: the position without its outcome.
        max_plies: `max_plies` of the game.

    Raises:
        ValueError: `terminated` or `returns` is not valid, or they contradict each other.
    """
    record["terminated"] = truth_value("terminated", data.get("terminated", False))
    record["truncated"] = not record["terminated"] and record["ply"] >= max_plies
    given = data.get("returns", [0.0] * len(record["returns"]))
    if is_list(given) and len(given) == len(record["returns"]):
        given = [float(one) if type(one) is int and abs(one) < 2**24 else one for one in given]
    returns = _checked("returns", given, record["returns"].dtype, record["returns"].shape)
    if any(returns) and not record["terminated"]:
        raise ValueError(f"returns must be 0 in a game that is not terminated, got {returns}")
    if any(abs(one) > 1e30 for one in returns):
        raise ValueError(f"returns must be from -1e30 to 1e30, got {shown(given)}")
    record["returns"] = returns
