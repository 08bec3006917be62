"""The hooks: functions that the rules of a game define.

Loops over games (see `boardenvs.core.loops`) call these hooks. `over_rules` of `boardenvs.kernels`
replaces them by the game's own functions of the same name and number of parameters. `legal` and
`play` are required, the others optional. The functions may be plain, and are then compiled at their
first use, or compiled by `numba.njit`. Their arguments are one record `s` of the game's
`state_dtype` and the game's parameters `p`, which are `Game.constants[0]`.

>>> def legal(s, p, mask):
...     for c in range(p.columns):
...         mask[c] = s.cells[0, c] == 0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boardenvs.core.observing import copy_fields, in_shape
from boardenvs.kernels.binding import hook

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
    """Make the random choices before the first move, such as a shuffle. The default makes none."""


@hook
def legal(s: Any, p: Any, mask: npt.NDArray[np.bool_]) -> None:
    """Write every entry of the mask, bool of shape (num_actions,). The game is not over."""


@hook
def play(s: Any, p: Any, action: int) -> None:
    """Play one legal action. The last call must be `boardenvs.core.outcome.end_ply`."""


@hook(optional=True)
def judge(s: Any, p: Any) -> None:
    """Set the outcome of a position from a dictionary or text if it is over.

    By default the dictionary sets the outcome.
    """


@hook(optional=True)
def observe(s: Any, p: Any, seat: int, out: npt.NDArray[np.int8]) -> None:
    """Write every entry of a seat's observation, int8 of shape `Game.observation_shape`.

    The default is the game's own fields in order.
    """
    copy_fields(s, out)


@hook(optional=True)
def observe_row(s: Any, p: Any, seat: int, row: npt.NDArray[np.int8]) -> None:
    """Write a seat's observation into one row of int8, in place of `observe`.

    This is faster, since every index of a multidimensional array requires its shape.
    """
    observe(s, p, seat, in_shape(row, p))


@hook(optional=True)
def redraw(s: Any, p: Any, seat: int, stream: np.uint64) -> None:
    """Resample the information that is hidden from `seat`, and replace the random stream.

    The default only replaces the stream.
    """
    s.rng = stream


@hook(optional=True)
def sound(s: Any, p: Any) -> bool:
    """Return whether the other functions are safe to call on a record of any bytes.

    The game's own fields must not cause an index out of bounds or an endless loop, also after
    `play`. A game that is not over must have a legal action. By default only the common fields of
    all games are checked.
    """
    return True


HOOKS = (deal, legal, play, judge, observe, observe_row, redraw, sound)
"""All hooks."""
