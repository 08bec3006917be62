"""`Agent`: the interface of a player."""

from __future__ import annotations

import abc
import contextlib
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from boardenvs.core.chance import seed_word
from boardenvs.game import Game, States
from boardenvs.kernels.faults import RulesError
from boardenvs.show.analysis import Analysis

__all__ = [
    "Actions",
    "Agent",
    "RandomBits",
    "blamed",
    "check_can_play",
    "one_line",
]

Actions = npt.NDArray[np.int64]
RandomBits = npt.NDArray[np.uint64]


def one_line(error: BaseException) -> str:
    """Return the type and the message of an exception on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


@contextlib.contextmanager
def blamed(name: str) -> Iterator[None]:
    """Turn any exception of an agent into a `ValueError` of one line that names the agent."""
    try:
        yield
    except RulesError:
        raise  # the error is in the game's rules
    except (Exception, SystemExit) as error:
        raise ValueError(f"{name} failed: {one_line(error)}") from error


def check_can_play(player: object, states: States) -> None:
    """Call `Agent.check_can_play`; do nothing for a player that is not an `Agent`."""
    if isinstance(player, Agent):
        player.check_can_play(states)


class Agent(abc.ABC):
    """A player of one game that chooses actions for a batch of states.

    The states contain only information that the seat to move has (see `boardenvs.Game.conceal`).

    Example:
        >>> import agents, boardenvs
        >>> game = boardenvs.make("gekitai")
        >>> agent = agents.make("greedy", game, seed=0)
        >>> agent.act(game.new(3, seed=0)).shape
        (3,)
    """

    deterministic: bool = False
    """Whether the agent always chooses the same action in the same state."""
    repeatable: bool = True
    """Whether the same seed leads to the same choices; `False` for agents with a time limit."""
    one_game_at_a_time: bool = False
    """Whether the agent forgets a game when it receives a state of another game. Matches then play
    the agent's games one after another."""
    play_version: int = 1
    """Version of the agent's choices. Increment it when they change, so that stores do not mix old
    and new games (see `agents.naming.spec`)."""

    def __init__(self, game: Game, seed: int | None = None, spec: str = "") -> None:
        """Create an agent.

        Args:
            game: the game to play.
            seed: seed of the agent's own randomness, at least 0; `None` for a random one.
            spec: the spec given to `agents.make`; by default the name of the class.

        Raises:
            ValueError: the seed is not a whole number of at least 0.
        """
        self.game = game
        self.spec = spec or type(self).__name__
        self._rng = np.random.default_rng(int(seed_word(seed)))

    def act(self, states: States) -> Actions:
        """Return one action for each state.

        Args:
            states: records of the game, not over, shape (N,).

        Returns:
            Actions, int64 of shape (N,).

        Raises:
            ValueError: `states` are not records of the game, or one is over.
        """
        states = self.live(states)
        return self.choose(states, self._new_random_bits(len(states)))

    def _new_random_bits(self, num: int) -> RandomBits:
        """Return 64 of the agent's own random bits for each of `num` states, shape (num,)."""
        # Equal to `self._rng.integers(0, 2**64, num, np.uint64)`, but faster.
        return self._rng.bit_generator.random_raw(num)

    def choose_among(self, actions: npt.NDArray[np.bool_], random_bits: RandomBits) -> Actions:
        """Return one of the marked actions of each state, with equal probabilities.

        Args:
            actions: mask of actions, shape (N, num_actions), at least one for each state.
            random_bits: 64 random bits for each state, uint64 of shape (N,).
        """
        chosen = np.empty(len(actions), np.int64)
        self.game.kernels.random_actions(actions, random_bits, chosen)
        return chosen

    def live(self, states: States) -> States:
        """Return `states` as an array of shape (N,).

        Raises:
            ValueError: `states` are not records of the game, or one is over.
        """
        states = self.game.arrays.batch(states)
        over = self.game.over(states)
        if over.any():
            raise ValueError(f"states must not be over, but state {int(over.argmax())} is over")
        return states

    def check_can_play(self, states: States) -> None:
        """Check that the agent can play from these states; most agents can play all.

        Args:
            states: first positions of games, records of shape (N,), not over.

        Raises:
            ValueError: the agent cannot play on from one of the states.
        """
        self.live(states)

    @abc.abstractmethod
    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        """Return one action for each state, as `act`, from the given random bits.

        The action for a state depends only on the state and its random bits. A match therefore has
        the same result for any number of simultaneous games.

        Args:
            states: records of the game, not over, shape (N,).
            random_bits: 64 random bits for each state, uint64 of shape (N,).
        """

    def consider(
        self, states: States, random_bits: RandomBits
    ) -> tuple[Actions, Sequence[Analysis | None]]:
        """Return the actions of `choose` and an analysis of each, or `None` without an analysis.

        The analysis comes from the same search or network evaluation as the action.
        """
        return self.choose(states, random_bits), [None] * len(states)

    def policies(self, states: States) -> npt.NDArray[np.float64]:
        """Return the probability of each action.

        Args:
            states: records of the game, not over, shape (N,).

        Returns:
            Probabilities, float64 of shape (N, num_actions); each row sums to 1.

        Raises:
            ValueError: `states` are not such records, or the agent does not know its probabilities,
                because its search is random or the game has chance or hidden parts.
        """
        if not self.deterministic:
            raise ValueError(
                f"agent {self.spec!r} has no action probabilities; use a deterministic agent or "
                "one with its own policies()"
            )
        states = self.live(states)
        shares = np.zeros((len(states), self.game.num_actions))
        shares[np.arange(len(states)), self.act(states)] = 1
        return shares

    def __repr__(self) -> str:
        return f"<agent {self.spec} for {self.game!r}>"
