"""The kernels of a game: the loops of `boardenvs.loops`, each compiled against its rules."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, overload

from boardenvs import loops
from boardenvs.compiling import Loop, SpreadLoop

__all__ = ["Kernels"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


class _Kernel(Generic[_P, _R]):
    """A loop, compiled for one game when first asked for."""

    def __init__(self, loop: Loop[_P, _R] | SpreadLoop) -> None:
        self._loop = loop
        self.__doc__ = loop.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, kernels: None, owner: type) -> _Kernel[_P, _R]: ...
    @overload
    def __get__(self, kernels: Kernels, owner: type) -> Callable[_P, _R]: ...
    def __get__(self, kernels: Kernels | None, owner: type) -> Any:
        if kernels is None:
            return self
        kernel = self._loop.bound_to(kernels.rules)
        vars(kernels)[self._name] = kernel  # where the next look-up finds it
        return kernel


@overload
def _kernel(loop: Loop[_P, _R]) -> _Kernel[_P, _R]: ...
@overload
def _kernel(loop: SpreadLoop) -> _Kernel[..., None]: ...
def _kernel(loop: Any) -> _Kernel[..., Any]:
    return _Kernel(loop)


class Kernels:
    """The loops over many games, each compiled for one game when first asked for.

    Those that are spread over threads are called as `kernels.step_games(threads, ...)`, without
    their last parameters `low` and `high`; see `boardenvs.compiling.SpreadLoop.bound_to`.
    """

    first_fault = _kernel(loops.first_fault)
    judge_games = _kernel(loops.judge_games)
    legal_games = _kernel(loops.legal_games)
    observe_games = _kernel(loops.observe_games)
    observe_movers = _kernel(loops.observe_movers)
    play_games = _kernel(loops.play_games)
    play_out = _kernel(loops.play_out)
    random_actions = _kernel(loops.random_actions)
    redraw_games = _kernel(loops.redraw_games)
    restart_games = _kernel(loops.restart_games)
    start_games = _kernel(loops.start_games)
    step_game = _kernel(loops.step_game)
    step_games = _kernel(loops.step_games)

    def __init__(self, rules: types.ModuleType) -> None:
        self.rules = rules
        """The module they are bound to."""
