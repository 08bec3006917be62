"""Behaviour cloning: the policy learns to imitate an agent, such as `greedy`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agents.agent import Agent, RandomBits
from agents.naming.spec import Spec, specs_of
from agents.networks.policy_networks import sharded_logits_and_values
from agents.networks.seat_values import in_turn
from agents.networks.sizes import Games, shared_out
from agents.training.fitting import Fitter
from agents.training.learning_games import LearningGames, Turn, fixed_opponents
from agents.training.part import generator_state, set_generator
from agents.training.samples import Samples, legal_actions, one_hot, set_values
from agents.training.selves import PolicyAgent
from agents.training.settings import CloningSettings
from boardenvs.game import States

__all__ = ["Imitation"]

_GAMES = 512
"""Number of parallel games. Their positions are learned in random order after all games."""


class Imitation:
    """The part of a run in which the policy learns the actions of an agent, and values the results.

    Sources: D. Pomerleau, "Efficient training of artificial neural networks for autonomous
    navigation", Neural Computation 3 (1991); before reinforcement learning as in D. Silver et al.,
    "Mastering the game of Go with deep neural networks and tree search", Nature 529 (2016).
    """

    name = "clone"
    ends_early = True

    def __init__(
        self,
        games: Games,
        shares: Sequence[float],
        policy: Any,
        settings: CloningSettings,
        seed: int,
        agents: Sequence[Agent] | None = None,
    ) -> None:
        """Create the part.

        Args:
            games: the game to learn on each size. Each gradient step uses one size.
            shares: share of each size, see `agents.networks.sizes.shares_of`.
            policy: Stable-Baselines3 actor-critic policy, trained in place.
            settings: settings of the imitation.
            seed: seed of the games, the order of their positions, and the opponents.
            agents: agents to imitate, one for each size; `None` for those of the spec
                `settings.agent`. Of a `PolicyAgent`, the policy learns the probabilities of all
                actions.

        Raises:
            ValueError: an agent is not an `Agent`, `value_share` is above 0 and the agents return
                no values, an opponent cannot be made, the buffer is smaller than the number of
                sizes, or the policy has another number of values (see
                `agents.networks.seat_values`).
        """
        self.policy = policy
        self.settings = settings
        self.total: float = settings.steps
        self.steps = 0
        """Number of positions learned so far."""
        self._games = games
        self._shares = shares
        self._agents = agents or [
            _teacher(Spec.of(settings.agent, one), seed) for one in self._games
        ]
        self._rng = np.random.default_rng(seed)
        self._lengths = [1.0] * len(self._games)
        """Latest mean number of positions of a game on each size."""
        self._opponents = [
            fixed_opponents(specs_of(settings.opponents, one), seed) for one in self._games
        ]
        self.fitter = Fitter(games, shares, policy, self.name, settings.buffer, muon=settings.muon)
        if isinstance(self._agents[0], PolicyAgent):
            self.fitter.teacher = self._agents[0].policy
        if settings.value_share and not self._agent_has_values():
            raise ValueError(
                f"value_share must be 0 for {settings.agent!r}, which returns no values, "
                f"got {settings.value_share!r}"
            )

    def advance(self) -> dict[str, float]:
        """Play a round of games, then take the gradient steps on its positions.

        Returns:
            The mean figures of `Fitter.step`, without a `buffer` those of the first pass.
        """
        settings = self.settings
        rounds = [self._play(size, games) for size, games in enumerate(self._numbers_of_games())]
        left = max(0.0, 1 - self.steps / settings.steps)
        self.fitter.begin(settings.learning_rate * (0.1 + 0.9 * left))
        self.steps += sum(map(len, rounds))
        figures = self._draw_and_fit(rounds) if self.fitter.buffers else self._fit_all(rounds)
        return {key: float(np.mean([one[key] for one in figures])) for key in figures[0]}

    def state(self) -> dict[str, Any]:
        """Return the complete state; see `Part.state`."""
        return {
            **self.fitter.state(),
            "steps": self.steps,
            "rng": generator_state(self._rng),
            "lengths": self._lengths,
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore `state()`; see `Part.load_state`."""
        self.fitter.load_state(state)
        self.steps = state["steps"]
        set_generator(self._rng, state["rng"])
        self._lengths = list(state["lengths"])

    def _draw_and_fit(self, rounds: list[Samples]) -> list[dict[str, float]]:
        """Add a round's samples to the buffers, and take the gradient steps that are due."""
        settings = self.settings
        batches: list[int] = []
        for size, new in enumerate(rounds):
            self.fitter.buffers[size].add(new)
            owed = settings.epochs * len(new) / settings.batch_size
            batches += [size] * int(owed + self._rng.random())
        self._rng.shuffle(batches)
        return [self._fit_drawn(size) for size in batches] or [{}]

    def _fit_drawn(self, size: int) -> dict[str, float]:
        samples = self.fitter.buffers[size].draw(self.settings.batch_size, self._rng)
        return self.fitter.step(size, samples, self._rng)

    def _fit_all(self, rounds: list[Samples]) -> list[dict[str, float]]:
        """Learn from a round's samples in `epochs` passes; return the figures of the first one."""
        settings = self.settings
        figures = []
        for epoch in range(settings.epochs):
            orders = [self._rng.permutation(len(samples)) for samples in rounds]
            batches = [
                (size, order[low : low + settings.batch_size])
                for size, order in enumerate(orders)
                for low in range(0, len(order), settings.batch_size)
            ]
            if len(rounds) > 1:
                self._rng.shuffle(batches)
            for size, part in batches:
                found = self.fitter.step(size, rounds[size][part], self._rng)
                if epoch == 0:
                    figures.append(found)
        return figures

    def _agent_has_values(self) -> bool:
        start, nobody = self._games[0].new(1, 0), np.zeros(1, np.uint64)
        told = _considered(self._agents[0], start, nobody)[1]
        return not np.isnan(in_turn(self._games[0], start, told)).any()

    def _numbers_of_games(self) -> list[int]:
        """Return the games of a round on each size, so that positions match the sizes' shares."""
        shares = np.array(self._shares) / self._lengths
        return shared_out("games", max(_GAMES, len(shares)), list(shares / shares.sum()))

    def _play(self, size: int = 0, num: int = _GAMES) -> Samples:
        """Play games to their ends, and return the samples."""
        game, settings = self._games[size], self.settings
        plies, share = settings.opening_plies, settings.opponent_share
        samples: list[Samples] = []
        while not sum(map(len, samples)):  # short games may end in their random opening
            games = LearningGames(game, self._opponents[size], num, self._rng, plies, share)
            samples = list(self._plies(size, games))
        found = np.concatenate(samples)
        self._lengths[size] = len(found) / num
        set_values(found, games.states["returns"])
        return found

    def _plies(self, size: int, games: LearningGames) -> Iterator[Samples]:
        """Play games to their ends, and yield the samples of each ply."""
        while not games.game.over(games.states).all():
            turn = games.begin_ply()
            if len(turn.learner):
                yield self._move(size, games, turn)
            games.end_ply(turn)

    def _move(self, size: int, games: LearningGames, turn: Turn) -> Samples:
        """Choose the learner's actions in a turn, and return the samples to learn."""
        settings, rng, rows = self.settings, self._rng, turn.learner
        samples = games.samples(turn, rows)
        self._answer(size, turn, samples)
        chosen = samples["policy"].argmax(1)
        if settings.learner_share and self.steps:
            own = np.flatnonzero(rng.random(len(rows)) < settings.learner_share)
            chosen[own] = self._likeliest(samples[own])
        at_random = rng.random(len(rows)) < settings.random_share
        turn.actions[rows] = np.where(at_random, turn.actions[rows], chosen)
        return samples[rng.random(len(rows)) < settings.position_share]

    def _answer(self, size: int, turn: Turn, samples: Samples) -> None:
        """Set the targets of samples: the agent's actions, and its estimates of the values."""
        game, agent, settings = self._games[size], self._agents[size], self.settings
        states = turn.shown[turn.learner]
        random_bits = turn.random_bits[turn.learner] * np.uint64(not settings.fixed_ties)
        if settings.value_share:
            chosen, told, proven = _considered(agent, states, random_bits)
            samples["value"] = in_turn(game, states, told)
            samples["share"] = np.where(proven, 1, settings.value_share)
        else:
            chosen = agent.choose(states, random_bits)
        samples["policy"] = one_hot(chosen, game.num_actions)

    def _likeliest(self, samples: Samples) -> npt.NDArray[np.int64]:
        """Return the policy's most probable legal actions."""
        if not len(samples):
            return np.zeros(0, np.int64)
        seen = torch.from_numpy(samples["observation"].copy()).to(self.policy.device)
        with torch.no_grad():
            logits = sharded_logits_and_values(self.policy, seen)[0].cpu().numpy()
        chosen: npt.NDArray[np.int64] = np.where(legal_actions(samples), logits, -np.inf).argmax(1)
        return chosen


def _teacher(spec: Spec, seed: int) -> Agent:
    """Make an agent to imitate."""
    agent = spec.make(seed)
    if not isinstance(agent, Agent):
        raise ValueError(f"clone.agent must be of the class Agent, got {spec.text!r}")
    return agent


def _considered(
    agent: Agent, states: States, random_bits: RandomBits
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return an agent's actions, its values of all seats (NaN for none), and whether proven."""
    chosen, analyses = agent.consider(states, random_bits)
    told = np.full((len(states), agent.game.num_players), np.nan)
    for row, one in zip(told, analyses, strict=True):
        if one is not None:
            row[:] = [np.nan if value is None else value for value in one.values]
    return chosen, told, np.array([one is not None and one.proven for one in analyses])
