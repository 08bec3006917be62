"""Helpers of the default observations in `boardenvs.core.hooks`.

Numba compiles each function by its `overload`. The attribute `compiled_as` names the overload for
the digest of machine code.
"""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math
from typing import Any

from numba import TypingError
from numba.extending import overload

from boardenvs.core.records import own_names

__all__ = ["copy_fields", "in_shape"]


def copy_fields(s, out):
    """Write the game's own fields of a record in order into an observation of the same size."""
    row = out.reshape(-1)
    at = 0
    for name in own_names(s.dtype.names):
        values = s[name].reshape(-1)
        row[at : at + values.size] = values
        at += values.size


def in_shape(row, p):
    """Return a view of an observation row in the game's `observation_shape`."""
    return row.reshape(tuple(p.observation_shape))


@overload(copy_fields)
def _copy_fields(s, out):
    kinds = dict(s.members)
    row = "out" if out.ndim == 1 else "out.reshape(out.size)"
    lines = ["def copy(s, out):", f"    row = {row}"]
    at = 0
    for name in own_names(kinds):
        shape = getattr(kinds[name], "shape", None)
        if shape is None:
            lines.append(f"    row[{at}] = s.{name}")
        else:
            lines += [f"    k = {at}", f"    for value in s.{name}.flat:"]
            lines += ["        row[k] = value", "        k += 1"]
        at += math.prod(shape or ())
    scope: dict[str, Any] = {}
    exec("\n".join(lines), scope)
    return scope["copy"]


_RESHAPED = {
    1: lambda row, p: row,
    2: lambda row, p: row.reshape((p.observation_shape[0], p.observation_shape[1])),
    3: lambda row, p: row.reshape(
        (p.observation_shape[0], p.observation_shape[1], p.observation_shape[2])
    ),
    4: lambda row, p: row.reshape(
        (
            p.observation_shape[0],
            p.observation_shape[1],
            p.observation_shape[2],
            p.observation_shape[3],
        )
    ),
}
"""The function that Numba compiles for `in_shape`, by number of dimensions."""


@overload(in_shape)
def _in_shape(row, p):
    (dimensions,) = dict(p.members)["observation_shape"].shape
    if dimensions not in _RESHAPED:
        raise TypingError(
            f"observation_shape must have at most 4 dimensions, got {dimensions}: define "
            f"observe_row instead of observe"
        )
    return _RESHAPED[dimensions]


vars(copy_fields)["compiled_as"] = [_copy_fields]
vars(in_shape)["compiled_as"] = [_in_shape]
