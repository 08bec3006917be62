"""Search-guided self-play: the policy learns from the results of searches that it guides.

The method is AlphaZero's (D. Silver et al., "A general reinforcement learning algorithm that
masters chess, shogi, and Go through self-play", Science 362, 2018), with the search of
`agents.search.gumbel`, which improves a policy with few simulations.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from agents.networks.sharded import one_torch_thread
from agents.networks.sizes import Games
from agents.training.fitting import Fitter
from agents.training.learning_games import fixed_opponents
from agents.training.part import generator_state, set_generator
from agents.training.self_play.actors import (
    Actors,
    LocalActors,
    Opponents,
    sizes_and_games,
)
from agents.training.self_play.network_writer import NetworkWriter, check_convolutional
from agents.training.self_play.policy_evaluator import Network, evaluate_with_torch
from agents.training.self_play.searched_games import Played
from agents.training.settings import GuidedSettings

__all__ = ["MakeActors", "SelfPlay"]

MakeActors = Callable[[Games, Sequence[float], GuidedSettings, int, Opponents], Actors]
"""Function that makes actors from the game on each size, the shares of the sizes, the settings, the
seed of the run and the opponents."""


class SelfPlay:
    """The part of a run in which the policy learns from its searches and the games' results."""

    name = "guided"
    ends_early = True

    def __init__(
        self,
        games: Games,
        shares: Sequence[float],
        policy: Any,
        settings: GuidedSettings,
        seed: int,
        opponents: Opponents = (),
        actors: MakeActors = LocalActors,
    ) -> None:
        """Create the part, whose games start in the first `advance`.

        Args:
            games: the game to learn on each size, for at least two players. Each gradient step
                uses one size, sampled by the shares.
            shares: share of each size, see `agents.networks.sizes.shares_of`.
            policy: Stable-Baselines3 actor-critic policy, trained in place.
            settings: settings of self-play.
            seed: seed of all randomness except the policy's initial weights.
            opponents: the fixed opponents of some games (`opponent_share`), for each size; empty
                if there are none.
            actors: function that makes the actors.

        Raises:
            ValueError: the game is for one player, an opponent cannot be made or is not an `Agent`,
                `games` or `buffer` is smaller than the number of sizes, the policy has another
                number of values (see `agents.networks.seat_values`), or `int8` is true and the
                policy has no convolutions.
        """
        if games[0].num_players < 2:
            raise ValueError(
                f"guided self-play requires at least two players, got {games[0].name} for one"
            )
        for specs in opponents:
            fixed_opponents(specs, seed)
        sizes_and_games(shares, settings)
        if settings.int8:
            check_convolutional(policy)
        self._games, self._shares = games, shares
        self.policy = policy
        self.settings = settings
        self.total: float = settings.steps
        self.steps = 0
        """Number of positions searched so far."""
        self._rng = np.random.default_rng(seed)
        self._make_actors = functools.partial(actors, games, shares, settings, seed, opponents)
        self.fitter = Fitter(
            games,
            shares,
            policy,
            self.name,
            settings.buffer,
            muon=settings.muon,
            weight_decay=settings.weight_decay,
            value_weight=settings.value_weight,
        )
        self._owed = 0.0  # gradient steps

    @functools.cached_property
    def _actors(self) -> Actors:
        """The actors, which start their games in the first `advance`."""
        return self._make_actors()

    @functools.cached_property
    def _writer(self) -> NetworkWriter:
        """The exporter of the policy for the actors."""
        return NetworkWriter(self._games, self.policy, int8=self.settings.int8)

    def advance(self) -> dict[str, float]:
        """Play some plies in all games, then take the gradient steps for the new samples.

        Returns:
            Figures of this iteration: `games`, the number of games that ended, and `samples`, the
            number of their samples; if games ended, their mean `length` in plies; if the network
            learned, the mean figures of `Fitter.step`.
        """
        network = self.network()
        self._actors.begin(network)
        self._actors.wait()
        figures = self._take(self._actors.finish())
        if self._actors.ahead:
            self._actors.begin(network)
        with one_torch_thread():
            return {**figures, **self._learn()}

    def _take(self, played: Sequence[Played]) -> dict[str, float]:
        """Add the samples to the buffers, and return their figures."""
        settings = self.settings
        for each in played:
            self.steps += each.searched
            self.fitter.buffers[each.size].add(each.samples)
        new = sum(len(each.samples) for each in played)
        if sum(map(len, self.fitter.buffers)) >= max(settings.warm_up, 1):
            self._owed += new * settings.reuse / settings.batch_size
        ended = np.array([length for each in played for length in each.lengths])
        figures = {"games": float(len(ended)), "samples": float(new)}
        if len(ended):
            figures["length"] = float(ended.mean())
        return figures

    def network(self) -> Network:
        """Return the current policy as a network for the actors."""
        # Local actors evaluate positions on the GPU of the learner.
        if self.policy.device.type != "cpu" and isinstance(self._actors, LocalActors):
            return evaluate_with_torch(self.policy)
        return self._writer.network(self.fitter.buffers, self.steps)

    def _learn(self) -> dict[str, float]:
        """Take the gradient steps that are due, and return their mean figures."""
        settings = self.settings
        left = max(0.0, 1 - self.steps / settings.steps)
        rate = settings.final_learning_rate
        rate += left * (settings.learning_rate - settings.final_learning_rate)
        self.fitter.begin(rate)
        figures: dict[str, list[float]] = defaultdict(list)
        while self._owed >= 1:
            self._owed -= 1
            size = self._drawn_size()
            samples = self.fitter.buffers[size].draw(settings.batch_size, self._rng)
            for key, value in self.fitter.step(size, samples, self._rng).items():
                figures[key].append(value)
        return {key: float(np.mean(values)) for key, values in figures.items()}

    def _drawn_size(self) -> int:
        """Sample a size by the shares, among sizes with samples, and return its index."""
        if len(self.fitter.buffers) == 1:
            return 0
        shares = np.array(self._shares) * [len(buffer) > 0 for buffer in self.fitter.buffers]
        return int(self._rng.choice(len(shares), p=shares / shares.sum()))

    def state(self) -> dict[str, Any]:
        """Return the complete state, for `load_state` and `torch.load(weights_only=True)`."""
        return {
            **self.fitter.state(),
            "steps": self.steps,
            "owed": self._owed,
            "rng": generator_state(self._rng),
            "sent": self._writer.state(),
            "actors": self._actors.state(),
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore `state()` of a learner with the same game, policy, settings and opponents."""
        self.fitter.load_state(state)
        self.steps = state["steps"]
        self._owed = state["owed"]
        set_generator(self._rng, state["rng"])
        self._writer.load_state(state["sent"])
        self._actors.load_state(state["actors"])
