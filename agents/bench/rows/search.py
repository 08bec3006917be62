"""Moves of `mcts` compared with moves of OpenSpiel's MCTSBot."""

from __future__ import annotations

import boardenvs
from agents.bench.peers import open_spiel_mcts
from agents.bench.row import Row
from agents.bench.run import Bench, Key
from agents.bench.timing import Side, rate
from agents.search.mcts import MctsAgent
from boardenvs.game import Game

__all__ = ["searches", "searching"]

_PEER = "OpenSpiel MCTSBot"


def searching(game: Game, simulations: int, seconds: float) -> Side:
    """Return a side that measures moves per second in the start position, on one core."""
    agent = MctsAgent(game, 0, simulations, decisive_rollouts=False)
    state = game.new(1, 0)
    return lambda: rate(lambda: len(agent.act(state)), seconds)


def searches(bench: Bench) -> list[Row]:
    """Return rows that compare every game with OpenSpiel's gomoku, both with random rollouts."""
    effort = bench.effort
    simulations = effort.simulations
    sides: dict[Key, Side] = {
        (name,): searching(boardenvs.make(name), simulations, effort.seconds)
        for name in effort.games
    }
    rival = bench.peer(
        "OpenSpiel",
        "bench",
        lambda: open_spiel_mcts("gomoku(size=15)", simulations, effort.seconds),
    )
    if rival is not None:
        sides[_PEER,] = rival
    found = bench.compare(sides)
    peers_own = found.get((_PEER,))
    return [
        Row(f"mcts:{simulations}, a move", name, found[name,], "moves/s", _PEER, peers_own)
        for name in effort.games
    ]
