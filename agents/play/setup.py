"""How a person's game begins, in the terminal as in the page: who plays, and what is dealt."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.agent import check_can_play
from agents.making import make
from agents.seeds import agent_seed, fresh_seed
from boardenvs.chance import one_way, seed_word, stream_words
from boardenvs.game import Game, States

__all__ = ["Deal", "Setup"]


class Deal(NamedTuple):
    """What one game begins with."""

    start: States
    """The position, shape (1,)."""
    words: npt.NDArray[np.uint64]
    """What the game's own random stream starts with, shape (1,)."""

    @property
    def opponents(self) -> npt.NDArray[np.uint64]:
        """The opponents' random stream, from which nothing can be told of the game's."""
        return one_way(self.words, "players")


class Setup:
    """The agents of one spec that a person meets, and what is dealt.

    The same seed gives the same agents and the same deals.

    Attributes, not to be changed:
        game: what is played, a `Game`.
        opponent: the agents' spec.
        seed: of everything random, an int.
        agent: has every seat that no person has.
    """

    def __init__(self, game: Game, opponent: str, seed: int | None) -> None:
        """Make the agent.

        Args:
            game: what is played.
            opponent: the agents' spec.
            seed: of everything random; `None` for a fresh one.

        Raises:
            ValueError: there is no such opponent, or it cannot play the game.
        """
        self.game = game
        self.opponent = opponent
        self.seed = fresh_seed() if seed is None else seed
        self.agent = make(opponent, game, agent_seed(self.seed, 0))
        check_can_play(self.agent, self.deal(0).start)

    def deal(self, number: int) -> Deal:
        """The beginning of a game, by its number from 0."""
        words = stream_words(seed_word(self.seed), number + 1)[-1:]
        return Deal(self.game.new_from_words(words), words)
