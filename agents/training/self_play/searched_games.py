"""Parallel games played by searches, whose results are samples for training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.networks.seat_values import in_turn
from agents.search.gumbel import GumbelAgent, Improved
from agents.search.puct import Evaluator
from agents.training.learning_games import LearningGames, Turn
from agents.training.samples import (
    Samples,
    bytes_tensor,
    one_hot,
    records,
    sample_dtype,
    set_values,
)
from agents.training.settings import GuidedSettings
from boardenvs.game import Game

__all__ = ["Played", "SearchedGames"]


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


class SearchedGames(LearningGames):
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
        self.settings = settings
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
        self.pending: Samples = np.zeros(0, sample_dtype(game))
        """Samples of unfinished games; their `value` is that of the search."""
        plies, share = settings.opening_plies, settings.opponent_share
        super().__init__(game, opponents, num, rng, plies, share)

    def play_ply(self) -> Played:
        """Play one ply in each game; a new game replaces each game that ends."""
        turn = self.begin_ply()
        rows = turn.learner
        full = (self._rng.random(len(turn.games)) < self.settings.full_share)[rows]
        for agent, searched in ((self._full, rows[full]), (self._cheap, rows[~full])):
            if len(searched):
                found = self._search(agent, turn, searched)
                turn.actions[searched] = found.actions
                if agent is self._full:
                    self._keep(self.samples(turn, searched), turn.shown[searched], found)
        self.end_ply(turn)
        over = self.game.over(self.states)
        lengths = self.states["ply"][over]
        samples = self._finish(over)
        self.restart(over)
        return Played(samples, len(rows), lengths)

    def _search(self, agent: GumbelAgent, turn: Turn, rows: npt.NDArray[np.intp]) -> Improved:
        """Search the positions of rows of a turn, cheap searches with noise only at the start."""
        states = turn.shown[rows]
        early = states["ply"] < self.settings.temperature_plies
        noise = self._rng.gumbel(size=(len(rows), self.game.num_actions))
        noise *= (early | (agent is self._full))[:, None]
        return agent.search(states, turn.random_bits[rows], noise.astype(np.float32))

    def _keep(self, samples: Samples, shown: Any, found: Improved) -> None:
        """Keep the samples of full searches until their games end."""
        samples["policy"] = found.policies
        samples["value"] = in_turn(self.game, shown, found.values)
        samples["share"] = self.settings.search_value_share
        # A proven win is the only target.
        won = found.proven & (samples["value"][:, 0] >= 1)
        samples["policy"][won] = one_hot(found.actions[won], self.game.num_actions)
        self.pending = np.concatenate([self.pending, samples])

    def _finish(self, over: npt.NDArray[np.bool_]) -> Samples:
        """Return the samples of games that are over, with the targets of their values."""
        ended = over[self.pending["game"]]
        samples = self.pending[ended]
        self.pending = self.pending[~ended]
        set_values(samples, self.states["returns"])
        return samples

    def state(self) -> dict[str, Any]:
        """Return the state of the games without the generator, for `load_state`."""
        return {**super().state(), "pending": bytes_tensor(self.pending)}

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore `state()` of games with the same settings."""
        super().load_state(state)
        self.pending = records(state["pending"], self.pending.dtype)
