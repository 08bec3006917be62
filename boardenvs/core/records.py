"""The record of a position: fields, layout, and messages for faults."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["FAULTS", "FILLER", "fault_message", "own_names", "record_dtype"]

FILLER = "_pad"
"""Prefix of the names of padding fields. Each name ends with the field's offset."""

FAULTS = ("", "to_move", "last_action", "offender", "ply", "returns", "own fields")
"""Field of each fault that `boardenvs.core.loops.fault` returns."""


def _header(num_players: int) -> list[tuple[Any, ...]]:
    """Return the common fields of all games."""
    return [
        ("rng", np.uint64),  # the random stream, see boardenvs.core.chance
        ("returns", np.float32, (num_players,)),  # 0 until the end
        ("ply", np.int32),  # number of legal actions so far
        ("last_action", np.int32),  # -1 before the first action
        ("to_move", np.int8),  # seat; after the end, the next seat in turn
        ("offender", np.int8),  # seat that lost by an illegal action, or -1
        ("terminated", np.bool_),
        ("truncated", np.bool_),
    ]


def own_names(names: Iterable[str]) -> list[str]:
    """Return the names of the game's own fields, given the names of all fields."""
    common = {field[0] for field in _header(1)}
    return [name for name in names if name not in common and not name.startswith(FILLER)]


def record_dtype(num_players: int, fields: list[tuple[Any, ...]]) -> np.dtype[np.void]:
    """Return the dtype of a game's record: the common fields, then its own, aligned as in C.

    Padding is replaced by fields of zeros. NumPy copies records by field and ignores padding, so
    the bytes of equal positions could differ.

    Raises:
        ValueError: a field is an array of bool, which Numba does not support in records.
    """
    record = _without_holes(np.dtype([*_header(num_players), *fields], align=True))
    for name in record.names or ():
        if record[name].shape and record[name].base == np.bool_:
            raise ValueError(f"field {name} must be an array of numbers such as int8, got bool")
    return np.dtype((np.record, record))


def _without_holes(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the same layout with fields in place of padding, also in nested records."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((_without_holes(base), shape))
    if dtype.fields is None:
        return dtype
    placed = sorted((field[1], name, field[0]) for name, field in dtype.fields.items())
    names, formats, offsets, end = [], [], [], 0
    for offset, name, kind in [*placed, (dtype.itemsize, "", None)]:
        if offset > end:
            names.append(f"{FILLER}{end}")
            formats.append(np.dtype((np.uint8, (offset - end,))))
            offsets.append(end)
        if kind is not None:
            names.append(name)
            formats.append(_without_holes(kind))
            offsets.append(offset)
            end = offset + kind.itemsize
    return np.dtype(
        {"names": names, "formats": formats, "offsets": offsets, "itemsize": dtype.itemsize},
        align=dtype.isalignedstruct,
    )


def fault_message(fault: int, record: np.void, num_actions: int, max_plies: int) -> str:
    """Return a one-line message for the fault of a record.

    Args:
        fault: index of `FAULTS`, at least 1.
        record: record with the fault.
        num_actions: `num_actions` of the game.
        max_plies: `max_plies` of the game.
    """
    name = FAULTS[fault]
    over = record["terminated"] or record["truncated"]
    last = len(record["returns"]) - 1
    expected = {
        "to_move": f"from 0 to {last}",
        "last_action": f"from -1 to {num_actions - 1}",
        "offender": f"from -1 to {last}",
        "ply": f"from 0 to {max_plies if over else max_plies - 1}",
        "returns": "finite numbers" if over else "0 in a game that is not over",
    }
    if name not in expected:
        return "the game's own fields are not valid"
    return f"{name} must be {expected[name]}, got {record[name].tolist()}"
