"""The rules of a game: search, check of the functions, and a first run.

The functions of `boardenvs.core.hooks` are in the file of the game's class, or in a file `rules.py`
beside the `__init__.py` with the class.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from boardenvs.core import chance
from boardenvs.core.hooks import (
    HOOKS,
    deal,
    judge,
    legal,
    observe,
    observe_row,
    play,
    redraw,
    sound,
)
from boardenvs.core.records import own_names
from boardenvs.kernels.binding import Hook
from boardenvs.kernels.plain import PlainCopies, widened

__all__ = ["check_signatures", "fields_fault", "find_rules", "plain_rules", "run_once"]

_UNWRITTEN = -(2**31)
"""Marks an entry that `legal` or `observe` must write."""


def find_rules(cls: type) -> tuple[types.ModuleType, tuple[str, ...]]:
    """Return the module of a game's rules, and the names of the game's packages.

    Args:
        cls: class of the game. Its base classes are searched after it.

    Returns:
        The module of the rules, and the names of the packages of the classes up to the class with
        the rules.

    Raises:
        ValueError: the rules are missing.
    """
    packages = []
    for one in cls.__mro__:
        if hasattr(sys.modules.get(one.__module__), "__path__"):
            packages.append(one.__module__)
        rules = _rules_beside(one)
        if rules is not None:
            return rules, tuple(dict.fromkeys(packages))
    raise ValueError(
        f"{cls.__name__} has no rules: define functions legal and play above the class in "
        f"{cls.__module__}, or in a file rules.py of its package"
    )


@functools.cache
def _rules_beside(cls: type) -> types.ModuleType | None:
    """Return the rules in the package or in the file of a class, or `None`.

    Rules in the file are copied into a new module. So a notebook can have two games, and changed
    functions take effect when the class is defined again.
    """
    module = sys.modules.get(cls.__module__)
    if module is None:
        return None
    if hasattr(module, "__path__") and importlib.util.find_spec(f"{cls.__module__}.rules"):
        return importlib.import_module(f"{cls.__module__}.rules")
    if not all(one.is_in(module) for one in (legal, play)):
        return None
    rules = _RulesOfClass(module.__name__, module.__doc__)
    vars(rules).update(vars(module), __name__=f"{module.__name__}.{cls.__qualname__}")
    rules.game_class = cls
    return rules


class _RulesOfClass(types.ModuleType):
    """A copy of a class's module, which is pickled by the class."""

    game_class: type

    def __reduce__(self) -> tuple[Any, ...]:
        return _rules_beside, (self.game_class,)


def check_signatures(name: str, rules: types.ModuleType) -> None:
    """Raise `ValueError` unless a game's rules have the required functions and parameters.

    Args:
        name: name of the game.
        rules: module of the rules.
    """
    place = getattr(rules, "__file__", rules.__name__)
    for one in HOOKS:
        if one.is_in(rules):
            if fault := one.fault(getattr(rules, one.name)):
                raise ValueError(f"{name}: {one.name} in {place} {fault}")
        elif one.default is None:
            raise ValueError(f"{name}: {place} has no function {one.name}: expected {one}")


def fields_fault(game: Any) -> str:
    """Return why a game requires functions that its rules lack, or an empty text."""
    observes = observe.is_in(game.rules) or observe_row.is_in(game.rules)
    if game.has_hidden and not (observes and redraw.is_in(game.rules)):
        return "requires functions observe and redraw, since has_hidden is True"
    if observes:
        return ""
    dtype = game.state_dtype
    kinds = [dtype.fields[name][0] for name in own_names(dtype.names)]
    if any(kind.base not in (np.int8, np.uint8, np.bool_) for kind in kinds):
        return "requires a function observe, since not all of its fields are int8, uint8 or bool"
    entries = sum(int(np.prod(kind.shape)) for kind in kinds)
    if entries != game.observation_size:
        return (
            f"requires a function observe, since its fields have {entries} entries, but its "
            f"observation_shape is {game.observation_shape}"
        )
    return ""


# -- Rules as plain Python ------------------------------------------------------------------


