"""`Table`: a game of persons and agents, move by move, of which moves can be taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.agent import blamed
from agents.analyst import analyst
from agents.play.setup import Setup
from agents.seeds import agent_seed
from boardenvs.analysis import Analysis
from boardenvs.chance import one_way
from boardenvs.checks import whole_number
from boardenvs.game import Game, States
from boardenvs.opponents import ask, consult

__all__ = ["Hint", "Table"]


class _Position(NamedTuple):
    state: States
    """Shape (1,)."""
    words: npt.NDArray[np.uint64]
    """The agents' stream there, so that what is taken back comes again the same."""


class Hint(NamedTuple):
    """What an adviser would play, and why."""

    spec: str
    action: int
    analysis: Analysis | None


class Table:
    """Persons in some seats, agents of one spec in the others. The same seed gives the same game.

    Attributes, not to be changed:
        game: what is played, a `Game`.
        opponent: the agents' spec.
        seats: the persons', a tuple of ints.
    """

    def __init__(self, game: Game, opponent: str, seats: Sequence[int], seed: int | None) -> None:
        """Deal.

        Args:
            game: what is played.
            opponent: spec of the agent in every other seat.
            seats: the persons', at least one.
            seed: of everything random; `None` for a fresh one.

        Raises:
            ValueError: there is no such opponent or seat, or it cannot play the game.
        """
        self.seats = tuple(whole_number("seat", seat, 0, game.num_players - 1) for seat in seats)
        if len(set(self.seats)) < len(self.seats):
            raise ValueError(f"a seat is given twice: {', '.join(map(str, self.seats))}")
        self._setup = Setup(game, opponent, self.seats[0], seed)
        self.game, self.opponent = game, opponent
        deal = self._setup.deal(0)
        self._views = one_way(deal.words, "page")
        self._hints = one_way(deal.words, "hints")
        self._adviser: tuple[str, Any] | None = None
        self._positions = [_Position(deal.start, deal.opponents)]

    @property
    def state(self) -> np.void:
        """The position."""
        return self._positions[-1].state[0]

    @property
    def turn(self) -> int:
        """The seat to move."""
        return int(self.state["to_move"])

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.game.over(self.state)[0])

    @property
    def is_persons_turn(self) -> bool:
        """Whether a person is to move."""
        return not self.over and self.turn in self.seats

    @property
    def view(self) -> np.void:
        """The position as far as the person who looks may know it: who is to move, or the first."""
        seat = self.turn if self.turn in self.seats else self.seats[0]
        state = self._positions[-1].state
        return self.game.conceal_with_words(state, seat, self._views)[0]

    def play(self, action: int) -> None:
        """A person's legal action."""
        self._add(action, self._positions[-1].words)

    def advance(self) -> int:
        """Let the agent move whose turn it is.

        Returns:
            Its action.

        Raises:
            ValueError: the agent fails; it is named.
        """
        state, words = self._positions[-1]
        words = words.copy()
        with blamed(f"agent {self.opponent}"):
            action = int(ask(self._setup.agent, self.game, state, words)[0])
        self._add(action, words)
        return action

    def undo(self) -> None:
        """Take back the last move of a person, and all that followed; chance comes the same again.

        Raises:
            ValueError: no person has moved yet.
        """
        for keep in range(len(self._positions) - 1, 0, -1):
            if int(self._positions[keep - 1].state["to_move"][0]) in self.seats:
                del self._positions[keep:]
                return
        raise ValueError("there is no move of yours to take back")

    def hint(self) -> Hint:
        """What the game's analyst would play for the person to move, told no more than he is.

        Raises:
            ValueError: it fails.
        """
        state = self._positions[-1].state
        if self._adviser is None:
            self._adviser = analyst(self.game, state, agent_seed(self._setup.seed, 1))
        spec, adviser = self._adviser
        with blamed(f"agent {spec}"):
            actions, [analysis] = consult(adviser, self.game, state, self._hints.copy())
        return Hint(spec, int(actions[0]), analysis)

    def _add(self, action: int, words: npt.NDArray[np.uint64]) -> None:
        state = self._positions[-1].state.copy()
        self.game.play(state, [action])
        self._positions.append(_Position(state, words))
