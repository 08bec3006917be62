"""Compilation of loops and rules. Only this package uses Numba's internals.

`over_rules` marks a loop that is compiled for the rules of each game. `cached_njit` compiles a
function that does not depend on rules. Both cache machine code on disk.
"""

from boardenvs.kernels.binding import Loop, over_rules
from boardenvs.kernels.interpreting import compile_first
from boardenvs.kernels.kernel import cached_njit
from boardenvs.kernels.numba_compat import (
    COMPILES,
    EntryPoint,
    entry_point,
    is_compiled,
    is_plain,
    is_ready,
)

__all__ = [
    "COMPILES",
    "EntryPoint",
    "Loop",
    "cached_njit",
    "compile_first",
    "entry_point",
    "is_compiled",
    "is_plain",
    "is_ready",
    "over_rules",
]
