"""What a search has found: visits, values, and the action to play."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from agents.search.backup import LOST, take_proven
from boardenvs.compiling import over_rules

__all__ = ["credit", "report"]


@over_rules()
def report(tree, i, visits, values, proven, actions):
    """What the search of state `i` has found."""
    root = tree.nodes[0]
    for a in range(visits.shape[1]):
        visits[i, a] = 0
    chosen = root.first
    for edge in range(root.first, root.first + root.num_edges):
        visits[i, tree.edges[edge].action] = tree.edges[edge].visits
        if better(root, tree.edges[edge], tree.edges[chosen]):
            chosen = edge
    actions[i] = tree.edges[chosen].action
    proven[i] = root.proven
    if root.proven:
        tree.result[:] = 0
        take_proven(tree, 0)
    for k in range(values.shape[1]):
        values[i, k] = tree.result[k] if root.proven else tree.sums[k] / root.visits


@over_rules()
def better(root, edge, than):
    """Whether to play an edge of the root rather than another.

    A proven win first; then what was visited and is no proven loss, the more often the better;
    then the proven loss that takes longest; then what was never visited, and is no worse than what
    comes last: a loss with the next ply.
    """
    won = root.proven and root.best >= 1
    if won and (edge.worth >= 1 and edge.proven) != (than.worth >= 1 and than.proven):
        return edge.worth >= 1 and edge.proven
    if hope(edge) != hope(than):
        return hope(edge) > hope(than)
    if edge.worth == LOST and edge.plies != than.plies:
        return edge.plies > than.plies
    if edge.visits == 0 and than.visits == 0:
        return edge.prior > than.prior
    return edge.visits > than.visits


@over_rules()
def hope(edge):
    """How much there is left to hope for, from 0 for an edge that loses with the next ply."""
    if edge.worth == LOST:
        return 2 if edge.plies > 2 else 0
    return 3 if edge.visits > 0 else 1


@over_rules()
def credit(visits, i, action, simulations):
    """Simulations saved because the root was proven count as visits of the action to play."""
    left = np.int64(simulations)
    for a in range(visits.shape[1]):
        left -= visits[i, a]
    visits[i, action] += left
