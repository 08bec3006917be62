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
from agents.specs import NAMES, Spec, parse
from agents.users_own import find, is_allowed
from boardenvs.game import Game
from boardenvs.opponents import Opponent

__all__ = ["make", "make_builtin", "names_for"]


def _random(game: Game, seed: int | None, spec: Spec) -> Agent:
    from agents.random_agent import RandomAgent

    return RandomAgent(game, seed, spec.text)


_OWN_GREEDY = {
    "gomoku": "agents.games.gomoku.greedy:GomokuGreedyAgent",
    "goat_race": "agents.games.goat_race.greedy:GoatRaceGreedyAgent",
    "dominoes175": "agents.games.dominoes175.greedy:Dominoes175GreedyAgent",
    "pizza_order": "agents.games.pizza_order.greedy:PizzaOrderGreedyAgent",
}
"""Games in which looking a move ahead is not what a greedy player does: where its class is."""


def _greedy(game: Game, seed: int | None, spec: Spec) -> Agent:
    where = _OWN_GREEDY.get(game.name, "agents.greedy:GreedyAgent")
    module, _, name = where.partition(":")
    agent: Agent = getattr(importlib.import_module(module), name)(game, seed, spec.text)
    return agent


def _neighbour(game: Game, seed: int | None, spec: Spec) -> Agent:
    from agents.games.gomoku.neighbour import NeighbourAgent

    return NeighbourAgent(game, seed, spec.text)


def _exact(game: Game, seed: int | None, spec: Spec, *, budget: int = 2_000_000) -> Agent:
    from agents.search.exact import ExactAgent

    return ExactAgent(game, seed, spec.text, budget)


def _trained(game: Game, seed: int | None, spec: Spec, *, temperature: float = 0.0) -> Agent:
    from agents.trained import TrainedAgent

    return TrainedAgent(game, seed, spec.told.get("PATH"), temperature, spec.text)


def _mcts(
    game: Game,
    seed: int | None,
    spec: Spec,
    *,
    simulations: int | None = None,
    exploration: float = 1.0,
    rollout_depth: int | None = None,
    time_limit: float | None = None,
    decisive_rollouts: bool | None = None,
) -> Agent:
    from agents.search.mcts import MctsAgent

    number = _simulations(spec, simulations, 1000)
    return MctsAgent(
        game, seed, number, exploration, rollout_depth, time_limit, decisive_rollouts, spec.text
    )


def _puct(
    game: Game,
    seed: int | None,
    spec: Spec,
    *,
    simulations: int | None = None,
    exploration: float = 1.5,
    path: str | Path | None = None,
    decisive: bool | None = None,
) -> Agent:
    from agents.search.puct import PuctAgent

    number = _simulations(spec, simulations, 400)
    told = spec.told.get("PATH")
    if told is not None and path is not None:
        raise ValueError(f"agent {spec.text!r} says which network; leave the option out")
    network = path if told is None else told
    return PuctAgent(game, seed, number, exploration, network, decisive, spec=spec.text)


def _simulations(spec: Spec, option: int | None, default: int) -> int:
    """How many simulations a spec such as `mcts:500` or the option of that name asks for."""
    argument = spec.told.get("SIMULATIONS")
    if argument is None:
        return default if option is None else option
    if option is not None:
        raise ValueError(f"agent {spec.text!r} says how many simulations; leave the option out")
    if not (argument.isascii() and argument.isdigit()):
        raise ValueError(f"agent {spec.text!r}: expected {spec.name}:SIMULATIONS, a whole number")
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


def make(spec: str, game: Game | str, seed: int | None = None, **options: Any) -> Agent | Opponent:
    """An agent by its spec.

    Args:
        spec: one of `agents.SPECS`, whose grammar `agents.specs` tells: `neighbour` is for
            Gomoku alone, `exact` for games of two players without chance, `trained:PATH` plays
            the ONNX file at PATH, by which `puct:SIMULATIONS:PATH` is guided, and
            `module:factory` calls `factory(game, seed)` of an importable module, the current
            folder included, which returns an object with `act(states) -> actions`.
        game: a game, or the name of one with its default parameters.
        seed: of the agent's own randomness; `None` for a fresh one.
        **options: of that agent: `temperature` for `trained`; `budget` (positions) for `exact`;
            `simulations`, `exploration`, `rollout_depth`, `time_limit` and `decisive_rollouts`
            for `mcts` (see `agents.search.mcts.MctsAgent`); `simulations`, `exploration`, `path`
            and `decisive` for `puct` (see `agents.search.puct.PuctAgent`).

    Raises:
        ValueError: there is no such agent or option, or it cannot be made for this game.
    """
    known = parse(spec)
    if isinstance(game, str):
        game = boardenvs.make(game)
    return _made(known, game, seed, options)


def make_builtin(spec: str, game: Game) -> Agent | Opponent:
    """As `make`, but nothing of a user's is imported or called that `agents.allow` has not named.

    So it takes a spec that a file may hold, such as the `EnvSpec` of an environment.

    Raises:
        ValueError: as `make`, or the spec names an agent of the user's own.
    """
    known = parse(spec)
    if not is_allowed(spec):
        raise ValueError(
            f"{spec!r} is an agent of your own, which is not made by its name here, since names "
            f"may come from files: give agents.make({spec!r}, game) itself"
        )
    return _made(known, game, 0, {})


def _made(spec: Spec, game: Game, seed: int | None, options: dict[str, Any]) -> Agent | Opponent:
    if not spec.builtin:
        return _users_own(spec, game, seed, options)
    build = _BUILDERS[spec.name]
    known = [*inspect.signature(build).parameters][3:]
    for key in options:
        if key not in known:
            raise ValueError(f"agent {spec.name!r} has no option {key!r}; it has {known or 'none'}")
    return build(game, seed, spec, **options)


def names_for(game: Game) -> list[str]:
    """The names of all agents that can play a game from its start."""
    names = []
    for name in NAMES:
        with contextlib.suppress(ValueError):
            check_can_play(make(name, game, seed=0), game.new(1, 0))
            names.append(name)
    return names


def _users_own(spec: Spec, game: Game, seed: int | None, options: dict[str, Any]) -> Opponent:
    """Call a user's factory; whatever goes wrong in it is told in one line."""
    try:
        agent = find(spec.name, *spec.arguments)(game, seed, **options)
    except (Exception, SystemExit) as error:
        raise ValueError(f"agent {spec.text!r} cannot be made: {one_line(error)}") from error
    if not callable(getattr(agent, "act", None)):
        raise ValueError(f"agent {spec.text!r} is {agent!r}; expected an object with act(states)")
    return agent
