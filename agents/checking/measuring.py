"""Measures of a learner's policy and values on a small game."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Agent, blamed
from agents.checking.mistakes import EXACT, Model, Solution, solve
from agents.checking.tree import End, Tree
from agents.naming.spec import make
from boardenvs.core.chance import make_streams, seed_word
from boardenvs.core.checks import shown
from boardenvs.envs.opponents import Opponent, ask
from boardenvs.game import Game, States

__all__ = ["NEAR", "Exact", "Measured"]

NEAR = 0.25
"""Largest error of a right value."""
_LEAST_SCORE = 0.8
"""Smallest score of a right policy."""
_COPIES = 32
"""Number of times that a policy chooses in each position."""
_SELDOM = 0.05
"""Largest probability of an action or a position that does not count."""

Shares = npt.NDArray[np.float64]


class Exact:
    """Perfect play of a game: values, and the positions that it reaches."""

    def __init__(self, game: Game) -> None:
        """Solve a small game."""
        self.tree = Tree(game)
        solution = solve(self.tree)
        self.values = solution.values
        """Value of each position for each seat, shape (P, num_players)."""
        self.shares: Shares = solution.best / solution.best.sum(1, keepdims=True)
        """Probabilities of the best actions, shape (P, num_actions)."""
        self.start = self._at_start(self.values)
        """Value of the game for each seat, shape (num_players,)."""
        self.worst = np.array([self._worst(seat) for seat in range(game.num_players)])
        """Result of each seat's worst play against perfect play, shape (num_players,)."""
        self.reached = self.reaches(self.shares) > 0
        """Positions that perfect play reaches, shape (P,)."""
        self.has_choices = bool((self.tree.masks.sum(1) > 1).any())
        """Whether a position has several legal actions."""
        self._solutions: dict[Model, Solution] = {}

    def solution(self, model: Model) -> Solution:
        """Return `solve` of the game, which is computed once for each model."""
        if model.hidden_only and not self.tree.game.has_hidden:
            model = EXACT
        if model not in self._solutions:
            self._solutions[model] = solve(self.tree, model)
        return self._solutions[model]

    def expected(self, shares: Shares) -> npt.NDArray[np.float64]:
        """Return the expected result of each seat if the seats choose with these probabilities."""
        values = np.zeros_like(self.values)
        for node in reversed(self.tree.nodes):
            for action in np.flatnonzero(shares[node.index]).tolist():
                worth = self._worth(node.index, action, values)
                values[node.index] += shares[node.index, action] * worth
        return self._at_start(values)

    def reaches(self, shares: Shares) -> npt.NDArray[np.float64]:
        """Return the probability of each position, shape (P,)."""
        found = np.zeros(len(self.tree.nodes))
        for chances, node in self.tree.starts:
            found[node.index] += chances
        for node in self.tree.nodes:
            for action, outcomes in node.branches.items():
                for chances, after in outcomes:
                    if not isinstance(after, End):
                        here = found[node.index] * shares[node.index, action]
                        found[after.index] += here * chances
        return found

    def with_seat(self, seat: int, shares: Shares) -> Shares:
        """Return perfect play in which one seat chooses with other probabilities."""
        return np.where((self.tree.seats == seat)[:, None], shares, self.shares)

    def _worth(
        self, index: int, action: int, values: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        node = self.tree.nodes[index]
        if action not in node.branches:  # an illegal action loses
            seats = values.shape[1]
            forfeit = np.full(seats, 1 / (seats - 1))
            forfeit[node.seat] = -1
            return forfeit
        found = np.zeros(values.shape[1])
        for chances, after in node.branches[action]:
            found += chances * (after.returns if isinstance(after, End) else values[after.index])
        return found

    def _worst(self, seat: int) -> float:
        values = np.zeros_like(self.values)
        for node in reversed(self.tree.nodes):
            actions = range(len(node.mask))
            worth = np.array([self._worth(node.index, action, values) for action in actions])
            if node.seat == seat:
                values[node.index] = worth[worth[:, seat].argmin()]
            else:
                values[node.index] = self.shares[node.index] @ worth
        return float(self._at_start(values)[seat])

    def _at_start(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        found = np.zeros(values.shape[1])
        for chances, node in self.tree.starts:
            found += chances * values[node.index]
        return found


class Measured:
    """Measures of the policy and values of one training."""

    def __init__(self, learned: Any, exact: Exact, seed: int) -> None:
        """Measure what `train` returned.

        Args:
            learned: a policy, or a tuple of a policy and a function of values. See
                `agents.check_learner`.
            exact: perfect play of the game.
            seed: seed of the policy's choices.

        Raises:
            ValueError: `learned` is neither, or it fails, or it returns invalid actions or values.
        """
        policy, values = learned if isinstance(learned, tuple) else (learned, None)
        tree = exact.tree
        self.shares = _shares(_player(policy, tree.game, seed), tree, seed)
        """Probabilities of the policy's actions, shape (P, num_actions)."""
        self.values = None if values is None else _values(values, tree)
        """Learned values of each position, shape (P,) or (P, num_players), or `None`."""
        seats = range(tree.game.num_players)
        mixed = [exact.with_seat(seat, self.shares) for seat in seats]
        got = np.array([exact.expected(mixed[seat])[seat] for seat in seats])
        range_ = exact.start - exact.worst
        scores = np.where(range_ > 1e-9, (got - exact.worst) / np.maximum(range_, 1e-9), 1)
        seat = int(scores.argmin())
        self.score = float(scores[seat])
        """From 0 for the worst play to 1 for perfect play, of the seat with the lowest score."""
        self.exact, self.learned = float(exact.start[seat]), float(got[seat])
        """Results of perfect play and of the policy in that seat, against perfect play."""
        plays = [exact.shares, self.shares, *mixed]
        self.reached = np.any([exact.reaches(play) > _SELDOM for play in plays], 0)
        """Positions that the policy or perfect play reaches."""
        error = self._value_errors(exact)
        self.value_error = float(error.max())
        """Largest error of a value where perfect play leads, 0 without values."""
        if self.score >= _LEAST_SCORE and not self.values_are_right:
            assert self.values is not None
            index, column = np.unravel_index(int(error.argmax()), error.shape)
            seat = int(column if self.values.ndim == 2 else tree.seats[index])
            self.exact = float(exact.values[index, seat])
            self.learned = float(self.values.reshape(len(error), -1)[index, column])
        illegal = np.where(tree.masks, 0, self.shares).sum(1)
        self.illegal = bool((illegal[self.reached] > _SELDOM).any())
        """Whether the policy chooses illegal actions."""

    @property
    def values_are_right(self) -> bool:
        return self.value_error <= NEAR

    @property
    def is_right(self) -> bool:
        """Whether the policy and the values are right."""
        return self.score >= _LEAST_SCORE and self.values_are_right

    @property
    def distance(self) -> float:
        """How far the policy and the values are from perfect play, 0 for equal ones."""
        return max(1 - self.score, self.value_error)

    def distance_to(self, model: Model, exact: Exact) -> float:
        """Return how far this is from what a model learns: up to `NEAR` is a match."""
        found = exact.solution(model)
        rows = np.flatnonzero(self.reached)
        chosen = np.where(exact.tree.masks, self.shares, 0).argmax(1)
        differs = ~found.best[rows, chosen[rows]]
        if self.values is None:
            return float(differs.any())
        own, theirs = found.values[rows, exact.tree.seats[rows]], self.own_values(exact)[rows]
        errors = np.abs(own - theirs) / np.maximum(1, np.abs(own))
        return float(max(errors.max(), differs.any()))

    def own_values(self, exact: Exact) -> npt.NDArray[np.float64]:
        """Return the learned values for the seat to move, shape (P,)."""
        assert self.values is not None
        if self.values.ndim == 1:
            return self.values
        found: npt.NDArray[np.float64] = self.values[np.arange(len(self.values)), exact.tree.seats]
        return found

    def _value_errors(self, exact: Exact) -> npt.NDArray[np.float64]:
        """Return the errors of the values where perfect play leads, shape (P, columns)."""
        if self.values is None:
            return np.zeros((len(exact.values), 1))
        right = exact.values
        if self.values.ndim == 1:
            right = right[np.arange(len(right)), exact.tree.seats]
        errors = np.abs(self.values - right).reshape(len(right), -1)
        return np.where(exact.reached[:, None], errors, 0)


class _Function(Agent):
    """An agent that chooses with a function of observations and masks."""

    def __init__(self, function: Any, game: Game, seed: int) -> None:
        super().__init__(game, seed, getattr(function, "__name__", "policy"))
        self._function = function

    def choose(self, states: States, _: Any) -> Any:
        return self._function(self.game.observe_to_move(states), self.game.legal(states))


def _player(policy: Any, game: Game, seed: int) -> Opponent:
    """Return the player for a spec, an object with `act`, or a function.

    Raises:
        ValueError: `policy` is none of these.
    """
    if isinstance(policy, str):
        return make(policy, game, seed)
    if callable(getattr(policy, "act", None)):
        player: Opponent = policy
        return player
    if callable(policy):
        return _Function(policy, game, seed)
    raise ValueError(
        f"train must return an agent, a function (observations, masks) -> actions, or a tuple of "
        f"one of these and a function of values, got {shown(policy)}"
    )


def _shares(player: Opponent, tree: Tree, seed: int) -> Shares:
    """Return the probabilities of a player's actions, shape (P, num_actions)."""
    copies = np.repeat(tree.states, _COPIES)
    streams = make_streams(seed_word(seed), len(copies))
    with blamed("the policy"):
        actions = ask(player, tree.game, copies, streams)
    rows = np.repeat(np.arange(len(tree.states)), _COPIES)
    shares = np.zeros(tree.masks.shape)
    np.add.at(shares, (rows, actions), 1 / _COPIES)
    return shares


def _values(function: Any, tree: Tree) -> npt.NDArray[np.float64]:
    """Return the values of a function for all positions, shape (P,) or (P, num_players).

    Raises:
        ValueError: the function fails, or does not return finite numbers of such a shape.
    """
    with blamed("values"):
        given = function(tree.game.observe_to_move(tree.states), tree.masks.copy())
        found = np.asarray(given, np.float64)
    shapes = (len(tree.states),), (len(tree.states), tree.game.num_players)
    if found.shape not in shapes:
        raise ValueError(
            f"values must have shape {shapes[0]} or {shapes[1]} for {len(tree.states)} "
            f"observations, got {found.shape}"
        )
    if not np.isfinite(found).all():
        raise ValueError(f"values must be finite, got {found[~np.isfinite(found)][0]}")
    return found
