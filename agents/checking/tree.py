"""The tree of a small game: all its positions, and what each action leads to."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from boardenvs.explicit_chance import Ways, chance_class
from boardenvs.game import Game, States

__all__ = ["End", "Node", "Tree"]


@dataclass(frozen=True)
class End:
    """The end of a game."""

    returns: npt.NDArray[np.float64]
    """Result of each seat, shape (num_players,)."""
    ply: int
    """Number of plies of the game."""
    truncated: bool
    """Whether the limit of plies ended the game."""


@dataclass(eq=False)
class Node:
    """A position that is not over."""

    index: int
    """Index in `Tree.nodes`."""
    seat: int
    """Seat to move."""
    mask: npt.NDArray[np.bool_]
    """Legal actions, shape (num_actions,)."""
    branches: dict[int, list[tuple[float, Node | End]]] = field(default_factory=dict)
    """Outcomes of each legal action, with their probabilities."""


class Tree:
    """All positions of a small game with at least two players, without hidden information.

    The game's explicit chance (see `boardenvs.explicit_chance`) gives the outcomes of its draws.
    """

    def __init__(self, game: Game) -> None:
        """List the positions of a game; the time grows with their number."""
        self.game = game
        self.nodes: list[Node] = []
        self._records: list[States] = []
        self._known: dict[bytes, Node] = {}
        chance = chance_class(game)(game)
        self.starts = [(chances, self._node(states)) for chances, states in _outcomes(chance.deal)]
        """First positions, with their probabilities."""
        for node in self.nodes:  # the list grows
            for action in np.flatnonzero(node.mask).tolist():
                after = functools.partial(chance.play, self._records[node.index], action)
                node.branches[action] = [
                    (chances, self._after(states)) for chances, states in _outcomes(after)
                ]
        self.states = np.concatenate(self._records)
        """Record of each node, shape (P,)."""
        self.seats = np.array([node.seat for node in self.nodes])
        """Seat to move at each node, shape (P,)."""
        self.masks = np.array([node.mask for node in self.nodes])
        """Legal actions at each node, bool of shape (P, num_actions)."""

    def _after(self, states: States) -> Node | End:
        if not self.game.over(states)[0]:
            return self._node(states)
        returns = states["returns"][0].astype(np.float64)
        return End(returns, int(states["ply"][0]), bool(states["truncated"][0]))

    def _node(self, states: States) -> Node:
        states = states.copy()
        states["rng"] = 0
        states["last_action"] = np.minimum(states["last_action"], 0)  # not a part of the position
        key = states.tobytes()
        if key not in self._known:
            mask = self.game.legal(states)[0]
            node = Node(len(self.nodes), int(states["to_move"][0]), mask)
            self._known[key] = node
            self.nodes.append(node)
            self._records.append(states)
        return self._known[key]


def _outcomes(
    after: Callable[[tuple[int, ...]], tuple[States, Ways]],
    drawn: tuple[int, ...] = (),
    chances: float = 1.0,
) -> Iterator[tuple[float, States]]:
    """Yield the positions after all draws, with their probabilities."""
    states, ways = after(drawn)
    if not ways:
        yield chances, states
    for way in ways:
        yield from _outcomes(after, (*drawn, way), chances / len(ways))
