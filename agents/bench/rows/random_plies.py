"""Many random plies in one kernel call."""

# Compiled functions have no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from agents.bench.timing import Side, rate
from boardenvs.core.chance import make_streams, mixed, stepped
from boardenvs.core.choice import random_action
from boardenvs.core.hooks import legal, observe_row, play
from boardenvs.core.loops import restart
from boardenvs.core.outcome import is_over
from boardenvs.game import Game
from boardenvs.kernels.binding import over_rules

__all__ = ["playing_on", "random_plies"]

_PLIES = 64


@over_rules(spread=True, plies=_PLIES)
def random_plies(states, params, start, plies, streams, masks, out, low, high):
    """Play `plies` uniformly random legal actions in each game and write the observations."""
    for i in range(low, high):
        s = states[i]
        for _ in range(plies):
            legal(s, params[0], masks[i])
            streams[i] = stepped(streams[i])
            play(s, params[0], random_action(masks[i], mixed(streams[i])))
            if is_over(s):
                restart(states, i, params, start)
            observe_row(s, params[0], s.to_move, out[i])


def playing_on(game: Game, num: int, seconds: float) -> Side:
    """Return a side that measures plies per second, including observations and sampling.

    Args:
        game: the game.
        num: number of games.
        seconds: length of a turn.
    """
    loop = random_plies.bound_to(game.rules)
    states = game.new(num, 0)
    streams = make_streams(np.uint64(1), num)
    masks = np.zeros((num, game.num_actions), np.bool_)
    out = np.zeros((num, game.observation_size), np.int8)

    def work() -> int:
        loop(None, states, game.constants, game.start, _PLIES, streams, masks, out)
        return _PLIES * num

    return lambda: rate(work, seconds)
