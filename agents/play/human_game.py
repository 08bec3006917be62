"""`HumanGame`: a game between people and agents, move by move, with undo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.agent import blamed, check_can_play
from agents.analysis.analyst import analyst
from agents.naming.spec import Spec
from agents.seeds import agent_seed, fresh_seed
from boardenvs.core.chance import make_streams, one_way, seed_word
from boardenvs.core.checks import whole_number
from boardenvs.envs.opponents import consult
from boardenvs.episode import Episode
from boardenvs.game import Game, States
from boardenvs.show.analysis import Analysis

__all__ = ["Hint", "HumanGame", "Position"]


class Position(NamedTuple):
    """A position of the game and the agents' random stream."""

    state: States
    """Shape (1,)."""
    stream: npt.NDArray[np.uint64]
    """The agents' random stream, so that an agent repeats its move after an undo."""


class Hint(NamedTuple):
    """An adviser's move, and its analysis."""

    spec: Spec
    action: int
    analysis: Analysis | None


class HumanGame:
    """A game with people in some seats and agents in the others.

    The same seed gives the same games.

    Attributes, not to be changed:
        game: the game, a `Game`.
        opponents: the agents' names in the order of their seats, a tuple of `Spec`; the given names
            if people have all seats.
        seats: seats of people, a tuple of ints.
        seed: seed of everything random, an int.
        positions: positions from the first to the current one, a list of `Position`.
        actions: actions played so far, a list of ints.
        analysis: the agent's analysis of each action, a list of `Analysis` or `None`.
    """

    def __init__(
        self, game: Game, opponents: Sequence[Spec], seats: Sequence[int], seed: int | None
    ) -> None:
        """Start the first game.

        Args:
            game: the game.
            opponents: agents, one for all other seats or one for each of them in order.
            seats: seats of people, at least one.
            seed: seed of everything random; `None` for a random one.

        Raises:
            ValueError: an opponent or a seat does not exist, or an opponent cannot play the game.
        """
        self.seats = tuple(whole_number("seat", seat, 0, game.num_players - 1) for seat in seats)
        if len(set(self.seats)) < len(self.seats):
            raise ValueError(f"seats must be different, got {', '.join(map(str, self.seats))}")
        others = [seat for seat in range(game.num_players) if seat not in self.seats]
        if len(opponents) not in (1, len(others)):
            raise ValueError(
                f"opponents must be one for all other seats, or one for each of the {len(others)}, "
                f"got {len(opponents)}: {', '.join(map(str, opponents))}"
            )
        self.game = game
        self.seed = fresh_seed() if seed is None else seed
        times = max(1, len(others)) if len(opponents) == 1 else 1
        self.opponents = tuple(opponents) * times
        self._specs = dict(zip(others, self.opponents, strict=False))
        # Seed 1 is the adviser's, seed 2 the next game's.
        self._agents = {
            spec: spec.make(agent_seed(self.seed, place + 2 if place else 0))
            for place, spec in enumerate(dict.fromkeys(self.opponents))
        }
        self._adviser: tuple[Spec, Any] | None = None
        self._games = 0
        self.deal()
        for agent in self._agents.values():
            check_can_play(agent, self.positions[0].state)

    def deal(self) -> None:
        """Start the next game, with new chance events."""
        stream = make_streams(seed_word(self.seed), self._games + 1)[-1:]
        self._games += 1
        # Separate streams, so that one does not reveal another.
        self._views = one_way(stream, "page")
        self.hint_stream = one_way(stream, "hints")
        self.positions = [Position(self.game.arrays.new(stream), one_way(stream, "players"))]
        self.actions: list[int] = []
        self.analysis: list[Analysis | None] = []

    def follow(self, episode: Episode) -> None:
        """Continue a saved game, with the chance events of the current one.

        Args:
            episode: an episode of the same game.
        """
        stream = self.positions[0].stream
        self.positions = [Position(state, stream) for state in episode.states().reshape(-1, 1)]
        self.actions, self.analysis = list(episode.actions), list(episode.analysis)

    @property
    def state(self) -> np.void:
        """The current position."""
        return self.positions[-1].state[0]

    @property
    def turn(self) -> int:
        """The seat to move."""
        return self.mover(-1)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.is_over(-1)

    @property
    def is_persons_turn(self) -> bool:
        """Whether a person is to move."""
        return not self.over and self.turn in self.seats

    @property
    def view(self) -> np.void:
        """The position as seen by the person to move, or else by the first person."""
        seat = self.turn if self.turn in self.seats else self.seats[0]
        return self.known(seat, -1)[0]

    def mover(self, at: int) -> int:
        """Return the seat to move in position number `at`."""
        return int(self.positions[at].state["to_move"][0])

    def is_over(self, at: int) -> bool:
        """Return whether the game has ended in position number `at`."""
        return bool(self.game.over(self.positions[at].state)[0])

    def known(self, seat: int, first: int, end: int | None = None) -> States:
        """Return the positions `first` to `end - 1` as a seat sees them."""
        states = np.concatenate([position.state for position in self.positions[first:end]])
        return self.game.arrays.conceal(states, seat, np.repeat(self._views, len(states)))

    def warm_up(self) -> None:
        """Compile the agents' loops, which can take a minute.

        Raises:
            ValueError: an agent fails; the message names it.
        """
        if not self.over:
            for spec in dict.fromkeys(self._specs.values()):
                self._consult(spec)

    def play(self, action: int) -> None:
        """Play a person's legal action."""
        self._add(action, None, self.positions[-1].stream)

    def advance(self) -> int:
        """Play the move of the agent to move.

        Returns:
            The agent's action.

        Raises:
            ValueError: the agent fails; the message names it.
        """
        action, analysis, stream = self._consult(self._specs[self.turn])
        self._add(action, analysis, stream)
        return action

    def _consult(self, spec: Spec) -> tuple[int, Analysis | None, npt.NDArray[np.uint64]]:
        """Return an agent's action, its analysis, and the advanced stream."""
        state, stream = self.positions[-1]
        stream = stream.copy()
        with blamed(f"agent {spec}"):
            actions, [analysis] = consult(self._agents[spec], self.game, state, stream)
            if analysis is not None:
                analysis.check(self.game, self.game.legal(state)[0])
        return int(actions[0]), analysis, stream

    @property
    def undone(self) -> int:
        """Number of positions that `undo` leaves; 0 if no person has moved yet."""
        turns = [at for at in range(len(self.actions)) if self.mover(at) in self.seats]
        return turns[-1] + 1 if turns else 0

    def undo(self) -> int:
        """Take back a person's last move and all later moves. Chance events repeat.

        Returns:
            The number of positions left.

        Raises:
            ValueError: no person has moved yet.
        """
        keep = self.undone
        if not keep:
            raise ValueError("you have not moved yet")
        del self.positions[keep:], self.actions[keep - 1 :], self.analysis[keep - 1 :]
        return keep

    def hint(self) -> Hint:
        """Return the move of the game's analyst, which sees the same as the person to move.

        Raises:
            ValueError: the analyst fails.
        """
        state = self.positions[-1].state
        if self._adviser is None:
            self._adviser = analyst(self.game, state, agent_seed(self.seed, 1))
        spec, adviser = self._adviser
        with blamed(f"agent {spec}"):
            actions, [analysis] = consult(adviser, self.game, state, self.hint_stream.copy())
        return Hint(spec, int(actions[0]), analysis)

    def _add(self, action: int, analysis: Analysis | None, stream: npt.NDArray[np.uint64]) -> None:
        state = self.positions[-1].state.copy()
        self.game.play(state, [action])
        self.positions.append(Position(state, stream))
        self.actions.append(action)
        self.analysis.append(analysis)
