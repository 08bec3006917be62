"""Replay of a finished game of a match as an episode."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boardenvs.envs.opponents import player_names
from boardenvs.episode import Episode
from boardenvs.game import Game

__all__ = ["episode_of"]


def episode_of(
    game: Game, specs: Sequence[str], who: Sequence[int], word: int, moves: Sequence[int]
) -> Episode:
    """Return the episode of one game.

    Args:
        game: the game.
        specs: specs of the match's agents.
        who: index of the agent in each seat.
        word: start of the game's own random stream.
        moves: all actions from the start.

    Raises:
        ValueError: the moves cannot be played from there.
    """
    players = player_names([specs[place] for place in who], game.seat_names)
    start = game.arrays.new(np.array([word], np.uint64))
    return Episode(game, start, [int(move) for move in moves], players)
