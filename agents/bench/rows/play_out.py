"""Random games played to the end in a kernel, without observations."""

from __future__ import annotations

import numpy as np

import boardenvs
from agents.bench.peers import open_spiel_random
from agents.bench.row import Row
from agents.bench.run import Bench, Key
from agents.bench.timing import Side, rate
from boardenvs.core.chance import make_streams
from boardenvs.game import Game

__all__ = ["play_outs", "playing_out"]

_PEER = "OpenSpiel gomoku"
_GAMES = 256  # per call


def playing_out(game: Game, seconds: float) -> Side:
    """Return a side that measures the plies per second of random games on one core."""
    mask = np.zeros(game.num_actions, np.bool_)
    streams = make_streams(np.uint64(1), _GAMES)
    starts = game.new(_GAMES, 0)
    states = starts.copy()

    def work() -> int:
        game.kernels.play_out(states, game.constants, streams, mask)
        return int(states["ply"].sum())

    return lambda: rate(work, seconds, lambda: np.copyto(states, starts))


def play_outs(bench: Bench) -> list[Row]:
    """Return rows that compare every game with OpenSpiel's gomoku."""
    effort = bench.effort
    games = {name: boardenvs.make(name) for name in effort.games}
    sides: dict[Key, Side] = {
        (name,): playing_out(game, effort.seconds) for name, game in games.items()
    }
    rival = bench.peer(
        "OpenSpiel", "bench", lambda: open_spiel_random("gomoku(size=15)", effort.seconds)
    )
    if rival is not None:
        sides[_PEER,] = rival
    found = bench.compare(sides)
    peers_own = found.get((_PEER,))
    return [
        Row("random play to the end", name, found[name,], "plies/s", _PEER, peers_own)
        for name in games
    ]
