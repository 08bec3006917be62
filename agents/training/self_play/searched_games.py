"""Parallel games played by searches, whose results are samples for training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from agents.agent import Agent
from agents.networks.seat_values import in_turn, num_values
from agents.players.choice import masked_choice
from agents.search.gumbel import GumbelAgent, Improved
from agents.search.puct import Evaluator
from agents.training.samples import (
    Samples,
    bytes_tensor,
    one_hot,
    records,
    sample_dtype,
    set_values,
)
from agents.training.settings import GuidedSettings
from boardenvs.game import Game, States

__all__ = ["Played", "SearchedGames"]

_EVERY_SEAT = -1


class Played(NamedTuple):
    """Result of one or more plies in all games of an actor."""

    samples: Samples
    """Samples of the games that ended, with their values."""
    searched: int
    """Number of positions searched, by full and cheap searches."""
    lengths: npt.NDArray[np.int32]
    """Lengths of the games that ended, in plies."""
    size: int = 0
    """Index of the board size."""


class SearchedGames:
    """Games in which the learner plays by search, in all seats or against a fixed opponent.

    A random share of the searches is full. A full search samples its action by Gumbel noise, and
    its result becomes a sample for training. The other searches are cheap, and use noise only at
    the start of a game (playout cap randomisation: D. Wu, "Accelerating self-play learning in Go",
    2019).
    """

    def __init__(
        self,
        game: Game,
        settings: GuidedSettings,
        rng: np.random.Generator,
        evaluator: Evaluator,
        opponents: Sequence[Agent],
        num: int,
        threads: int | None = None,
    ) -> None:
        """Start the games.

        Args:
            game: the game to play.
            settings: settings of self-play.
            rng: generator of all randomness.
            evaluator: evaluator that guides the searches.
            opponents: fixed opponents, each for the same number of games.
            num: number of parallel games.
            threads: threads of the searches, as for `agents.search.puct.PuctAgent`.
        """
        self.game = game
        self.settings = settings
        self.opponents = list(opponents)
        self._rng = rng
        self._full, self._cheap = (
            GumbelAgent(
                game,
                0,
                simulations,
                settings.exploration,
                settings.considered,
                settings.value_scale,
                evaluator,
                threads,
            )
            for simulations in (settings.simulations, settings.cheap_simulations)
        )
        against = round(settings.opponent_share * num) if self.opponents else 0
        self._against = np.where(np.arange(num) < against, np.arange(num), _EVERY_SEAT)
        self.states: States = game.arrays.new(self._random_bits(num))
        self.seats = np.full(num, _EVERY_SEAT)
        """Seat of the learner in each game; -1 for all seats."""
        self.openings = np.zeros(num, np.int64)
        """Number of random plies at the start of each game."""
        self.pending: Samples = np.zeros(0, sample_dtype(game))
        """Samples of unfinished games; their `value` is that of the search."""
        self._seat(np.ones(num, np.bool_))

    def play_ply(self) -> Played:
        """Play one ply in each game; a new game replaces each game that ends."""
        game, settings, rng = self.game, self.settings, self._rng
        num = len(self.states)
        movers = self.states["to_move"].astype(np.int64)
        shown = game.arrays.conceal(self.states, movers, self._random_bits(num))
        random_bits, draws = self._random_bits(num), self._random_bits(num)
        actions = np.zeros(num, np.int64)

        at_random = self.states["ply"] < self.openings
        theirs = ~at_random & (self.seats != _EVERY_SEAT) & (self.seats != movers)
        full = rng.random(num) < settings.full_share
        mine = ~at_random & ~theirs

        legal = game.legal(shown)
        actions[at_random] = masked_choice(
            np.zeros((at_random.sum(), game.num_actions)), legal[at_random], 1.0, draws[at_random]
        )
        for k, opponent in enumerate(self.opponents):
            turn = np.flatnonzero(theirs & (self._against % len(self.opponents) == k))
            if len(turn):
                actions[turn] = opponent.choose(shown[turn], random_bits[turn])
        for agent, turn in (
            (self._full, np.flatnonzero(mine & full)),
            (self._cheap, np.flatnonzero(mine & ~full)),
        ):
            if not len(turn):
                continue
            noisy = full[turn] | (self.states["ply"][turn] < settings.temperature_plies)
            noise = rng.gumbel(size=(len(turn), game.num_actions)) * noisy[:, None]
            found = agent.search(shown[turn], random_bits[turn], noise.astype(np.float32))
            actions[turn] = found.actions
            if agent is self._full:
                self._keep(turn, shown[turn], legal[turn], found)

        game.play(self.states, actions, illegal="raise")
        over = game.over(self.states)
        lengths = self.states["ply"][over]
        samples = self._finish(over)
        game.kernels.restart_games(self.states, game.constants, game.start, over)
        self._seat(over)
        return Played(samples, int(mine.sum()), lengths)

    def _random_bits(self, num: int) -> npt.NDArray[np.uint64]:
        return self._rng.integers(0, 2**64, num, np.uint64)

    def _seat(self, which: npt.NDArray[np.bool_]) -> None:
        """Sample the seats and openings of new games."""
        rng, num = self._rng, len(which)
        seats = rng.integers(0, self.game.num_players, num)
        seats[self._against == _EVERY_SEAT] = _EVERY_SEAT
        openings = rng.integers(0, self.settings.opening_plies + 1, num)
        self.seats[which] = seats[which]
        self.openings[which] = openings[which]

    def _keep(
        self,
        turn: npt.NDArray[np.intp],
        shown: States,
        legal: npt.NDArray[np.bool_],
        found: Improved,
    ) -> None:
        """Keep the samples of full searches until their games end."""
        seats = shown["to_move"].astype(np.int64)
        kept = np.zeros(len(turn), self.pending.dtype)
        kept["observation"] = self.game.observe(shown, seats)
        kept["legal"] = np.packbits(legal, axis=1)
        kept["policy"] = found.policies
        kept["value"] = in_turn(self.game, shown, found.values)
        kept["seats"] = self.game.seats_in_turn(shown)[:, : num_values(self.game)]
        kept["share"] = self.settings.search_value_share
        kept["game"] = turn
        # A proven win is the only target.
        won = found.proven & (kept["value"][:, 0] >= 1)
        kept["policy"][won] = one_hot(found.actions[won], self.game.num_actions)
        self.pending = np.concatenate([self.pending, kept])

    def _finish(self, over: npt.NDArray[np.bool_]) -> Samples:
        """Return the samples of games that are over, with the targets of their values."""
        ended = over[self.pending["game"]]
        samples = self.pending[ended]
        self.pending = self.pending[~ended]
        set_values(samples, self.states["returns"])
        return samples

    def state(self) -> dict[str, Any]:
        """Return the state of the games without the generator, for `load_state`."""
        return {
            "states": bytes_tensor(self.states),
            "seats": torch.from_numpy(self.seats.copy()),
            "openings": torch.from_numpy(self.openings.copy()),
            "pending": bytes_tensor(self.pending),
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore `state()` of games with the same settings."""
        self.states = self.game.arrays.batch(records(state["states"], self.states.dtype))
        self.seats = state["seats"].numpy().copy()
        self.openings = state["openings"].numpy().copy()
        self.pending = records(state["pending"], self.pending.dtype)
