"""What no environment can beat: writing the bytes, and environments that do nothing."""

from __future__ import annotations

import numpy as np

from agents.bench.timing import Side, rate
from boardenvs.game import Game

__all__ = ["copying"]


def copying(game: Game, num: int, seconds: float) -> Side:
    """Writing `num` observations and masks with `np.copyto`, in boards a second.

    Args:
        game: whose observations and masks.
        num: how many at once.
        seconds: length of a turn.
    """
    observations = np.zeros((2, num, *game.observation_shape), np.int8)
    masks = np.zeros((2, num, game.num_actions), np.bool_)

    def copy() -> int:
        np.copyto(observations[0], observations[1])
        np.copyto(masks[0], masks[1])
        return num

    return lambda: rate(copy, seconds)
