"""The tree of a Monte Carlo search over any game: its layout, and how nodes come into it.

For any number of players, with chance and hidden parts. A tree is two arrays. A node is a
position as the seat to move there sees it; its edges, one for each legal action, stand side by
side, those tried so far first. No position is kept: every simulation plays its own copy of the
root, with the hidden parts and the stream drawn afresh, down the tree. Where an action leads to
several nodes, because chance or something hidden decides, these form a list, told apart by what
the next seat sees.

The way down is `agents.search.descent`, the way up `agents.search.backup`; leaves are played out
by `agents.search.rollouts`, or evaluated by a policy for `agents.search.puct_loops`.
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
"""The largest number of edges of one tree: 256 MB. A full tree does not grow any more."""
AWAITED = -1
"""Value of `num_edges` of a leaf that waits for its evaluation."""
NUM_NODES, NUM_EDGES, DEPTH, NUM_AWAITED = range(4)
"""Entries of `Tree.used`."""
UNKNOWN = np.float32(-2)
"""The best proven value of a node without a proven edge."""

_NODE = np.dtype(
    [
        ("key", np.uint64),  # of what the seat to move sees, if its edge leads to several nodes
        ("first", np.int32),  # edge
        ("num_edges", np.int32),  # 0 for a leaf, `AWAITED` while it is being evaluated
        ("tried", np.int32),  # edges, the first so many
        ("visits", np.int32),
        ("num_proven", np.int32),  # edges
        ("sibling", np.int32),  # the next node of the same edge, -1 for none
        ("best", np.float32),  # of the proven edges' values, for the mover
        ("plies", np.int32),  # to the end, along proven edges: what is proven lasts no longer
        ("parent", np.int32),  # node, -1 for the root
        ("edge", np.int32),  # of it, that leads here
        ("mover", np.int8),
        ("proven", np.bool_),
        ("quiet", np.bool_),  # whether nothing was decisive there, see `agents.search.decisive`
        ("drawn", np.bool_),  # whether chance or something hidden led here
    ],
    align=True,
)
_EDGE = np.dtype(
    [
        ("action", np.int32),
        ("child", np.int32),  # its first node, -1 for none
        ("visits", np.int32),
        ("total", np.float32),  # of the results, for the mover
        ("worth", np.float32),  # mean result, or the value if proven; `backup.LOST` for a loss
        ("width", np.float32),  # what exploration is worth here, see `backup.weigh`
        ("prior", np.float32),  # of the policy that guides the search
        ("plies", np.int16),  # as a node's, if proven
        ("proven", np.bool_),
        ("under_way", np.int8),  # of the visits, those whose result is yet to come
    ],
    align=True,
)
_STEP = np.dtype([("node", np.int32), ("edge", np.int32)])
_OPTIONS = np.dtype(
    [
        ("simulations", np.int64),
        ("rollout_depth", np.int64),  # plies
        ("observation_size", np.int64),
        ("hidden", np.bool_),  # whether the game hides anything
        ("guided", np.bool_),  # whether leaves are evaluated instead of played out
        ("decisive", np.bool_),  # whether to look for decisive moves: in playouts, or at leaves
        ("forced", np.int64),  # how much to search for a forced win at each leaf
        ("forced_at_root", np.int64),
        ("value_scale", np.float32),  # what results weigh where the root is halved
        (
            "most_awaited",
            np.int64,
        ),  # leaves of one tree that wait, see `agents.search.puct`
        ("visits_each", np.int64),  # that a tree has had for each of them
        ("lead", np.int64),  # of them in one slot, more than in the other
        ("tries", np.int64),  # simulations of one tree in a turn
        ("strays", np.int64),  # simulations in a tree's turn that come to leaves awaited already
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
    """One tree, and the path of the present simulation through it."""

    nodes: npt.NDArray[np.void]
    edges: npt.NDArray[np.void]
    path: npt.NDArray[np.void]
    """The node and the edge of each ply of the simulation in the tree."""
    used: npt.NDArray[np.int64]
    """Numbers of nodes and edges in use, of steps in `path`, and of leaves that wait: int64 of
    shape (4,), indexed by `NUM_NODES` and so on."""
    result: npt.NDArray[np.float32]
    """The result of the simulation for each seat."""
    sums: npt.NDArray[np.float64]
    """The sum of all results for each seat."""
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


def empty_forest(num, simulations, actions, size, players):
    """Return arrays for `num` trees: those of a tree, with a row for each tree."""
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
    """Make the tree of the root only."""
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
    """Give a leaf an edge for each action of `tree.mask`, if there is room; returns whether."""
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
    """Return the node at the end of an edge of `parent`, in position `s`; make it if it is new."""
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
    """Return a hash of what the seat to move sees, by Zobrist's method."""
    observe_row(s, p, s.to_move, seen)
    key = mixed(np.uint64(s.to_move))
    for k in range(len(seen)):
        if seen[k] != 0:
            key ^= mixed(stepped(np.uint64(128 * k + np.int64(seen[k]))))
    return key
