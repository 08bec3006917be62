"""From an agent's spec, as a user types it, to the agent."""

from __future__ import annotations

import contextlib
import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boardenvs
from agents.agent import Agent, check_can_play, one_line
from agents.users_own import find
from boardenvs.game import Game
from boardenvs.table import Opponent

__all__ = ["NAMES", "SPECS", "make", "names_for"]


def _random(game: Game, seed: int | None, spec: str) -> Agent:
    from agents.random_agent import RandomAgent

    return RandomAgent(game, seed, spec)


_OWN_GREEDY = {
    "gomoku": "agents.gomoku_greedy:GomokuGreedyAgent",
    "goat_race": "agents.goat_race_greedy:GoatRaceGreedyAgent",
    "dominoes175": "agents.dominoes175_greedy:Dominoes175GreedyAgent",
    "pizza_order": "agents.pizza_order_greedy:PizzaOrderGreedyAgent",
}
"""Games in which looking a move ahead is not what a greedy player does: where its class is."""


def _greedy(game: Game, seed: int | None, spec: str) -> Agent:
    where = _OWN_GREEDY.get(game.name, "agents.greedy:GreedyAgent")
    module, _, name = where.partition(":")
    agent: Agent = getattr(importlib.import_module(module), name)(game, seed, spec)
    return agent


def _neighbour(game: Game, seed: int | None, spec: str) -> Agent:
    from agents.neighbour import NeighbourAgent

    return NeighbourAgent(game, seed, spec)


def _exact(game: Game, seed: int | None, spec: str, *, budget: int = 2_000_000) -> Agent:
    from agents.exact import ExactAgent

    return ExactAgent(game, seed, spec, budget)


def _trained(game: Game, seed: int | None, spec: str, *, temperature: float = 0.0) -> Agent:
    from agents.trained import TrainedAgent

    path = spec.partition(":")[2] or None
    return TrainedAgent(game, seed, path, temperature, spec)


def _mcts(
    game: Game,
    seed: int | None,
    spec: str,
    *,
    simulations: int | None = None,
    exploration: float = 1.0,
    rollout_depth: int | None = None,
    time_limit: float | None = None,
    decisive_rollouts: bool | None = None,
) -> Agent:
    from agents.mcts import MctsAgent

    number = _simulations(spec, simulations, 1000)
    return MctsAgent(
        game, seed, number, exploration, rollout_depth, time_limit, decisive_rollouts, spec
    )


def _puct(
    game: Game,
    seed: int | None,
    spec: str,
    *,
    simulations: int | None = None,
    exploration: float = 1.5,
    path: str | Path | None = None,
    decisive: bool | None = None,
) -> Agent:
    from agents.puct import PuctAgent

    number = _simulations(spec, simulations, 400)
    return PuctAgent(game, seed, number, exploration, path, decisive, spec=spec)


def _simulations(spec: str, option: int | None, default: int) -> int:
    """How many simulations a spec such as `mcts:500` or the option of that name asks for."""
    name, _, argument = spec.partition(":")
    if not argument:
        return default if option is None else option
    if option is not None:
        raise ValueError(f"agent {spec!r} says how many simulations; leave the option out")
    if not (argument.isascii() and argument.isdigit()):
        raise ValueError(f"agent {spec!r}: expected {name}:SIMULATIONS, a whole number")
    return int(argument)


_BUILDERS: dict[str, Callable[..., Agent]] = {
    "random": _random,
    "greedy": _greedy,
    "neighbour": _neighbour,
    "exact": _exact,
    "mcts": _mcts,
    "puct": _puct,
    "trained": _trained,
}
NAMES = tuple(_BUILDERS)
"""Agents by name, without what may follow a colon."""
_TAKES_ARGUMENT = {"mcts", "puct", "trained"}

SPECS = (
    "random",
    "greedy",
    "neighbour",
    "exact",
    "mcts",
    "mcts:SIMULATIONS",
    "puct",
    "puct:SIMULATIONS",
    "trained",
    "trained:PATH",
    "module:factory",
)
"""What `make` understands."""


def make(spec: str, game: Game | str, seed: int | None = None, **options: Any) -> Agent | Opponent:
    """An agent by its spec.

    Args:
        spec: one of `SPECS`: `neighbour` is for Gomoku alone, `exact` for games of two players
            without chance, `trained:PATH` plays the ONNX file at PATH, and `module:factory`
            calls `factory(game, seed)` of an importable module, the current folder included,
            which returns an object with `act(states) -> actions`.
        game: a game, or the name of one with its default parameters.
        seed: of the agent's own randomness; `None` for a fresh one.
        **options: of that agent: `temperature` for `trained`; `budget` (positions) for `exact`;
            `simulations`, `exploration`, `rollout_depth`, `time_limit` and `decisive_rollouts`
            for `mcts` (see `agents.mcts.MctsAgent`); `simulations`, `exploration`, `path` and
            `decisive` for `puct` (see `agents.puct.PuctAgent`).

    Raises:
        ValueError: there is no such agent or option, or it cannot be made for this game.
    """
    if isinstance(game, str):
        game = boardenvs.make(game)
    if not isinstance(spec, str):
        raise ValueError(f"an agent's spec must be one of {', '.join(SPECS)}, got {spec!r}")
    name, colon, argument = spec.partition(":")
    if name in _BUILDERS and (not colon or (argument and name in _TAKES_ARGUMENT)):
        build = _BUILDERS[name]
        known = [*inspect.signature(build).parameters][3:]
        for key in options:
            if key not in known:
                raise ValueError(f"agent {name!r} has no option {key!r}; it has {known or 'none'}")
        return build(game, seed, spec, **options)
    if not colon or not name or not argument or name in _BUILDERS:
        raise ValueError(f"there is no agent {spec!r}; expected one of {', '.join(SPECS)}")
    return _users_own(spec, name, argument, game, seed, options)


def names_for(game: Game) -> list[str]:
    """The names of all agents that can play a game from its start."""
    names = []
    for name in NAMES:
        with contextlib.suppress(ValueError):
            check_can_play(make(name, game, seed=0), game.new(1, 0))
            names.append(name)
    return names


def _users_own(
    spec: str, module: str, factory: str, game: Game, seed: int | None, options: dict[str, Any]
) -> Opponent:
    """Call a user's factory; whatever goes wrong in it is told in one line."""
    try:
        agent = find(module, factory)(game, seed, **options)
    except (Exception, SystemExit) as error:
        raise ValueError(f"agent {spec!r} cannot be made: {one_line(error)}") from error
    if not callable(getattr(agent, "act", None)):
        raise ValueError(f"agent {spec!r} is {agent!r}; expected an object with act(states)")
    return agent
