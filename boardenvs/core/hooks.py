"""The hooks: what a game's `rules.py` supplies, and everything else calls.

Loops over games (see `boardenvs.core.loops`) import these names and call them. `over_rules` of
`boardenvs.kernels` puts a game's own functions in their place. A rules file has a function of each
name, compiled by `numba.njit` and with as many parameters as here. Each is for one record `s` of
the game's `state_dtype` and the game's parameters `p`, that is `Game.constants[0]`.

>>> @njit
... def legal(s, p, mask):
...     for c in range(p.columns):
...         mask[c] = s.cells[0, c] == 0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boardenvs.kernels.hook import hook

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["deal", "judge", "legal", "observe", "play", "redraw", "sound"]


@hook
def deal(s: Any, p: Any) -> None:
    """The chance before the first move (a shuffle, a throw), or nothing."""


@hook
def legal(s: Any, p: Any, mask: npt.NDArray[np.bool_]) -> None:
    """Write every entry of a bool array of shape (num_actions,); the game is not over."""


@hook
def play(s: Any, p: Any, action: int) -> None:
    """One legal action, ending with `boardenvs.core.outcome.end_ply`."""


@hook
def judge(s: Any, p: Any) -> None:
    """End the game if the position just reached does; `play` calls it too."""


@hook
def observe(s: Any, p: Any, seat: int, out: npt.NDArray[np.int8]) -> None:
    """Write every entry of an observation, laid out as one row of int8.

    A board of several dimensions would cost its shape at every entry.
    """


@hook
def redraw(s: Any, p: Any, seat: int, word: np.uint64) -> None:
    """Replace what `seat` cannot know, and the stream, which is `word` from then on."""


@hook(optional=True)
def sound(s: Any, p: Any) -> bool:
    """Whether the others can be called on a record of whatever bytes, and after `play` again.

    That is whether the game's own fields lead to no index outside of an array and to no loop
    without end, and a game that is not over has a legal action. Where a game has no such
    function, its records need nothing but what is common to all games.
    """
    return True
