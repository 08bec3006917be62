"""Backup of results and proofs from a leaf to the root.

Each edge stores results from the view of its mover. With one or two players, a node is *proven* if
its value is certain, as in M. Winands, Y. Bjornsson, J. Saito, "Monte-Carlo Tree Search Solver",
CG 2008: a winning action proves its node, and the best action proves it if all actions are proven.
An action that uses the random stream proves nothing, nor does a game with hidden parts. A proven
loss stores its number of plies, so that the search can delay the loss.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from agents.search.tree import AWAITED, DEPTH
from boardenvs.kernels.binding import over_rules

__all__ = [
    "LOST",
    "back_up",
    "expect",
    "give_up",
    "mark_proven",
    "prove_loss",
    "prove_win",
    "settle",
    "take_proven",
]

LOST = np.float32(-1e30)
"""Worth of an edge that is a proven loss: lower than any result."""


@over_rules()
def back_up(tree, leaf, guided):
    """Add the result to the leaf, and to every node and edge of the path."""
    for k in range(len(tree.result)):
        tree.sums[k] += tree.result[k]
    tree.nodes[leaf].visits += 1
    for k in range(tree.used[DEPTH]):
        n = tree.nodes[tree.path[k].node]
        e = tree.edges[tree.path[k].edge]
        n.visits += 1
        e.visits += 1
        e.total += tree.result[n.mover]
        if not e.proven:
            e.worth = mean(e)
        e.width = weigh(e, guided)


@over_rules()
def expect(tree, leaf):
    """Count a visit that waits for its result, for the leaf and every node and edge above it.

    The visit changes the exploration, but not the mean result: A. Liu et al., "Watch the
    unobserved: a simple approach to parallelizing Monte Carlo tree search", ICLR 2020.
    """
    n = tree.nodes[leaf]
    n.num_edges = AWAITED
    n.visits += 1
    while n.parent >= 0:
        e = tree.edges[n.edge]
        n = tree.nodes[n.parent]
        n.visits += 1
        e.visits += 1
        e.under_way += 1
        e.width = weigh(e, True)


@over_rules()
def give_up(tree, leaf):
    """Take back a visit that `expect` counted for a leaf that was already waiting."""
    n = tree.nodes[leaf]
    n.visits -= 1
    while n.parent >= 0:
        e = tree.edges[n.edge]
        n = tree.nodes[n.parent]
        n.visits -= 1
        e.visits -= 1
        e.under_way -= 1
        e.width = weigh(e, True)


@over_rules()
def settle(tree, leaf):
    """Add the result of a visit that `expect` counted to every node and edge above the leaf."""
    for k in range(len(tree.result)):
        tree.sums[k] += tree.result[k]
    n = tree.nodes[leaf]
    while n.parent >= 0:
        e = tree.edges[n.edge]
        n = tree.nodes[n.parent]
        e.under_way -= 1
        e.total += tree.result[n.mover]
        if not e.proven:
            e.worth = mean(e)


@over_rules()
def mean(e):
    """Return the mean result of an edge that has results."""
    return e.total / np.float32(e.visits - e.under_way)


@over_rules()
def weigh(e, guided):
    """Return the width of an edge's confidence bound, of PUCT if `guided`, else of UCT.

    PUCT is from D. Silver et al., "Mastering the game of Go without human knowledge", Nature 550
    (2017).
    """
    visits = np.float32(e.visits)
    return e.prior / (np.float32(1) + visits) if guided else np.float32(1) / np.sqrt(visits)


@over_rules()
def take_proven(tree, leaf):
    """Set the result of the simulation to the value of the proven node where it ends."""
    n = tree.nodes[leaf]
    tree.result[n.mover] = n.best
    if len(tree.result) == 2:
        tree.result[1 - n.mover] = -n.best


@over_rules()
def mark_proven(tree, leaf):
    """Pass a proof up: a proven node proves its edge, which may prove the node above."""
    n = tree.nodes[leaf]
    for k in range(tree.used[DEPTH] - 1, -1, -1):
        e = tree.edges[tree.path[k].edge]
        if not n.proven or n.drawn or e.proven:
            return
        above = tree.nodes[tree.path[k].node]
        value = n.best if n.mover == above.mover else -n.best
        # For a single player a result of 0 is a loss.
        lost = value < 0 or (value == 0 and len(tree.result) == 1)
        e.proven = True
        e.plies = n.plies + 1
        e.worth = LOST if lost else value
        above.num_proven += 1
        above.best = max(above.best, value)
        above.proven = value >= 1 or above.num_proven == above.num_edges
        above.plies = e.plies if value >= 1 else max(above.plies, e.plies)
        n = above


@over_rules()
def prove_win(n, plies):
    """Mark a node whose mover wins within `plies` plies."""
    n.proven = True
    n.best = 1
    n.plies = plies


@over_rules()
def prove_loss(n, plies):
    """Mark a node whose mover loses within `plies` plies."""
    n.proven = True
    n.best = -1
    n.plies = plies
