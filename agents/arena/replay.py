"""Finished games of a match played again: one as an episode, many to see who forfeited."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from boardenvs.episode import Episode
from boardenvs.game import Game
from boardenvs.opponents import player_names

__all__ = ["episode_of", "offenders_of"]


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
    players = player_names([specs[place] for place in who], game.seat_names)
    start = game.new_from_words(np.array([word], np.uint64))
    return Episode(game, start, [int(move) for move in moves], players)


def offenders_of(
    game: Game, words: npt.NDArray[np.uint64], moves: Sequence[Sequence[int]]
) -> npt.NDArray[np.int64]:
    """The seat that lost each game by an illegal action, -1 where none did.

    Args:
        game: what was played.
        words: what each game's own random stream started with, shape (G,).
        moves: all actions of each game from the start.

    Returns:
        Shape (G,).

    Raises:
        ValueError: the moves are no whole games from there.
    """
    states = game.new_from_words(words)
    lengths = np.array([len(one) for one in moves])
    for ply in range(int(lengths.max(initial=0))):
        live = np.flatnonzero(lengths > ply)
        played = states[live]
        game.play(played, [moves[k][ply] for k in live.tolist()])
        states[live] = played
    if not game.over(states).all():
        raise ValueError("a game's moves do not lead to its end")
    return states["offender"].astype(np.int64)
