"""The search that improves a policy, for training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import RandomBits
from agents.search.halving import halving_schedule, improve_policies
from agents.search.puct import Evaluator, PuctAgent
from agents.search.puct_loops import Search
from agents.search.search_agent import Searched, unsearched
from boardenvs.core.checks import finite_number, whole_number
from boardenvs.game import Game, States

__all__ = ["GumbelAgent", "Improved"]


@dataclass(frozen=True, eq=False)
class Improved(Searched):
    """Result of a `GumbelAgent` search of N states; `actions` depend on the noise."""

    policies: npt.NDArray[np.float32]
    """Improved policy of each state, shape (N, num_actions); 0 for illegal actions."""


class GumbelAgent(PuctAgent):
    """A `PuctAgent` that distributes the simulations at the root by sequential halving.

    With Gumbel noise the action is sampled from the network's policy and improved by the search.
    The improved policy is the target of the network's training. See `agents.search.halving`. The
    simulations of a tree run one after another.
    """

    play_version = 2

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        simulations: int = 32,
        exploration: float = 1.5,
        considered: int = 16,
        value_scale: float = 0.1,
        evaluator: Evaluator | None = None,
        threads: int | None = None,
        spec: str = "gumbel",
    ) -> None:
        """Create the agent.

        Args:
            game: the game to play.
            seed: seed of the simulations, which sample chance and hidden parts.
            simulations: number of simulations for each state, at least 1.
            exploration: factor of the policy's term in the confidence bound below the root.
            considered: maximum number of root actions to try, at least 1.
            value_scale: weight of the results against the policy, at least 0.
            evaluator: evaluator that guides the search; by default the shipped network.
            threads: as for `PuctAgent`.
            spec: name of the agent.

        Raises:
            ValueError: an argument is out of range, or no network is shipped for the game.
        """
        super().__init__(
            game, seed, simulations, exploration, 1, evaluator=evaluator, threads=threads, spec=spec
        )
        self.considered = whole_number("considered", considered, 1)
        self.value_scale = finite_number("value_scale", value_scale)
        self._options["value_scale"] = self.value_scale
        considered = min(self.considered, game.num_actions)
        self._schedule = halving_schedule(considered, self.simulations)

    def _set_awaiting(self) -> None:
        # Halving needs each result before the next choice.
        for name in ("most_awaited", "visits_each", "lead", "strays"):
            self._options[name] = 1

    def search(
        self,
        states: States,
        random_bits: RandomBits | None = None,
        noise: npt.NDArray[np.float32] | None = None,
    ) -> Improved:
        """Search each state.

        Args:
            states: as for `SearchAgent.search`.
            random_bits: as for `SearchAgent.search`.
            noise: noise added to the logits of the root, float32 of shape (N, num_actions);
                `None` for no noise.

        Raises:
            ValueError: as for `SearchAgent.search`, or `noise` has another shape.
        """
        states = self.live(states)
        size = len(states), self.game.num_actions
        if noise is None:
            noise = np.zeros(size, np.float32)
        elif np.shape(noise) != size:
            raise ValueError(f"noise must have shape {size}, got {np.shape(noise)}")
        noise = np.ascontiguousarray(noise, np.float32)
        found = (*unsearched(self.game, len(states)), np.zeros(size, np.float32))
        self._search_all(states, random_bits, noise, found)
        return Improved(*found)

    def _report(self, search: Search, found: Sequence[npt.NDArray[Any]]) -> None:
        *plain, policies = found
        super()._report(search, plain)
        actions = plain[-1]
        scale = np.float32(self.value_scale)
        forest = search.forest
        improve_policies(forest.nodes, forest.edges, search.noise, scale, policies, actions)
