"""`Games`: finished games of one match, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from boardenvs.envs.opponents import player_names
from boardenvs.episode import Episode
from boardenvs.game import Game

__all__ = ["Games", "Numbers", "episode_of"]

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Games:
    """G finished games of one match."""

    numbers: Numbers
    """The number of each game in the match, from 0, shape (G,)."""
    streams: npt.NDArray[np.uint64]
    """Start of each game's own random stream, shape (G,)."""
    who: Numbers
    """Index of the agent in each seat, shape (G, num_players)."""
    returns: npt.NDArray[np.float32]
    """Each seat's result, shape (G, num_players)."""
    plies: npt.NDArray[np.int32]
    """Each game's length, shape (G,)."""
    moves: npt.NDArray[np.int32]
    """All actions from the start, the opening's too, shape (G, moves); (G, 0) if not known."""
    offenders: Numbers
    """The seat that lost each game by an illegal action, else -1, shape (G,)."""
    seconds: npt.NDArray[np.float64]
    """Time of each agent for its choices in each game, in seconds, shape (G, agents). Games in
    which an agent chose at the same time have an equal share each."""
    choices: Numbers
    """Number of each agent's choices in each game, shape (G, agents); 0 if no time is known."""

    def __len__(self) -> int:
        return len(self.numbers)

    def rows(self, which: npt.ArrayLike | slice) -> Games:
        """Return some of the games, given as an index, a mask or a slice."""
        return Games(*(getattr(self, field.name)[which] for field in fields(self)))

    @classmethod
    def blank(cls, num: int, num_players: int, num_agents: int) -> Games:
        """Return empty arrays for `num` games without moves, which `put` fills."""
        return cls(
            np.arange(num),
            np.zeros(num, np.uint64),
            np.zeros((num, num_players), np.int64),
            np.zeros((num, num_players), np.float32),
            np.zeros(num, np.int32),
            np.zeros((num, 0), np.int32),
            np.full(num, -1),
            np.zeros((num, num_agents)),
            np.zeros((num, num_agents), np.int64),
        )

    def put(self, games: Games) -> None:
        """Write games, without their moves, at the indices of their numbers."""
        for field in fields(self):
            if field.name != "moves":
                getattr(self, field.name)[games.numbers] = getattr(games, field.name)

    @classmethod
    def joined(cls, parts: Sequence[Games]) -> Games:
        """Return the games of all parts, at least one, in this order and without their moves."""
        moves = np.zeros((sum(map(len, parts)), 0), np.int32)
        columns: dict[str, Any] = {
            field.name: np.concatenate([getattr(part, field.name) for part in parts])
            for field in fields(cls)
            if field.name != "moves"
        }
        return cls(moves=moves, **columns)


def episode_of(
    game: Game, names: Sequence[str], who: Sequence[int], word: int, moves: Sequence[int]
) -> Episode:
    """Return the episode of one game.

    Args:
        game: the game.
        names: texts of the specs of the match's agents.
        who: index of the agent in each seat.
        word: start of the game's own random stream.
        moves: all actions from the start.

    Raises:
        ValueError: the moves cannot be played from there.
    """
    players = player_names([names[place] for place in who], game.seat_names)
    start = game.arrays.new(np.array([word], np.uint64))
    return Episode(game, start, [int(move) for move in moves], players)
