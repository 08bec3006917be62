"""Behaviour cloning: the policy first learns to do as an agent does that was written by hand."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agents.agent import Agent, RandomBits
from agents.networks.policy_networks import sharded_logits_and_values
from agents.networks.sizes import Sizes, games_of, shared_out, shares_of
from agents.training.self_play.actors import fixed_opponents
from agents.training.self_play.replay_buffer import ReplayBuffer
from boardenvs.core.checks import finite_number, whole_number
from boardenvs.envs.playout import playout
from boardenvs.game import Game, States

__all__ = ["CloningLearner", "CloningSettings"]

Losses = tuple[float, float, float]
"""Of policy and value, and the agreement."""

_GAMES = 512
"""Side by side; their positions are learned in random order once all have ended."""


@dataclass(frozen=True)
class CloningSettings:
    """How `CloningLearner` learns."""

    agent: str = "greedy"
    """Spec of the agent to be imitated, which plays all seats."""
    steps: int = 500_000
    """Positions of its games."""
    random_share: float = 0.2
    """Of the plies, played at random instead, so that the games come to positions in which the
    agent would not have ended up itself; what it would do there is what is learned."""
    learner_share: float = 0.0
    """Of the other plies, played by the policy as it is, once it has learned from some games: what
    the agent does after the policy's own mistakes is learned too. S. Ross, G. Gordon, D. Bagnell,
    "A reduction of imitation learning and structured prediction to no-regret online learning",
    AISTATS 2011."""
    opening_plies: int = 0
    """A game starts with up to so many random plies, in which nothing is learned."""
    opponent_share: float = 0.0
    """In so many of the games the fixed opponents sit in all seats but one; what is learned there
    are the positions of that one."""
    opponents: tuple[str, ...] = ()
    """Specs of the fixed opponents, each in as many games."""
    fixed_ties: bool = False
    """Whether the agent, where it draws between equals, draws the same each time, so that there
    is one answer to learn and not a mixture of them."""
    value_share: float = 0.0
    """What the agent's own value makes of the value's target; the game's result is the rest. A
    value that is proven is the whole target."""
    buffer: int = 0
    """The last positions to learn from; 0: those of the last round of games alone."""
    epochs: int = 2
    """How often a position is learned from, on average."""
    batch_size: int = 256
    """Positions a gradient step."""
    learning_rate: float = 1e-3
    """At the start; it falls linearly to a tenth."""

    def __post_init__(self) -> None:
        """Check each.

        Raises:
            ValueError: one is of the wrong kind or out of range.
        """
        if not isinstance(self.agent, str):
            raise ValueError(f"agent must be an agent's spec, got {self.agent!r}")
        for name in ("steps", "epochs", "batch_size"):
            whole_number(name, getattr(self, name), 1)
        if not isinstance(self.fixed_ties, bool):
            raise ValueError(f"fixed_ties must be true or false, got {self.fixed_ties!r}")
        for name in ("opening_plies", "buffer"):
            whole_number(name, getattr(self, name), 0)
        for name in ("random_share", "learning_rate"):
            if finite_number(name, getattr(self, name)) >= 1:
                raise ValueError(f"{name} must be below 1, got {getattr(self, name)!r}")
        for name in ("learner_share", "value_share", "opponent_share"):
            if finite_number(name, getattr(self, name)) > 1:
                raise ValueError(f"{name} must be from 0 to 1, got {getattr(self, name)!r}")
        specs = self.opponents
        if not isinstance(specs, tuple) or not all(isinstance(spec, str) for spec in specs):
            raise ValueError(f"opponents must be a list of agents' specs, got {specs!r}")
        if self.opponent_share and not specs:
            raise ValueError(
                f"opponents must name an agent where opponent_share is {self.opponent_share!r}"
            )


class CloningLearner:
    """Trains a policy towards an agent's actions, and its value towards the games' results.

    D. Pomerleau, "Efficient training of artificial neural networks for autonomous navigation",
    Neural Computation 3 (1991); before reinforcement learning as in D. Silver et al.,
    "Mastering the game of Go with deep neural networks and tree search", Nature 529 (2016).
    """

    def __init__(
        self,
        game: Game | Sizes,
        policy: Any,
        settings: CloningSettings,
        agents: Sequence[Agent],
        seed: int,
    ) -> None:
        """Prepare.

        Args:
            game: what is learned. Of several sizes each gradient step takes one.
            policy: an actor-critic policy of Stable-Baselines3, trained in place.
            settings: how.
            agents: made from `settings.agent`, one for each size.
            seed: of the games and the order of their positions, and of the opponents.

        Raises:
            ValueError: the agents' values are to be learned, and they tell none; or an opponent
                cannot be made, or there is less room for positions than sizes.
        """
        self.game = game
        self.policy = policy
        self.settings = settings
        self.steps = 0
        """Positions learned so far."""
        self._agents = list(agents)
        self._rng = np.random.default_rng(seed)
        self._games = games_of(game)
        self._symmetries = [one.symmetries() for one in self._games]
        self._lengths = [1.0] * len(self._games)
        """Mean number of positions of a game on each size, as far as it is known."""
        self._opponents = [fixed_opponents(one, settings.opponents, seed) for one in self._games]
        self._buffers: list[ReplayBuffer] = []
        if settings.buffer:
            capacities = shared_out("clone.buffer", settings.buffer, shares_of(game))
            self._buffers = [
                ReplayBuffer(capacity, _sample_dtype(one))
                for capacity, one in zip(capacities, self._games, strict=True)
            ]
        if settings.value_share and not self._tells_values():
            raise ValueError(
                f"value_share must be 0 with {settings.agent!r}, which tells no values, "
                f"got {settings.value_share!r}"
            )
        self._optimizer = torch.optim.Adam(policy.parameters(), settings.learning_rate)

    def advance(self) -> dict[str, float]:
        """A round of games, then the gradient steps on its positions.

        Returns:
            The mean losses of policy and value, and how often the likeliest action was the
            agent's, before each position's first gradient step (with a `buffer`, before each
            step): `policy_loss`, `value_loss`, `agreement`.
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

    def _draw_and_fit(self, rounds: list[tuple[npt.NDArray[Any], ...]]) -> list[Losses]:
        """Keep a round's positions, and learn from as many as are due of all that are kept."""
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
        """Learn from a round's positions, some times over."""
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
        return figures

    def _tells_values(self) -> bool:
        start, nobody = self._games[0].new(1, 0), np.zeros(1, np.uint64)
        movers = start["to_move"].astype(np.int64)
        return not np.isnan(_considered(self._agents[0], start, nobody, movers)[1][0])

    def _numbers_of_games(self) -> list[int]:
        """Of a round on each size, so that their positions come in the sizes' shares."""
        shares = np.array(shares_of(self.game)) / self._lengths
        return shared_out("games", max(_GAMES, len(shares)), list(shares / shares.sum()))

    def _play(self, size: int = 0, num: int = _GAMES) -> tuple[npt.NDArray[Any], ...]:
        """Games to their ends: what was seen, what was legal, what the agent did, its worth."""
        rows: list[tuple[npt.NDArray[Any], ...]] = []
        while not rows:  # few short games may end before anything is learned
            states = self._played(size, num, rows)
        seen, masks, actions, movers, games, judged, shares = (
            np.concatenate(row) for row in zip(*rows, strict=True)
        )
        self._lengths[size] = len(seen) / num
        results = self._games[size].returns(states)[games, movers]
        values = (shares * judged + (1 - shares) * results).astype(np.float32)
        return seen, masks, actions, values

    def _played(self, size: int, num: int, rows: list[tuple[npt.NDArray[Any], ...]]) -> States:
        """Games at their ends; of what is to be learned a row for each ply is put in `rows`."""
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
                rows.append(
                    (seen, legal[asked], chosen, movers[asked], live[asked], worths, shares)
                )
            strays = rng.random(len(asked)) < self.settings.random_share
            played = np.argmax(rng.random(legal.shape) * legal, 1)
            if len(asked) and self.settings.learner_share and self.steps:
                own = np.flatnonzero(rng.random(len(asked)) < self.settings.learner_share)
                chosen = chosen.copy()  # what was told stays what is learned
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
        """Of each game: its random plies, its opponent's number (-1: none), the other's seat."""
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
        """What the agent does, the value that it tells, and that value's share of the target."""
        settings, rng, agent = self.settings, self._rng, self._agents[size]
        known = self._games[size].conceal(states, movers, rng)
        random_bits = rng.integers(0, 2**64, len(states), np.uint64)
        random_bits *= np.uint64(not settings.fixed_ties)
        if settings.value_share:
            chosen, judged, proven = _considered(agent, known, random_bits, movers)
            return chosen, judged, np.where(proven, 1, settings.value_share)
        nothing = np.zeros(len(states))
        return agent.choose(known, random_bits), nothing, nothing

    def _likeliest(
        self, seen: npt.NDArray[np.int8], legal: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.int64]:
        """What the policy would do."""
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
        """Each position in any view of the game."""
        symmetries = self._symmetries[size]
        if len(symmetries) == 1:
            return seen, masks, actions
        views = self._rng.integers(0, len(symmetries), len(seen))
        return (
            symmetries.observations(seen, views),
            symmetries.by_action(masks, views),
            symmetries.actions_shown(actions, views),
        )

    def _fit(
        self,
        seen: npt.NDArray[np.int8],
        masks: npt.NDArray[np.bool_],
        actions: npt.NDArray[np.int64],
        worth: npt.NDArray[np.float32],
    ) -> Losses:
        """One gradient step."""
        device = self.policy.device
        logits, values = sharded_logits_and_values(self.policy, torch.from_numpy(seen).to(device))
        logits = logits.masked_fill(torch.from_numpy(~masks).to(device), -1e9)
        wanted = torch.from_numpy(actions).to(device)
        policy_loss = torch.nn.functional.cross_entropy(logits, wanted)
        value_loss = torch.nn.functional.mse_loss(values, torch.from_numpy(worth).to(device))
        self._optimizer.zero_grad()
        (policy_loss + value_loss).backward()
        self._optimizer.step()
        agreement = (logits.argmax(1) == wanted).float().mean()
        return policy_loss.item(), value_loss.item(), agreement.item()


def _sample_dtype(game: Game) -> np.dtype[np.void]:
    """The record of a position that is kept."""
    return np.dtype(
        [
            ("observation", np.int8, game.observation_shape),
            ("legal", np.uint8, (-(-game.num_actions // 8),)),  # by np.packbits
            ("action", np.int64),
            ("value", np.float32),
        ]
    )


def _considered(
    agent: Agent, states: States, random_bits: RandomBits, movers: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """What an agent does, the values that it tells (NaN for none), and which of them are proven."""
    chosen, analyses = agent.consider(states, random_bits)
    values = [one and one.values[seat] for one, seat in zip(analyses, movers, strict=True)]
    judged = np.array([np.nan if value is None else value for value in values])
    return chosen, judged, np.array([one is not None and one.proven for one in analyses])
