"""Descent of a simulation from the root to a leaf."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from agents.search.backup import prove_loss
from agents.search.decisive import decisive_action, forced_win
from agents.search.tree import DEPTH, expand, follow
from boardenvs.core.chance import below, mixed, stepped
from boardenvs.core.hooks import legal, play
from boardenvs.core.outcome import is_over
from boardenvs.kernels.binding import over_rules

__all__ = ["descend"]


@over_rules()
def descend(tree, s, p, options, scales, stream, start):
    """Play from the root to a leaf; return the leaf, the stream, and `before` for the leaf.

    `before` is for `decisive_action`: -1 below a quiet node, else -2. `start` is the root's edge to
    take. If it is -1, the confidence bound decides, as at all other nodes, and the root tries a
    forced win or a decisive action first. A leaf gets its edges when a simulation reaches it a
    second time, or in a guided search when it is evaluated.
    """
    nodes = tree.nodes
    node = 0
    depth = 0
    before = -2
    won_in = 0  # plies
    while not nodes[node].proven and not is_over(s):
        if nodes[node].num_edges <= 0:
            if options.guided or (nodes[node].visits == 0 and depth > 0):
                break
            legal(s, p, tree.mask)
            if not expand(tree, node):
                break
            if depth == 0 and options.decisive:
                action, won_in = forced_win(s, p, options.forced_at_root)
                start = try_first(tree, action if won_in > 0 else decisive_action(s, p, -2))
        stream = stepped(stream)
        edge = start if depth == 0 and start >= 0 else select(tree, node, scales, mixed(stream))
        tree.path[depth].node = node
        tree.path[depth].edge = edge
        depth += 1
        state_stream = s.rng
        before = -1 if nodes[node].quiet else -2
        play(s, p, tree.edges[edge].action)
        node = follow(tree, node, edge, s, p, options.hidden, s.rng != state_stream)
        if won_in > 0:
            prove_loss(nodes[node], won_in - 1)
    tree.used[DEPTH] = depth
    return node, stream, before


@over_rules()
def try_first(tree, action):
    """Make the edge of an action the root's first and return it; return -1 if the action is -1."""
    n = tree.nodes[0]
    n.quiet = action < 0
    for edge in range(n.first, n.first + n.num_edges):
        if tree.edges[edge].action == action:
            tree.edges[edge].action = tree.edges[n.first].action
            tree.edges[n.first].action = action
            n.tried = 1
            return np.int64(n.first)
    return np.int64(-1)


@over_rules()
def select(tree, node, scales, bits):
    """Return a random untried edge, else the edge with the highest confidence bound."""
    edges = tree.edges
    n = tree.nodes[node]
    first = n.first
    tried = n.tried
    if tried < n.num_edges:
        edge = first + tried
        other = edge + below(bits, n.num_edges - tried)
        action = edges[edge].action
        edges[edge].action = edges[other].action
        edges[other].action = action
        n.tried = tried + 1
        return edge
    scale = scales[n.visits]
    best = first
    most = edges[first].worth + scale * edges[first].width
    for edge in range(first + 1, first + tried):
        bound = edges[edge].worth + scale * edges[edge].width
        if bound > most:
            most = bound
            best = edge
    return best