def plain_rules(rules: types.ModuleType, draw: Callable[[Any, int], np.int64]) -> dict[str, Any]:
    """Return the names of a rules module with its functions as plain Python that calls `draw`."""
    packages = {"boardenvs", rules.__name__.partition(".")[0]}
    copies = PlainCopies(packages, instead={chance.draw: draw})
    names = {name: copies.of(value) for name, value in vars(rules).items()}
    if not deal.is_in(rules):
        names[deal.name] = deal.default
    return names


# -- The first run --------------------------------------------------------------------------


class _Unclear(Exception):  # noqa: N818 possibly not an error
    """An exception in plain Python that compiled code may not raise."""


def run_once(game: Any) -> None:
    """Run each function of a game's rules once as plain Python, on the first position.

    Most mistakes then raise Python's own error with the file and the line.

    Raises:
        ValueError: a function does not do what its hook requires.
        Exception: an exception of a function of the rules.
    """
    with contextlib.suppress(_Unclear):
        _run_once(game)


def _run_once(game: Any) -> None:
    rng = np.random.default_rng(0)
    draws = 0

    def drawn(s: Any, bound: int) -> np.int64:
        nonlocal draws
        draws += bound > 1
        return np.int64(rng.integers(bound))

    names = plain_rules(game.rules, drawn)
    record = widened(game.start)
    p = widened(game.constants)[0]

    def run(one: Hook[..., Any], s: Any, *args: Any) -> Any:
        function = names.get(one.name)
        if isinstance(function, types.FunctionType):
            with _noted(f"{one.name} of {game.name} on its first position"):
                return function(s, p, *args)
        return None

    run(deal, record[0])
    dealt = draws
    mask = np.full(game.num_actions, _UNWRITTEN)
    run(legal, record[0], mask)
    _check_written(game, "legal", mask, 1)
    if not mask.any():
        raise ValueError(f"{game.name}: legal must mark an action on the first position, got none")
    for seat in range(game.num_players):
        for one, shape in ((observe, game.observation_shape), (observe_row, -1)):
            if one.is_in(game.rules):
                seen = np.full(game.observation_size, _UNWRITTEN)
                run(one, record[0], seat, seen.reshape(shape))
                _check_written(game, one.name, seen, game.observation_high)
    if run(sound, record.copy()[0]) is False:
        raise ValueError(f"{game.name}: sound must return True for the first position, got False")
    run(judge, record.copy()[0])
    run(redraw, record.copy()[0], 0, np.uint64(1))
    after = record.copy()
    draws = dealt
    run(play, after[0], int(mask.argmax()))
    if draws and not game.has_chance:
        name = deal.name if dealt else play.name
        raise ValueError(
            f"{game.name}: has_chance must be True, since {name} draws a random number, got False"
        )
    if after["ply"][0] != 1:
        raise ValueError(
            f"{game.name}: play must increase ply to 1, got {after['ply'][0]}: end it with "
            f"boardenvs.core.outcome.end_ply"
        )


@contextlib.contextmanager
def _noted(what: str) -> Iterator[None]:
    """Add a note with the running function to an error.

    NumPy scalars do not support some operations of Numba, such as to shift a uint64 by an int64.

    Raises:
        _Unclear: such an operation failed.
        Exception: any other error.
    """
    try:
        with np.errstate(all="ignore"):
            yield
    except Exception as error:
        if isinstance(error, OverflowError) or str(error).startswith("ufunc "):
            raise _Unclear from error
        error.add_note(f"boardenvs.register was running {what}")
        raise


def _check_written(game: Any, name: str, out: npt.NDArray[Any], high: int) -> None:
    """Raise `ValueError` unless every entry was written with a number from 0 to `high`."""
    wrong = (out < 0) | (out > high)
    if wrong.any():
        k = int(wrong.argmax())
        found = "nothing" if out[k] == _UNWRITTEN else out[k]
        raise ValueError(
            f"{game.name}: {name} must write a number from 0 to {high} to entry {k} of "
            f"{out.size}, got {found}"
        )
