"""Results of a search: visits, values, and the action to play."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from agents.search.backup import LOST, take_proven
from boardenvs.kernels.binding import over_rules

__all__ = ["add_root", "credit", "report_root", "write_outputs"]


@over_rules()
def write_outputs(tree, i, visits, values, proven, actions):
    """Write the result of the search of state `i` to row `i` of the arrays."""
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
def report_root(tree, visits, values, proven, actions):
    """Write the result of the search of a single state."""
    write_outputs(tree, 0, visits, values, proven, actions)


@over_rules()
def add_root(tree, other):
    """Add the results at the root of another tree of the same state."""
    root = tree.nodes[0]
    theirs = other.nodes[0]
    for k in range(len(tree.sums)):
        tree.sums[k] += other.sums[k]
    root.visits += theirs.visits
    for edge in range(root.first, root.first + root.num_edges):
        e = tree.edges[edge]
        o = e
        for their_edge in range(theirs.first, theirs.first + theirs.num_edges):
            if other.edges[their_edge].action == e.action:
                o = other.edges[their_edge]
                e.visits += o.visits
                e.total += o.total
        if o.proven and not e.proven:
            e.proven = True
            e.worth = o.worth
            e.plies = o.plies
            root.num_proven += 1
        elif e.visits > 0 and not e.proven:
            e.worth = e.total / np.float32(e.visits)
    root.best = max(root.best, theirs.best)
    # Each tree may have proven a part of the edges.
    whole = root.num_edges > 0 and root.num_proven == root.num_edges
    root.proven = root.proven or theirs.proven or whole


@over_rules()
def better(root, edge, than):
    """Return whether to play an edge of the root rather than another.

    The order is: a proven win, the most visited edge that is not a proven loss, the longest proven
    loss, an edge without visits, a loss with the next ply.
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
    """Return the rank of an edge, from 3 if it has visits to 0 if it loses with the next ply."""
    if edge.worth == LOST:
        return 2 if edge.plies > 2 else 0
    return 3 if edge.visits > 0 else 1


@over_rules()
def credit(visits, i, action, simulations):
    """Add the simulations that a proven root saved to the visits of the action to play."""
    left = np.int64(simulations)
    for a in range(visits.shape[1]):
        left -= visits[i, a]
    visits[i, action] += left
