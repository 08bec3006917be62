"""Parallel games of the learner: random openings, fixed opponents in some games, and samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from agents.agent import Actions, Agent, RandomBits
from agents.naming.spec import make
from agents.networks.seat_values import num_values
from agents.players.choice import masked_choice
from agents.training.samples import Samples, bytes_tensor, records, sample_dtype
from boardenvs.game import Game, States

__all__ = ["LearningGames", "Turn", "fixed_opponents"]

_EVERY_SEAT = -1
"""Seat of the learner in a game without a fixed opponent."""


class Turn(NamedTuple):
    """One ply of N games that are not over."""

    games: npt.NDArray[np.intp]
    """Indices of the games, shape (N,)."""
    shown: States
    """States in which hidden information is resampled, shape (N,)."""
    legal: npt.NDArray[np.bool_]
    """Masks of the legal actions, shape (N, num_actions)."""
    random_bits: RandomBits
    """64 random bits for the player of each game, shape (N,)."""
    learner: npt.NDArray[np.intp]
    """Rows of this turn in which the learner moves."""
    actions: Actions
    """Actions of openings and opponents; random legal actions where the learner moves."""


class LearningGames:
    """Games in which the learner plays all seats, or one seat against a fixed opponent."""

    def __init__(
        self,
        game: Game,
        opponents: Sequence[Agent],
        num: int,
        rng: np.random.Generator,
        opening_plies: int,
        opponent_share: float,
    ) -> None:
        """Start the games.

        Args:
            game: the game to play.
            opponents: fixed opponents, each for the same number of games.
            num: number of parallel games.
            rng: generator of all randomness.
            opening_plies: maximum number of random plies at the start of a game.
            opponent_share: share of the games in which a fixed opponent plays all seats but one.
        """
        self.game = game
        self.opponents = list(opponents)
        self._rng = rng
        self._opening_plies = opening_plies
        against = round(opponent_share * num) if self.opponents else 0
        self._against = np.where(np.arange(num) < against, np.arange(num), _EVERY_SEAT)
        self.states: States = game.arrays.new(self._random_bits(num))
        self.seats = np.full(num, _EVERY_SEAT)
        """Seat of the learner in each game; -1 for all seats."""
        self.openings = np.zeros(num, np.int64)
        """Number of random plies at the start of each game."""
        self._seat(np.ones(num, np.bool_))

    def _random_bits(self, num: int) -> RandomBits:
        return self._rng.integers(0, 2**64, num, np.uint64)

    def _seat(self, which: npt.NDArray[np.bool_]) -> None:
        """Sample the seats and openings of new games."""
        rng, num = self._rng, len(which)
        seats = rng.integers(0, self.game.num_players, num)
        seats[self._against == _EVERY_SEAT] = _EVERY_SEAT
        openings = rng.integers(0, self._opening_plies + 1, num)
        self.seats[which] = seats[which]
        self.openings[which] = openings[which]

    def begin_ply(self) -> Turn:
        """Choose the actions of openings and opponents in the games that are not over."""
        game = self.game
        games = np.flatnonzero(~game.over(self.states))
        states, seats = self.states[games], self.seats[games]
        movers = states["to_move"].astype(np.int64)
        shown = game.arrays.conceal(states, movers, self._random_bits(len(games)))
        random_bits, draws = self._random_bits(len(games)), self._random_bits(len(games))
        at_random = states["ply"] < self.openings[games]
        theirs = ~at_random & (seats != _EVERY_SEAT) & (seats != movers)
        legal = game.legal(shown)
        actions = masked_choice(np.zeros(legal.shape), legal, 1.0, draws)
        for k, opponent in enumerate(self.opponents):
            turn = np.flatnonzero(theirs & (self._against[games] % len(self.opponents) == k))
            if len(turn):
                actions[turn] = opponent.choose(shown[turn], random_bits[turn])
        learner = np.flatnonzero(~at_random & ~theirs)
        return Turn(games, shown, legal, random_bits, learner, actions)

    def samples(self, turn: Turn, rows: npt.NDArray[np.intp]) -> Samples:
        """Return samples of rows of a turn without targets."""
        states = turn.shown[rows]
        samples = np.zeros(len(rows), sample_dtype(self.game))
        samples["observation"] = self.game.observe_to_move(states)
        samples["legal"] = np.packbits(turn.legal[rows], axis=1)
        samples["seats"] = self.game.seats_in_turn(states)[:, : num_values(self.game)]
        samples["game"] = turn.games[rows]
        return samples

    def end_ply(self, turn: Turn) -> None:
        """Play the actions of a turn."""
        states = self.states[turn.games]
        self.game.play(states, turn.actions, illegal="raise")
        self.states[turn.games] = states

    def restart(self, over: npt.NDArray[np.bool_]) -> None:
        """Replace the marked games by new games."""
        game = self.game
        game.kernels.restart_games(self.states, game.constants, game.start, over)
        self._seat(over)

    def state(self) -> dict[str, Any]:
        """Return the state of the games without the generator, for `load_state`."""
        return {
            "states": bytes_tensor(self.states),
            "seats": torch.from_numpy(self.seats.copy()),
            "openings": torch.from_numpy(self.openings.copy()),
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore `state()` of games with the same arguments."""
        self.states = self.game.arrays.batch(records(state["states"], self.states.dtype))
        self.seats = state["seats"].numpy().copy()
        self.openings = state["openings"].numpy().copy()


def fixed_opponents(game: Game, specs: Sequence[str], seed: int) -> list[Agent]:
    """Make fixed opponents.

    Raises:
        ValueError: an opponent cannot be made, or is not an `Agent`.
    """
    found = []
    for spec in specs:
        one = make(spec, game, seed)
        if not isinstance(one, Agent):
            raise ValueError(
                f"opponents of search-guided self-play must be of the class Agent, got {spec!r}"
            )
        found.append(one)
    return found
