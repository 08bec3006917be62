"""The tree of a Monte Carlo search over any game: its layout, and how nodes are added.

The tree supports any number of players, chance and hidden information. It consists of two arrays. A
node is a position as the seat to move sees it. Its edges, one for each legal action, are
contiguous, with the tried edges first. Positions are not stored: every simulation plays its own
copy of the root down the tree, with hidden parts and the random stream resampled. If chance or
hidden parts lead an action to several nodes, the nodes form a list and differ in what the next seat
observes.

`agents.search.descent` goes down the tree, `agents.search.backup` goes up. `agents.search.rollouts`
plays leaves out, `agents.search.puct_loops` has them evaluated by a policy.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import register_jitable

from boardenvs.core.chance import mixed, stepped
from boardenvs.core.hooks import observe_row
from boardenvs.core.outcome import is_over
from boardenvs.kernels.binding import over_rules
from boardenvs.kernels.intrinsics import uncounted

__all__ = [
    "AWAITED",
    "DEPTH",
    "EDGE",
    "NODE",
    "NUM_AWAITED",
    "NUM_EDGES",
    "NUM_NODES",
    "OPTIONS",
    "Options",
    "Tree",
    "empty_forest",
    "empty_tree",
    "expand",
    "follow",
    "plant",
    "tree_of",
    "uncounted_tree",
]

MOST_EDGES = 2**23
"""Maximum number of edges of one tree: 256 MB. A full tree no longer grows."""
AWAITED = -1
"""Value of `num_edges` of a leaf that waits for its evaluation."""
NUM_NODES, NUM_EDGES, DEPTH, NUM_AWAITED = range(4)
"""Entries of `Tree.used`."""
UNKNOWN = np.float32(-2)
"""Value of `best` of a node without a proven edge."""
_RESULT = 1 << 40
"""Start of the numbers of results in a hash, beyond those of observations."""

_NODE = np.dtype(
    [
        ("key", np.uint64),  # hash of the mover's observation, if the edge may have several nodes
        ("first", np.int32),  # number of the first edge
        ("num_edges", np.int32),  # 0 for a leaf, `AWAITED` while it is being evaluated
        ("tried", np.int32),  # number of tried edges, which are the first ones
        ("visits", np.int32),
        ("num_proven", np.int32),  # number of proven edges
        ("sibling", np.int32),  # the next node of the same edge, -1 for none
        ("best", np.float32),  # highest value of the proven edges, for the mover
        ("plies", np.int32),  # maximum number of plies to the end along proven edges
        ("parent", np.int32),  # parent node, -1 for the root
        ("edge", np.int32),  # edge of the parent that leads here
        ("mover", np.int8),
        ("proven", np.bool_),
        ("quiet", np.bool_),  # whether no action was decisive, see `agents.search.decisive`
        ("drawn", np.bool_),  # whether chance or hidden parts led here
    ],
    align=True,
)
_EDGE = np.dtype(
    [
        ("action", np.int32),
        ("child", np.int32),  # its first node, -1 for none
        ("visits", np.int32),
        ("total", np.float32),  # sum of the results, for the mover
        ("worth", np.float32),  # mean result, or the value if proven; `backup.LOST` for a loss
        ("width", np.float32),  # width of the confidence bound, see `backup.weigh`
        ("prior", np.float32),  # probability by the policy that guides the search
        ("plies", np.int16),  # maximum number of plies to the end, if proven
        ("proven", np.bool_),
        ("under_way", np.int8),  # number of visits that wait for their result
    ],
    align=True,
)
_STEP = np.dtype([("node", np.int32), ("edge", np.int32)])
_OPTIONS = np.dtype(
    [
        ("simulations", np.int64),
        ("rollout_depth", np.int64),  # maximum plies of a rollout
        ("observation_size", np.int64),
        ("hidden", np.bool_),  # whether the game has hidden information
        ("guided", np.bool_),  # whether leaves are evaluated instead of played out
        ("decisive", np.bool_),  # whether to look for decisive moves: in rollouts, or at leaves
        ("forced", np.int64),  # limit of the search for a forced win at each leaf
        ("forced_at_root", np.int64),
        ("policy_temperature", np.float32),  # divides the logits of an evaluated leaf
        ("value_scale", np.float32),  # weight of the results in sequential halving
        # The maximum number of leaves of one tree that wait, and their conditions; see
        # `agents.search.puct`.
        ("most_awaited", np.int64),
        ("visits_each", np.int64),
        ("lead", np.int64),
        ("tries", np.int64),  # maximum simulations of one tree in a turn
        ("strays", np.int64),  # maximum simulations of a turn that end at waiting leaves
    ],
    align=True,
)
NODE = np.dtype((np.record, _NODE))
EDGE = np.dtype((np.record, _EDGE))
STEP = np.dtype((np.record, _STEP))
OPTIONS = np.dtype((np.record, _OPTIONS))

Options = npt.NDArray[np.void]
"""Options of the loops, shape (1,), of dtype `OPTIONS`."""


class Tree(NamedTuple):
    """One tree, and the path of the current simulation."""

    nodes: npt.NDArray[np.void]
    edges: npt.NDArray[np.void]
    path: npt.NDArray[np.void]
    """The node and the edge of each ply of the simulation in the tree."""
    used: npt.NDArray[np.int64]
    """Numbers of nodes, edges, steps in `path` and waiting leaves: int64 of shape (4,), indexed by
    `NUM_NODES`, `NUM_EDGES`, `DEPTH` and `NUM_AWAITED`."""
    result: npt.NDArray[np.float32]
    """Result of the simulation for each seat."""
    sums: npt.NDArray[np.float64]
    """Sum of all results for each seat."""
    mask: npt.NDArray[np.bool_]
    seen: npt.NDArray[np.int8]


@register_jitable
def empty_tree(simulations, actions, size, players):
    """Return arrays for a tree."""
    return Tree(
        np.empty(simulations + 2, NODE),
        np.empty(min((simulations + 1) * actions, MOST_EDGES), EDGE),
        np.empty(simulations + 2, STEP),
        np.zeros(4, np.int64),
        np.zeros(players, np.float32),
        np.zeros(players, np.float64),
        np.zeros(actions, np.bool_),
        np.zeros(size, np.int8),
    )


def simulations_within_memory(num_bytes: int, actions: int) -> int:
    """Return the number of simulations of a tree of about `num_bytes` that expands every leaf."""
    return max(1, num_bytes // (NODE.itemsize + STEP.itemsize + actions * EDGE.itemsize))


def empty_forest(num, simulations, actions, size, players):
    """Return arrays for `num` trees, with a row for each tree."""
    tree = empty_tree(simulations, actions, size, players)
    return Tree(*(np.zeros((num, *array.shape), array.dtype) for array in tree))


@over_rules()
def tree_of(forest, i):
    """Return tree `i` of a forest as `uncounted_tree`."""
    return uncounted_tree(
        Tree(
            forest.nodes[i],
            forest.edges[i],
            forest.path[i],
            forest.used[i],
            forest.result[i],
            forest.sums[i],
            forest.mask[i],
            forest.seen[i],
        )
    )


@over_rules()
def uncounted_tree(tree):
    """Return the same tree as views of `boardenvs.kernels.intrinsics.uncounted`."""
    return Tree(
        uncounted(tree.nodes),
        uncounted(tree.edges),
        uncounted(tree.path),
        uncounted(tree.used),
        uncounted(tree.result),
        uncounted(tree.sums),
        uncounted(tree.mask),
        uncounted(tree.seen),
    )


@over_rules()
def plant(tree, s):
    """Reset the tree to its root, position `s`."""
    tree.used[NUM_NODES] = 0
    tree.used[NUM_EDGES] = 0
    for k in range(len(tree.sums)):
        tree.sums[k] = 0
    new_node(tree, s, np.uint64(0), False, False)


@over_rules()
def new_node(tree, s, key, hidden, drawn):
    """Add a leaf for position `s`, and return its number."""
    node = tree.used[NUM_NODES]
    tree.used[NUM_NODES] = node + 1
    n = tree.nodes[node]
    n.key = key
    n.first = 0
    n.num_edges = 0
    n.tried = 0
    n.visits = 0
    n.num_proven = 0
    n.sibling = -1
    n.plies = 0
    n.parent = -1
    n.edge = -1
    n.mover = s.to_move
    n.quiet = False
    n.drawn = drawn
    n.proven = is_over(s) and len(s.returns) <= 2 and not hidden
    n.best = s.returns[s.to_move] if n.proven else UNKNOWN
    return node


@over_rules()
def expand(tree, node):
    """Add an edge to a leaf for each action of `tree.mask`; return False if there is no room."""
    first = tree.used[NUM_EDGES]
    if first + len(tree.mask) > len(tree.edges):
        return False
    edge = first
    for action in range(len(tree.mask)):
        if tree.mask[action]:
            e = tree.edges[edge]
            e.action = action
            e.child = -1
            e.visits = 0
            e.total = 0
            e.worth = 0
            e.width = 0
            e.prior = 0
            e.plies = 0
            e.proven = False
            e.under_way = 0
            edge += 1
    tree.nodes[node].first = first
    tree.nodes[node].num_edges = edge - first
    tree.used[NUM_EDGES] = edge
    return True


@over_rules()
def follow(tree, parent, edge, s, p, hidden, drew):
    """Return the node for position `s` at the end of an edge of `parent`; add it if it is new."""
    drawn = hidden or drew
    key = key_of(s, p, tree.seen) if drawn else np.uint64(0)
    nodes = tree.nodes
    first = tree.edges[edge].child
    node = first
    while node >= 0 and nodes[node].key != key:
        node = nodes[node].sibling
    if node < 0:
        node = new_node(tree, s, key, hidden, drawn)
        nodes[node].sibling = first
        nodes[node].parent = parent
        nodes[node].edge = edge
        tree.edges[edge].child = node
    return node


@over_rules()
def key_of(s, p, seen):
    """Return a Zobrist hash of the observation of the seat to move, and of the result at the end.

    Finished games with other results may look the same.
    """
    observe_row(s, p, s.to_move, seen)
    key = mixed(np.uint64(s.to_move))
    for k in range(len(seen)):
        if seen[k] != 0:
            key ^= mixed(stepped(np.uint64(128 * k + np.int64(seen[k]))))
    if is_over(s):
        for k in range(len(s.returns)):
            result = _RESULT + 4096 * k + np.int64(64 * s.returns[k])
            key ^= mixed(stepped(np.uint64(result)))
    return key
