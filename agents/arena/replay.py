"""A finished game of a match as an episode, to watch it again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boardenvs.episode import Episode
from boardenvs.game import Game

__all__ = ["episode_of"]


def episode_of(
    game: Game, specs: Sequence[str], who: Sequence[int], word: int, moves: Sequence[int]
) -> Episode:
    """The episode of one game.

    Args:
        game: what was played.
        specs: of the match's agents.
        who: which of them had each seat.
        word: what the game's own random stream started with.
        moves: all actions from the start.

    Raises:
        ValueError: the moves are no game from there.
    """
    names = [specs[place] for place in who]
    players = [
        spec if names.count(spec) == 1 else f"{spec} ({seat})"
        for spec, seat in zip(names, game.seat_names, strict=True)
    ]
    start = game.new_from_words(np.array([word], np.uint64))
    return Episode(game, start, [int(move) for move in moves], players)
