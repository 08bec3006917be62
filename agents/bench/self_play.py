"""Self-play guided by a network, beside what the network could judge in that time by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

import boardenvs
from agents.bench.batch import label
from agents.bench.row import Row
from agents.bench.run import Bench, Key
from agents.bench.timing import Side, rate
from agents.search.gumbel import GumbelAgent
from agents.search.network import SearchNetwork
from boardenvs.game import Game

__all__ = ["judging", "self_play", "self_playing"]

_ALONE = "the network alone"
_BATCHES = (64, 256)
"""At once, of which the network may choose the better."""
_GAMES: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("gekitai", {}, 256),
    ("gomoku", {"board_size": 9}, 64),
    ("gomoku", {"board_size": 15}, 64),
    ("game112", {}, 256),
)
"""Games with a network to guide a search, and how many side by side."""


def self_playing(game: Game, num: int, simulations: int, seconds: float) -> Side:
    """Positions searched a second, as search-guided training searches them.

    Args:
        game: what is played.
        num: games side by side; those that end are followed by new ones.
        simulations: for each position.
        seconds: length of a turn.
    """
    agent = GumbelAgent(game, 0, simulations)
    rng = np.random.default_rng(0)
    states = game.new(num, 0)

    def work() -> int:
        shown = game.conceal(states, states["to_move"], rng)
        noise = rng.gumbel(size=(num, game.num_actions)).astype(np.float32)
        game.play(states, agent.search(shown, noise=noise).actions)
        over = game.over(states)
        game.kernels.restart_games(states, game.constants, game.start, over)
        return num

    return lambda: rate(work, seconds)


def judging(game: Game, num: int, seconds: float) -> Side:
    """Positions that the network, as searches ask it, judges a second, so many at once."""
    agent = SearchNetwork(game)
    states = game.new(num, 0)
    return lambda: rate(lambda: len(agent.evaluate(states)[1]), seconds)


def self_play(bench: Bench) -> list[Row]:
    """On as many threads as everybody gets who names no number."""
    effort = bench.effort
    simulations = effort.guided_simulations
    seconds = max(effort.seconds, effort.guided_seconds)
    sides: dict[Key, Side] = {}
    names = []
    for name, params, num in _GAMES[: effort.guided_games]:
        game = boardenvs.make(name, **params)
        names.append(label(name, params))
        sides[names[-1],] = self_playing(game, num, simulations, seconds)
        for batch in _BATCHES:
            sides[names[-1], str(batch)] = judging(game, batch, seconds)
    found = bench.compare(sides)
    return [
        Row(
            f"self-play, {simulations} simulations",
            name,
            found[name,],
            "positions/s",
            _ALONE,
            max(found[name, str(batch)] for batch in _BATCHES) / simulations,
        )
        for name in names
    ]
