"""Mistakes of learners, each with the values and actions to which it leads.

A mistake changes backward induction in the way in which it changes learning. So its wrong values
are computed for every position of a probe, and compared with the values that a learner has learned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from agents.checking.tree import End, Node, Tree

__all__ = ["EXACT", "MISTAKES", "UNMASKED", "Model", "Solution", "solve"]

Values = npt.NDArray[np.float64]

_SWEEPS = 60
"""Rounds of the induction if the value of the next game's start comes into this game."""


@dataclass(frozen=True)
class Model:
    """A way to learn: the right one by default."""

    end: Callable[[End, int, bool, Values], Values | None] = lambda end, *_: end.returns
    """Values of an end, from the end, the seat that moved, whether this was its first move in the
    game, and the values of the next game's start. `None` if nothing is stored."""
    signs: Literal["seats", "plies", "none", "two seats"] = "seats"
    """Rule for the sign of the next position's value."""
    maximum: Literal["legal", "all", "previous"] = "legal"
    """Actions over which a target takes its maximum: `previous` has the mask of the seat before."""
    chance: Literal["mean", "best"] = "mean"
    """Value of a random draw: its mean or its best outcome."""
    discount: float = 1.0
    """Discount of a ply."""
    hidden_only: bool = False
    """Whether the mistake needs hidden information."""
    needs_next_game: bool = False
    """Whether `end` uses the next game's start."""


@dataclass(frozen=True)
class Solution:
    """Values and actions that a model learns."""

    values: Values
    """Value of each position for each seat, shape (P, num_players)."""
    best: npt.NDArray[np.bool_]
    """Actions that the model may choose, shape (P, num_actions)."""


def _only_mover(end: End, seat: int, *_: object) -> Values:
    found = np.zeros(len(end.returns))
    found[seat] = end.returns[seat]
    return found


def _next_game(end: End, seat: int, _: bool, start: Values) -> Values:
    found = start.copy()
    found[seat] = end.returns[seat]
    return found


EXACT = Model()
UNMASKED = "the mask is not used when acting"
"""The cause of illegal actions."""
MISTAKES: Mapping[str, tuple[Model, ...]] = {
    "the loser's transition ends before the opponent's reply": (Model(end=_only_mover),),
    "the value of another seat is taken for one's own": (Model(signs="none"),),
    "the sign of a value follows the plies, not the seats": (Model(signs="plies"),),
    "every rival's loss is taken for one's own win": (Model(signs="two seats"),),
    "the target's maximum is over illegal actions": (Model(maximum="all"),),
    "the target's maximum is over the mask of another seat": (Model(maximum="previous"),),
    "the final reward is added twice": (
        Model(end=lambda end, *_: end.returns * (1.0 + (np.arange(len(end.returns)) > 0))),
        Model(end=lambda end, *_: 2 * end.returns),
        Model(end=lambda end, seat, *_: 2 * end.returns - _only_mover(end, seat)),
    ),
    "hidden information is used": (Model(chance="best", hidden_only=True),),
    "a draw is worth its best outcome": (Model(chance="best"),),
    "a transition goes on into the next game": (Model(end=_next_game, needs_next_game=True),),
    "a truncated game takes the value of the next one": (
        Model(
            end=lambda end, _seat, _first, start: start if end.truncated else end.returns,
            needs_next_game=True,
        ),
    ),
    "a truncated game counts as a loss": (
        Model(end=lambda end, *_: end.returns - 1.0 if end.truncated else end.returns),
    ),
    "the first and only transition of a seat is dropped": (
        Model(end=lambda end, _seat, first, _start: None if first else end.returns),
    ),
    "values are discounted too much": tuple(
        Model(discount=discount) for discount in (0.99, 0.97, 0.95, 0.9, 0.8)
    ),
    "rewards are normalised": (
        Model(end=lambda end, *_: end.returns * end.ply**0.5),
        Model(end=lambda end, *_: end.returns * ((end.ply + 1) // 2) ** 0.5),
    ),
}
"""The models of each mistake, the most frequent mistakes first."""


@dataclass
class _Learned:
    """Values that a model learns about one position."""

    node: Node
    worth: Values
    """Values of each action for each seat, shape (num_actions, num_players)."""
    shown: Values
    """Values of the best legal action, shape (num_players,)."""
    used: Values
    """Values that the target of the move before uses, shape (num_players,)."""


@dataclass
class _Induction:
    tree: Tree
    model: Model
    start: Values
    known: dict[tuple[int, bytes, frozenset[int]], _Learned] = field(default_factory=dict)

    def learned(self, node: Node, previous: Node | None, moved: frozenset[int]) -> _Learned:
        """Return what is learned about a position.

        Args:
            node: the position.
            previous: the position before it.
            moved: seats that have moved before.
        """
        mask = node.mask if previous is None else previous.mask
        key = node.index, mask.tobytes(), moved
        if key not in self.known:
            worth = np.zeros((len(mask), self.tree.game.num_players))
            for action, outcomes in node.branches.items():
                worth[action] = self._worth(node, outcomes, moved)
            own = worth[:, node.seat]
            shown = worth[_first_best(own, node.mask)]
            maximum = {"legal": node.mask, "all": np.ones_like(mask), "previous": mask}
            used = worth[_first_best(own, maximum[self.model.maximum])]
            self.known[key] = _Learned(node, worth, shown, used)
        return self.known[key]

    def _worth(
        self, node: Node, outcomes: list[tuple[float, Node | End]], moved: frozenset[int]
    ) -> Values:
        """Return the value of an action for each seat."""
        weights, found = [], []
        for chances, after in outcomes:
            if isinstance(after, End):
                first = node.seat not in moved
                values = self.model.end(after, node.seat, first, self.start)
            else:
                later = self.learned(after, node, moved | {node.seat})
                values = self.model.discount * self._signed(later.used, node.seat, after.seat)
            if values is not None:
                weights.append(chances)
                found.append(values)
        if not found:
            return np.zeros(self.tree.game.num_players)
        if self.model.chance == "best":
            return max(found, key=lambda values: float(values[node.seat]))
        return np.average(found, 0, weights)

    def _signed(self, later: Values, seat: int, next_seat: int) -> Values:
        """Return the values of a later position as the seat that moves before it takes them."""
        signs = self.model.signs
        if signs == "seats" or (signs == "two seats" and len(later) == 2):
            return later
        keeps = signs == "none" or (signs == "two seats" and seat == next_seat)
        own = later[next_seat] if keeps else -later[next_seat]
        values = np.full(len(later), -own / (len(later) - 1))
        values[seat] = own
        return values


def _first_best(own: Values, mask: npt.NDArray[np.bool_]) -> int:
    return int(np.where(mask, own, -np.inf).argmax())


def solve(tree: Tree, model: Model = EXACT) -> Solution:
    """Return what a model learns about every position of a game.

    Positions have the values and actions of their first occurrence.
    """
    start = np.zeros(tree.game.num_players)
    induction = _Induction(tree, model, start)
    for _ in range(_SWEEPS if model.needs_next_game else 1):
        induction = _Induction(tree, model, start)
        found = [induction.learned(node, None, frozenset()).used for _, node in tree.starts]
        start = np.average(found, 0, [chances for chances, _ in tree.starts])
    values = np.zeros((len(tree.nodes), tree.game.num_players))
    best = np.zeros(tree.masks.shape, np.bool_)
    for learned in reversed(induction.known.values()):
        node = learned.node
        values[node.index] = learned.shown
        own = np.where(node.mask, learned.worth[:, node.seat], -np.inf)
        best[node.index] = own > own.max() - 1e-6
    return Solution(values, best)
