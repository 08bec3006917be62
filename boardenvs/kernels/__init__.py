"""Compiling loops and rules; the only room that knows Numba's internals.

`over_rules` marks a loop that is compiled against each game's rules. `cached_njit` compiles a
function that needs no rules. Both keep machine code on disk, so that the next process loads it.
"""

from boardenvs.kernels.binding import Loop, over_rules
from boardenvs.kernels.cache import cached_njit
from boardenvs.kernels.numba_compat import COMPILES, entry_point, is_compiled

__all__ = ["COMPILES", "Loop", "cached_njit", "entry_point", "is_compiled", "over_rules"]
