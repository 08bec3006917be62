"""The hooks: the functions of a game's rules, which everything else calls.

Loops over games (see `boardenvs.core.loops`) import these names and call them. `over_rules` of
`boardenvs.kernels` puts a game's own functions in their place. The rules must have `legal` and
`play`, and may have each other function, with the same name and number of parameters. They are
plain functions, which are compiled at their first use, or compiled by `numba.njit`. Each is for one
record `s` of the game's `state_dtype` and the game's parameters `p`, that is `Game.constants[0]`.

>>> def legal(s, p, mask):
...     for c in range(p.columns):
...         mask[c] = s.cells[0, c] == 0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boardenvs.core.observing import copy_fields, in_shape
from boardenvs.kernels.hook import hook

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "HOOKS",
    "deal",
    "judge",
    "legal",
    "observe",
    "observe_row",
    "play",
    "redraw",
    "sound",
]


@hook(optional=True)
def deal(s: Any, p: Any) -> None:
    """Make the random choices before the first move (a shuffle, a throw); by default none."""


@hook
def legal(s: Any, p: Any, mask: npt.NDArray[np.bool_]) -> None:
    """Write every entry of a bool array of shape (num_actions,); the game is not over."""


@hook
def play(s: Any, p: Any, action: int) -> None:
    """Play one legal action, and end with `boardenvs.core.outcome.end_ply`."""


@hook(optional=True)
def judge(s: Any, p: Any) -> None:
    """End the game if a position that was set up by hand is over.

    By default nothing happens, and the dictionary of a position gives its outcome.
    """


@hook(optional=True)
def observe(s: Any, p: Any, seat: int, out: npt.NDArray[np.int8]) -> None:
    """Write every entry of what a seat sees: an int8 array of the shape that the game declares.

    By default these are the game's own fields in order.
    """
    copy_fields(s, out)


@hook(optional=True)
def observe_row(s: Any, p: Any, seat: int, row: npt.NDArray[np.int8]) -> None:
    """Write what a seat sees, as `observe`, into one row of int8.

    It takes the place of `observe`. It is faster, since a board of several dimensions costs its
    shape at every entry.
    """
    observe(s, p, seat, in_shape(row, p))


@hook(optional=True)
def redraw(s: Any, p: Any, seat: int, stream: np.uint64) -> None:
    """Resample what `seat` cannot know, and replace the random stream by `stream`.

    By default nothing is hidden, and only the stream is replaced.
    """
    s.rng = stream


@hook(optional=True)
def sound(s: Any, p: Any) -> bool:
    """Return whether the other functions are safe to call on a record of any bytes.

    The game's own fields must lead to no index outside of an array and to no endless loop, also
    after `play`. A game that is not over must have a legal action. By default only the fields that
    all games have are checked.
    """
    return True


HOOKS = (deal, legal, play, judge, observe, observe_row, redraw, sound)
"""All that a game's rules may supply."""
