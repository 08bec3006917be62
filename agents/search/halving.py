"""Sequential halving at the root of a tree, which improves a policy with few simulations.

Source: I. Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022. The actions
with the highest logits plus Gumbel noise share the simulations of a round equally. The better half
shares those of the next round, and so on. The improved policy adds the scaled values of the actions
to the network's logits. It is at least as good as the network's for any number of simulations.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from numba import njit

from boardenvs.kernels.kernel import cached_njit

__all__ = ["halving_schedule", "improve_policies", "next_edge"]

_FIRST = 50
"""Visits that are added in the weight of a result."""
_LEAST = np.float32(-1)
"""Lowest result; the worth of a proven loss in a tree is lower."""


def halving_schedule(considered: int, simulations: int) -> npt.NDArray[np.int32]:
    """Return the number of visits that the next action must have, for each simulation.

    Returns:
        Shape (considered + 1, simulations + 1); row `k` is for `k` considered actions.
    """
    rows = np.zeros((considered + 1, simulations + 1), np.int32)
    for k in range(1, considered + 1):
        rounds = max(1, math.ceil(math.log2(k)))
        order: list[int] = []
        left, visits = k, 0
        while len(order) <= simulations:
            for _ in range(max(1, simulations // (rounds * left))):
                order += [visits] * left
                visits += 1
            left = max(min(2, k), left // 2)
        rows[k] = order[: simulations + 1]
    return rows


@njit
def next_edge(nodes, edges, noise, schedule, value_scale):
    """Return the edge of the root to try next; -1 before the root has edges."""
    root = nodes[0]
    if root.num_edges == 0:
        return -1
    wanted = schedule[min(root.num_edges, len(schedule) - 1), max(root.visits - 1, 0)]
    weight = value_weight(nodes, edges, value_scale)
    best = -1
    highest = -np.inf
    for only_wanted in (True, False):  # all wanted edges may be proven losses
        for edge in range(root.first, root.first + root.num_edges):
            e = edges[edge]
            if e.worth < _LEAST or (only_wanted and e.visits != wanted):
                continue
            score = noise[e.action] + logit(e) + weight * e.worth
            if score > highest:
                highest = score
                best = edge
        if best >= 0:
            break
    return best


@njit
def value_weight(nodes, edges, value_scale):
    """Return the weight of a result in logits; it grows with the visits."""
    root = nodes[0]
    most = 0
    for edge in range(root.first, root.first + root.num_edges):
        most = max(most, edges[edge].visits)
    return (_FIRST + most) * value_scale


@njit
def logit(e):
    """Return the logit of an edge's prior, up to a constant."""
    return np.log(max(np.float64(e.prior), 1e-30))


@cached_njit("the tree search", nogil=True)
def improve_policies(nodes, edges, noise, value_scale, policies, actions):
    """Write the improved policy of every root, and the action that halving has left.

    Args:
        nodes: nodes of a forest, a row for each tree.
        edges: edges of the forest, a row for each tree.
        noise: noise of the search, shape (N, A).
        value_scale: value scale of the search.
        policies: zeros of shape (N, A), to be filled.
        actions: actions of shape (N,). An action is replaced if its root is not proven and an
            action that is not a proven loss was tried.
    """
    for i in range(len(nodes)):
        improve_policy(nodes[i], edges[i], noise[i], value_scale, policies[i])
        root = nodes[i, 0]
        if root.proven:
            continue
        weight = value_weight(nodes[i], edges[i], value_scale)
        most = -1
        highest = -np.inf
        for edge in range(root.first, root.first + root.num_edges):
            e = edges[i, edge]
            score = noise[i, e.action] + logit(e) + weight * e.worth
            tried = e.visits > 0 and e.worth >= _LEAST
            if tried and (e.visits, score) > (most, highest):
                most = e.visits
                highest = score
                actions[i] = e.action


@njit
def improve_policy(nodes, edges, noise, value_scale, policy):
    """Write the improved policy of a root to `policy`, which holds zeros."""
    root = nodes[0]
    unknown = unknown_worth(nodes, edges)
    weight = value_weight(nodes, edges, value_scale)
    highest = -np.inf
    for edge in range(root.first, root.first + root.num_edges):
        e = edges[edge]
        worth = max(e.worth, _LEAST) if e.visits > 0 else unknown
        highest = max(highest, logit(e) + weight * worth)
    total = 0.0
    for edge in range(root.first, root.first + root.num_edges):
        e = edges[edge]
        worth = max(e.worth, _LEAST) if e.visits > 0 else unknown
        share = np.exp(logit(e) + weight * worth - highest)
        policy[e.action] = share
        total += share
    for edge in range(root.first, root.first + root.num_edges):
        policy[edges[edge].action] /= total


@njit
def unknown_worth(nodes, edges):
    """Return the assumed worth of root actions without visits.

    It is a mean of the network's value, which these edges have, and the results of the others.
    """
    root = nodes[0]
    visits = 0
    share = 0.0
    results = 0.0
    value = np.float32(0)
    for edge in range(root.first, root.first + root.num_edges):
        e = edges[edge]
        if e.visits == 0:
            value = e.worth
        else:
            visits += e.visits
            share += e.prior
            results += e.prior * max(e.worth, _LEAST)
    if share == 0:
        return value
    return np.float32((value + visits * results / share) / (1 + visits))
