"""The speed of the Gomoku engine in short searches compared with long ones."""

from __future__ import annotations

import itertools

import boardenvs
from agents.arena.openings import named_openings
from agents.bench.row import Row
from agents.bench.run import Bench
from agents.bench.timing import Side, rate
from agents.games.gomoku.threats import ThreatsAgent
from boardenvs.game import Game, States

__all__ = ["engine_nodes"]

_GAME = "gomoku"
_FEW, _MANY = 200, 20_000
"""Number of positions searched for a move in a short and in a long search."""
_STATES = 8


def engine_nodes(bench: Bench) -> list[Row]:
    """Return a row that compares the positions per second of a short and a long search."""
    game = boardenvs.make(_GAME)
    found = bench.compare(
        {(str(nodes),): _looking(game, nodes, bench.effort.seconds) for nodes in (_FEW, _MANY)}
    )
    return [
        Row(
            f"threats:{_FEW}, one core", _GAME, found[str(_FEW),], "positions/s",
            f"threats:{_MANY}", found[str(_MANY),],
        )
    ]  # fmt: skip


def _looking(game: Game, nodes: int, seconds: float) -> Side:
    """Return a side that measures positions searched per second, on balanced openings."""
    engine = ThreatsAgent(game, nodes=nodes, threads=1)
    states: States = game.new(_STATES, 0)
    for actions in named_openings(game, "balanced").moves[:_STATES].T:
        game.play(states, actions)
    turn = itertools.cycle(range(_STATES))

    def work() -> int:
        (thought,) = engine.think(states[[next(turn)]])
        return thought.nodes

    return lambda: rate(work, seconds)
