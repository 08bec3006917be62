"""Choices of a person: the opponent and the size of the board.

The lists come from constants in the `__init__.py` of a game's folder (see `agents.games`):

- `OPPONENTS`: spec and name of each opponent, the weakest first where strength was measured;
  by default `OPPONENTS` of this module.
- `PARAMETERS`: label of each parameter that may be chosen, and the names of its values.

Agents that cannot play a game are left out.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Mapping
from typing import Any, NamedTuple

from agents.analysis.analyst import analysts_of
from agents.naming.game_folders import constant
from agents.naming.spec import Spec
from agents.naming.tables import agents_of
from agents.networks.card import shipped
from boardenvs.game import Game

__all__ = ["OPPONENTS", "Named", "adviser_of", "name_of", "opponents_of", "tables_of"]

_NAMES = {
    "random": ("Random", "plays any move"),
    "greedy": ("Greedy", "looks one move ahead"),
    "mcts": ("Searcher", "tries {} games before each move"),
    "trained": ("Network", "has learned by playing itself"),
    "puct": ("Network and search", "has learned, and tries {} lines before each move"),
}
"""Name and description of agents of any game."""
OPPONENTS = ("random", "greedy", "mcts:100", "mcts:1000", "trained", "puct:400")
"""Specs for a game whose folder has no list."""
_NETWORKS = ("trained", "puct")


class Named(NamedTuple):
    """An agent that a person can choose."""

    spec: Spec
    name: str
    """Short name, printed beside its moves."""
    does: str
    """Description; "" if there is none."""


@functools.lru_cache(maxsize=256)
def opponents_of(game: Game) -> tuple[Named, ...]:
    """Return the opponents for a game, the weakest first."""
    opponents = constant(game, "OPPONENTS", dict.fromkeys(OPPONENTS))
    specs = ((Spec.of(text, game), words) for text, words in opponents.items())
    return tuple(_named(spec, words) for spec, words in specs if _can_play(spec))


def name_of(spec: Spec) -> Named:
    """Return the list's entry for an agent, or an entry with its spec."""
    for one in opponents_of(spec.game):
        if one.spec == spec:
            return one
    name, _, number = spec.text.partition(":")
    of_a_kind = name in _NAMES and name in agents_of(spec.game) and number.isdigit()
    return _named(spec, None) if of_a_kind else Named(spec, spec.text, "")


def adviser_of(game: Game) -> Spec:
    """Return the agent that gives hints."""
    return next(filter(_can_play, (Spec.of(text, game) for text in analysts_of(game))))


def _named(spec: Spec, words: tuple[str, str] | None) -> Named:
    name, _, number = spec.text.partition(":")
    called, does = _NAMES[name] if words is None else words
    return Named(spec, called, does.format(f"{int(number):,}" if number.isdigit() else number))


def _can_play(spec: Spec) -> bool:
    """Return whether a game has an agent and the network that the agent needs."""
    if spec.name not in agents_of(spec.game):
        return False
    if spec.name in _NETWORKS:
        with contextlib.suppress(ValueError):
            return bool(shipped(spec.game))
        return False
    return True


# -- Parameters ---------------------------------------------------------------------------------


class Parameter(NamedTuple):
    """A parameter of a game that a person can choose."""

    key: str
    label: str
    values: Mapping[Any, str]
    """Each value and its name."""


class Tables(NamedTuple):
    """Choices of parameters, and the game of each choice."""

    parameters: list[Parameter]
    games: dict[tuple[Any, ...], Game]
    """Valid games by the values of `parameters`, in their order."""


@functools.lru_cache(maxsize=16)
def tables_of(game: Game) -> Tables:
    """Return the choices of a game, with its other parameters unchanged."""
    parameters = []
    for key, (label, values) in constant(game, "PARAMETERS", {}).items():
        current = game.params[key]
        known = {current: str(current), **values}
        parameters.append(Parameter(key, label, {k: known[k] for k in sorted(known)}))
    games = {}
    for values in itertools.product(*(one.values for one in parameters)):
        chosen = dict(zip((one.key for one in parameters), values, strict=True))
        with contextlib.suppress(ValueError):
            games[values] = _changed(game, chosen)
    return Tables(parameters, games)


def _changed(game: Game, chosen: Mapping[str, Any]) -> Game:
    """Return the game with some parameters changed; a default `max_plies` is computed again.

    Raises:
        ValueError: the parameters are not valid.
    """
    others = {key: value for key, value in game.params.items() if key != "max_plies"}
    if type(game)(**others) == game:
        return type(game)(**{**others, **chosen})
    return type(game)(**{**game.params, **chosen})
