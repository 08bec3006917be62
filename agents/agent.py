"""`Agent`: what plays. The one contract of this package."""

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
    """An exception of a stranger's code, as it may stand in a message of one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


@contextlib.contextmanager
def blamed(name: str) -> Iterator[None]:
    """Whatever a stranger's agent raises becomes a `ValueError` of one line that names it."""
    try:
        yield
    except RulesError:
        raise  # the game's rules are to blame
    except (Exception, SystemExit) as error:
        raise ValueError(f"{name} failed: {one_line(error)}") from error


def check_can_play(player: object, states: States) -> None:
    """As `Agent.check_can_play`; a player that is no `Agent` is taken to play everything."""
    if isinstance(player, Agent):
        player.check_can_play(states)


class Agent(abc.ABC):
    """A player of one game, asked for many states at once.

    Whoever runs the game hands over states as far as the seat to move may know them
    (see `boardenvs.Game.conceal`).

    Example:
        >>> import agents, boardenvs
        >>> game = boardenvs.make("gekitai")
        >>> agent = agents.make("greedy", game, seed=0)
        >>> agent.act(game.new(3, seed=0)).shape
        (3,)
    """

    deterministic: bool = False
    """Whether the same state always gets the same action."""
    repeatable: bool = True
    """Whether the same seed makes the same choices; not so of an agent that thinks by the clock."""
    one_game_at_a_time: bool = False
    """Whether the agent forgets a game when it receives a state of another game. Matches then play
    the agent's games one after another."""
    play_version: int = 1
    """Raised whenever the class comes to choose otherwise, so that stores do not mix its games
    with those from before (see `agents.arena.versions`)."""

    def __init__(self, game: Game, seed: int | None = None, spec: str = "") -> None:
        """Sit down.

        Args:
            game: what is played.
            seed: of the agent's own randomness; `None` for a fresh one.
            spec: the name it goes by, as `agents.make` was given it.

        Raises:
            ValueError: the seed is no whole number of at least 0.
        """
        self.game = game
        self.spec = spec or type(self).__name__
        self._rng = np.random.default_rng(int(seed_word(seed)))

    def act(self, states: States) -> Actions:
        """One action for each state.

        Args:
            states: records of the game, shape (N,), none of them over.

        Returns:
            int64 of shape (N,).

        Raises:
            ValueError: these are no such states.
        """
        states = self.live(states)
        return self.choose(states, self._new_random_bits(len(states)))

    def _new_random_bits(self, num: int) -> RandomBits:
        """Return 64 of the agent's own random bits for each of `num` states, shape (num,)."""
        # The same numbers as `self._rng.integers(0, 2**64, num, np.uint64)`, five times as fast.
        return self._rng.bit_generator.random_raw(num)

    def live(self, states: States) -> States:
        """`states` as an array of shape (N,).

        Raises:
            ValueError: these are no records of the game, or one of them is over.
        """
        states = self.game.arrays.batch(states)
        over = self.game.over(states)
        if over.any():
            raise ValueError(f"state {int(over.argmax())} is over: there is nothing to choose")
        return states

    def check_can_play(self, states: States) -> None:
        """Say before a game what cannot be played; most agents can play everything.

        Args:
            states: where games begin, records shape (N,), none of them over.

        Raises:
            ValueError: it cannot play on from one of these.
        """
        self.live(states)

    @abc.abstractmethod
    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        """As `act`, with 64 random bits for each state instead of the agent's own.

        The action for a state depends on that state and its random bits only, so a match comes
        out the same however many games are played side by side.
        """

    def consider(
        self, states: States, random_bits: RandomBits
    ) -> tuple[Actions, Sequence[Analysis | None]]:
        """As `choose`, and what led to each choice; `None` for an agent that weighs nothing.

        It costs one choice: what it tells comes of the very search, or run of the network,
        that chose the action.
        """
        return self.choose(states, random_bits), [None] * len(states)

    def policies(self, states: States) -> npt.NDArray[np.float64]:
        """With which probability it plays each action.

        Args:
            states: records of the game, shape (N,), none of them over.

        Returns:
            float64 of shape (N, num_actions), each row with the sum 1.

        Raises:
            ValueError: these are no such states, or the agent cannot tell: it searches at random,
                or is asked about a game with chance or hidden parts.
        """
        if not self.deterministic:
            raise ValueError(f"agent {self.spec!r} does not tell what it plays how probably")
        states = self.live(states)
        shares = np.zeros((len(states), self.game.num_actions))
        shares[np.arange(len(states)), self.act(states)] = 1
        return shares

    def __repr__(self) -> str:
        return f"<agent {self.spec} for {self.game!r}>"
