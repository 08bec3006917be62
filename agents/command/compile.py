"""`boardenvs compile`: compilation of a game ahead of its first use.

Compiled code is kept on disk, see `boardenvs.kernels.cache`. Records of another board size have
another layout, so each size is compiled separately.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np

import boardenvs
from agents.agent import Agent
from agents.arena.match import play_match
from agents.arguments import make_game
from agents.command.common.parser import Commands
from agents.naming.spec import Spec, names_for
from boardenvs.game import Game
from boardenvs.kernels.interpreting import compile_first

__all__ = ["add", "compile_game"]

_MANY = 512
"""Number of games that is large enough for several threads."""


def add(commands: Commands) -> None:
    """Add the subcommand."""
    commands.add(
        "compile",
        _run,
        "compile a game, or all games, ahead of their first use",
        ["", "gomoku -p board_size=9"],
        optional=True,
    )


def _run(options: argparse.Namespace) -> None:
    if options.game is not None:
        games = [make_game(options)]
    elif options.param:
        raise ValueError("--param requires GAME")
    else:
        games = [boardenvs.make(name) for name in boardenvs.GAMES]
    for game in games:
        began = time.perf_counter()
        with compile_first():
            compile_game(game)
        print(f"{game!r}: {time.perf_counter() - began:.1f} s", flush=True)


def compile_game(game: Game) -> None:
    """Use every environment and every agent of a game once, on one thread and on two."""
    from boardenvs.kernels.threads import fix_threads

    for use in _uses(game):
        for threads in (1, 2):
            fix_threads(threads)
            try:
                use()
            finally:
                fix_threads(None)


def _uses(game: Game) -> Iterator[Callable[[], object]]:
    yield lambda: _step_batch(game)
    yield lambda: _step_seat(game)
    yield lambda: _step_vector(game)
    yield lambda: _step_pettingzoo(game)
    yield lambda: play_match(game, ["random"] * game.num_players, 2, seed=0)
    for name in names_for(game):
        spec = Spec.of(name, game)
        known = spec.options()
        # A few simulations use every loop, but those that end at a time.
        limits: list[dict[str, Any]] = [{"simulations": 3} if "simulations" in known else {}]
        if "time_limit" in known:
            limits.append({"time_limit": 0.01})
        for limit in limits:
            yield lambda spec=spec, limit=limit: _act(game, spec.make(0, **limit))  # type: ignore[misc]


def _step_batch(game: Game) -> None:
    batch = boardenvs.BatchEnv(game, 4, 0)
    batch.step(batch.action_mask.argmax(1))
    for state in game.new(1, 0):
        game.from_dict(game.to_dict(state))


def _step_seat(game: Game) -> None:
    from boardenvs.envs.single import SeatEnv

    for opponent in ("random", _First(game)):
        env = SeatEnv(game, opponent)
        _, info = env.reset(seed=0)
        env.step(int(info["action_mask"].argmax()))


def _step_vector(game: Game) -> None:
    from boardenvs.envs.vector import SeatVectorEnv

    for mode in gymnasium.vector.AutoresetMode:
        envs = SeatVectorEnv(_MANY, game, autoreset_mode=mode)
        _, infos = envs.reset(seed=0)
        envs.step(infos["action_mask"].argmax(1))


def _step_pettingzoo(game: Game) -> None:
    from boardenvs.envs.aec import GameAECEnv

    env = GameAECEnv(game)
    env.reset(seed=0)
    seen = {agent: env.observe(agent) for agent in env.agents}
    env.step(int(seen[env.agent_selection]["action_mask"].argmax()))


def _act(game: Game, agent: object) -> None:
    states = game.new(4, 0)
    agent.act(states)  # type: ignore[attr-defined]
    if isinstance(agent, Agent):
        agent.consider(states[:1], np.zeros(1, np.uint64))


class _First:
    """An opponent that plays the first legal action."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def act(self, states: np.ndarray) -> np.ndarray:
        return self._game.legal(states).argmax(1)
