"""Behaviour cloning: the policy learns to imitate an agent, such as `greedy`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agents.agent import Agent, RandomBits
from agents.making import make
from agents.networks.policy_networks import sharded_logits_and_values
from agents.networks.seat_values import check_num_values, in_turn, num_values
from agents.networks.sizes import Sizes, games_of, shared_out, shares_of
from agents.training.part import generator_state, set_generator
from agents.training.samples import ReplayBuffer
from agents.training.self_play.actors import fixed_opponents
from agents.training.selves import PolicyAgent
from agents.training.settings import CloningSettings
from boardenvs.envs.playout import playout
from boardenvs.game import Game, States

__all__ = ["Imitation"]

Losses = tuple[float, float, float]
"""Losses of policy and value, and the agreement."""

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
        game: Game | Sizes,
        policy: Any,
        settings: CloningSettings,
        seed: int,
        agents: Sequence[Agent] | None = None,
    ) -> None:
        """Create the part.

        Args:
            game: the game to learn. With several sizes, each gradient step uses one size.
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
        self.game = game
        self.policy = policy
        self.settings = settings
        self.total: float = settings.steps
        self.steps = 0
        """Number of positions learned so far."""
        self._games = games_of(game)
        self._agents = agents or [_teacher(one, settings.agent, seed) for one in self._games]
        self._rng = np.random.default_rng(seed)
        check_num_values(policy, self._games[0])
        self._symmetries = [one.symmetries() for one in self._games]
        self._lengths = [1.0] * len(self._games)
        """Latest mean number of positions of a game on each size."""
        self._opponents = [fixed_opponents(one, settings.opponents, seed) for one in self._games]
        self._buffers: list[ReplayBuffer] = []
        if settings.buffer:
            capacities = shared_out("clone.buffer", settings.buffer, shares_of(game))
            self._buffers = [
                ReplayBuffer(capacity, _sample_dtype(one))
                for capacity, one in zip(capacities, self._games, strict=True)
            ]
        if settings.value_share and not self._agent_has_values():
            raise ValueError(
                f"value_share must be 0 for {settings.agent!r}, which returns no values, "
                f"got {settings.value_share!r}"
            )
        self._optimizer = torch.optim.Adam(policy.parameters(), settings.learning_rate)

    def advance(self) -> dict[str, float]:
        """Play a round of games, then take the gradient steps on its positions.

        Returns:
            The mean losses `policy_loss` and `value_loss`, and `agreement`, the share of positions
            whose most probable action was the agent's. They are measured before the first gradient
            step on each position, or with a `buffer` before each step.
        """
        settings = self.settings
        rounds = [self._play(size, games) for size, games in enumerate(self._numbers_of_games())]
        left = max(0.0, 1 - self.steps / settings.steps)
        for group in self._optimizer.param_groups:
            group["lr"] = settings.learning_rate * (0.1 + 0.9 * left)
        self.steps += sum(len(played[0]) for played in rounds)
        self.policy.set_training_mode(True)
        figures = self._draw_and_fit(rounds) if self._buffers else self._fit_all(rounds)
        means = np.mean(figures, 0)
        return dict(zip(("policy_loss", "value_loss", "agreement"), means.tolist(), strict=True))

    def state(self) -> dict[str, Any]:
        """Return the complete state; see `Part.state`."""
        return {
            "policy": self.policy.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "steps": self.steps,
            "rng": generator_state(self._rng),
            "lengths": self._lengths,
            "buffers": [buffer.state() for buffer in self._buffers],
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore `state()`; see `Part.load_state`."""
        self.policy.load_state_dict(state["policy"])
        self._optimizer.load_state_dict(state["optimizer"])
        self.steps = state["steps"]
        set_generator(self._rng, state["rng"])
        self._lengths = list(state["lengths"])
        for buffer, was in zip(self._buffers, state["buffers"], strict=True):
            buffer.load_state(was)

    def _draw_and_fit(self, rounds: list[tuple[npt.NDArray[Any], ...]]) -> list[Losses]:
        """Add a round's positions to the buffers, and take the gradient steps that are due."""
        settings = self.settings
        batches: list[int] = []
        for size, (seen, masks, actions, worth) in enumerate(rounds):
            buffer = self._buffers[size]
            new = np.zeros(len(seen), buffer.samples.dtype)
            new["observation"], new["legal"] = seen, np.packbits(masks, axis=1)
            new["action"], new["value"] = actions, worth
            buffer.add(new)
            owed = settings.epochs * len(seen) / settings.batch_size
            batches += [size] * int(owed + self._rng.random())
        self._rng.shuffle(batches)
        figures = []
        for size in batches:
            found = self._buffers[size].draw(settings.batch_size, self._rng)
            count = self._games[size].num_actions
            masks = np.unpackbits(found["legal"], axis=1, count=count).astype(np.bool_)
            seen, actions = np.ascontiguousarray(found["observation"]), found["action"]
            worth = np.ascontiguousarray(found["value"])
            figures.append(self._fit(*self._viewed(size, seen, masks, actions), worth))
        return figures or [(np.nan,) * 3]

    def _fit_all(self, rounds: list[tuple[npt.NDArray[Any], ...]]) -> list[Losses]:
        """Learn from a round's positions in `epochs` passes."""
        settings = self.settings
        figures = []
        for epoch in range(settings.epochs):
            orders = [self._rng.permutation(len(played[0])) for played in rounds]
            batches = [
                (size, order[low : low + settings.batch_size])
                for size, order in enumerate(orders)
                for low in range(0, len(order), settings.batch_size)
            ]
            if len(rounds) > 1:
                self._rng.shuffle(batches)
            for size, part in batches:
                seen, masks, actions, worth = (each[part] for each in rounds[size])
                found = self._fit(*self._viewed(size, seen, masks, actions), worth)
                if epoch == 0:
                    figures.append(found)
        return figures or [(np.nan,) * 3]

    def _agent_has_values(self) -> bool:
        start, nobody = self._games[0].new(1, 0), np.zeros(1, np.uint64)
        told = _considered(self._agents[0], start, nobody)[1]
        return not np.isnan(in_turn(self._games[0], start, told)).any()

    def _numbers_of_games(self) -> list[int]:
        """Return the games of a round on each size, so that positions match the sizes' shares."""
        shares = np.array(shares_of(self.game)) / self._lengths
        return shared_out("games", max(_GAMES, len(shares)), list(shares / shares.sum()))

    def _play(self, size: int = 0, num: int = _GAMES) -> tuple[npt.NDArray[Any], ...]:
        """Play games to their ends; return observations, masks, the agent's actions and values."""
        rows: list[tuple[npt.NDArray[Any], ...]] = []
        while not rows:  # short games may end in their random opening
            states = self._played(size, num, rows)
        seen, masks, actions, turns, games, told, shares = (
            np.concatenate(row) for row in zip(*rows, strict=True)
        )
        self._lengths[size] = max(1, len(seen)) / num
        results = self._games[size].returns(states)[games[:, None], turns]
        values = (shares[:, None] * told + (1 - shares[:, None]) * results).astype(np.float32)
        return seen, masks, actions, values

    def _played(self, size: int, num: int, rows: list[tuple[npt.NDArray[Any], ...]]) -> States:
        """Play games to their ends, and add the positions to learn from each ply to `rows`."""
        game, rng = self._games[size], self._rng
        states = game.arrays.new(rng.integers(0, 2**64, num, np.uint64))
        openings, opponents, seats = self._courses(size, num)
        plies = itertools.count()

        def choose(part: States, live: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
            movers = part["to_move"].astype(np.int64)
            legal = game.legal(part)
            began = openings[live] <= next(plies)
            learned = (opponents[live] < 0) | (movers == seats[live])
            asked = np.flatnonzero(began & learned)
            chosen = np.zeros(0, np.int64)
            if len(asked):
                seen = game.observe(part[asked], movers[asked])
                chosen, worths, shares = self._answers(size, part[asked], movers[asked])
                turns = game.seats_in_turn(part[asked])[:, : num_values(game)]
                row: tuple[Any, ...] = (
                    seen,
                    legal[asked],
                    chosen,
                    turns,
                    live[asked],
                    worths,
                    shares,
                )
                if self.settings.position_share < 1:
                    kept = rng.random(len(asked)) < self.settings.position_share
                    row = tuple(each[kept] for each in row)
                rows.append(row)
            strays = rng.random(len(asked)) < self.settings.random_share
            played = np.argmax(rng.random(legal.shape) * legal, 1)
            if len(asked) and self.settings.learner_share and self.steps:
                own = np.flatnonzero(rng.random(len(asked)) < self.settings.learner_share)
                chosen = chosen.copy()  # `rows` must keep the agent's actions
                chosen[own] = self._likeliest(seen[own], legal[asked[own]])
            played[asked] = np.where(strays, played[asked], chosen)
            for number, opponent in enumerate(self._opponents[size]):
                theirs = np.flatnonzero(began & ~learned & (opponents[live] == number))
                if len(theirs):
                    known = game.conceal(part[theirs], movers[theirs], rng)
                    random_bits = rng.integers(0, 2**64, len(theirs), np.uint64)
                    played[theirs] = opponent.choose(known, random_bits)
            return played

        playout(game, states, choose)
        return states

    def _courses(self, size: int, num: int) -> tuple[npt.NDArray[np.int64], ...]:
        """Sample each game's random plies, its opponent (-1 for none), and the agent's seat."""
        settings, rng = self.settings, self._rng
        openings, opponents = np.zeros(num, np.int64), np.full(num, -1)
        seats = np.zeros(num, np.int64)
        if settings.opening_plies:
            openings = rng.integers(0, settings.opening_plies + 1, num)
        if settings.opponent_share:
            with_one = rng.random(num) < settings.opponent_share
            opponents[with_one] = rng.integers(0, len(self._opponents[size]), with_one.sum())
            seats = rng.integers(0, self._games[size].num_players, num)
        return openings, opponents, seats

    def _answers(
        self, size: int, states: States, movers: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[Any], ...]:
        """Return the agent's actions, its values, and the values' shares of the target."""
        settings, rng, agent = self.settings, self._rng, self._agents[size]
        known = self._games[size].conceal(states, movers, rng)
        random_bits = rng.integers(0, 2**64, len(states), np.uint64)
        random_bits *= np.uint64(not settings.fixed_ties)
        if settings.value_share:
            chosen, told, proven = _considered(agent, known, random_bits)
            told = in_turn(self._games[size], states, told)
            return chosen, told, np.where(proven, 1, settings.value_share)
        nothing = np.zeros((len(states), num_values(self._games[size])))
        return agent.choose(known, random_bits), nothing, nothing[:, 0]

    def _likeliest(
        self, seen: npt.NDArray[np.int8], legal: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.int64]:
        """Return the policy's most probable legal actions."""
        if not len(seen):
            return np.zeros(0, np.int64)
        device = self.policy.device
        with torch.no_grad():
            logits, _ = sharded_logits_and_values(self.policy, torch.from_numpy(seen).to(device))
            likeliest = logits.masked_fill(torch.from_numpy(~legal).to(device), -torch.inf).argmax(
                1
            )
        chosen: npt.NDArray[np.int64] = likeliest.cpu().numpy()
        return chosen

    def _viewed(
        self,
        size: int,
        seen: npt.NDArray[np.int8],
        masks: npt.NDArray[np.bool_],
        actions: npt.NDArray[np.int64],
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
        """Return each position in a random symmetry of the game."""
        symmetries = self._symmetries[size]
        if len(symmetries) == 1:
            return seen, masks, actions
        views = self._rng.integers(0, len(symmetries), len(seen))
        return (
            symmetries.observations(seen, views),
            symmetries.by_action(masks, views),
            symmetries.actions_shown(actions, views),
        )

    def _policy_of_teacher(
        self, seen: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_]
    ) -> torch.Tensor | None:
        """Return the probabilities that the imitated agent's policy gives; `None` without one."""
        teacher = self._agents[0]
        if not isinstance(teacher, PolicyAgent):
            return None
        device = self.policy.device
        with torch.no_grad():
            logits, _ = sharded_logits_and_values(teacher.policy, torch.from_numpy(seen).to(device))
            return logits.masked_fill(torch.from_numpy(~masks).to(device), -1e9).softmax(1)

    def _fit(
        self,
        seen: npt.NDArray[np.int8],
        masks: npt.NDArray[np.bool_],
        actions: npt.NDArray[np.int64],
        worth: npt.NDArray[np.float32],
    ) -> Losses:
        """Take one gradient step."""
        device = self.policy.device
        logits, values = sharded_logits_and_values(self.policy, torch.from_numpy(seen).to(device))
        logits = logits.masked_fill(torch.from_numpy(~masks).to(device), -1e9)
        wanted = torch.from_numpy(actions).to(device)
        told = self._policy_of_teacher(seen, masks)
        policy_loss = torch.nn.functional.cross_entropy(logits, wanted if told is None else told)
        results = torch.from_numpy(worth).to(device)
        value_loss = torch.nn.functional.mse_loss(values.reshape(results.shape), results)
        self._optimizer.zero_grad()
        (policy_loss + value_loss).backward()
        self._optimizer.step()
        agreement = (logits.argmax(1) == wanted).float().mean()
        return policy_loss.item(), value_loss.item(), agreement.item()


def _teacher(game: Game, spec: str, seed: int) -> Agent:
    """Make an agent to imitate."""
    agent = make(spec, game, seed)
    if not isinstance(agent, Agent):
        raise ValueError(f"clone.agent must be of the class Agent, got {spec!r}")
    return agent


def _sample_dtype(game: Game) -> np.dtype[np.void]:
    """Return the dtype of a position in the buffer."""
    return np.dtype(
        [
            ("observation", np.int8, game.observation_shape),
            ("legal", np.uint8, (-(-game.num_actions // 8),)),  # packed by np.packbits
            ("action", np.int64),
            ("value", np.float32, (num_values(game),)),
        ]
    )


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
