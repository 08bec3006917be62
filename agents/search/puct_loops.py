"""The compiled loops of `agents.search.puct`: simulations in many trees with waiting leaves."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.search.backup import (
    back_up,
    expect,
    give_up,
    mark_proven,
    prove_loss,
    prove_win,
    settle,
    take_proven,
)
from agents.search.decisive import decisive_action, forced_win
from agents.search.descent import descend
from agents.search.halving import next_edge
from agents.search.outputs import credit, write_outputs
from agents.search.tree import (
    AWAITED,
    NUM_AWAITED,
    NUM_NODES,
    Tree,
    expand,
    follow,
    plant,
    tree_of,
    uncounted_tree,
)
from boardenvs.core.chance import mixed, stepped
from boardenvs.core.hooks import legal, observe_row, play, redraw
from boardenvs.core.outcome import is_over
from boardenvs.kernels.binding import over_rules
from boardenvs.kernels.intrinsics import uncounted

__all__ = ["Leaves", "Search", "report_trees", "step_trees"]

STRAYS = 64
"""Maximum number of simulations of a tree's turn that may end at waiting leaves."""


class Search(NamedTuple):
    """The arguments of a search in several trees, one for each state."""

    states: npt.NDArray[np.void]
    """Roots, shape (N,)."""
    params: npt.NDArray[np.void]
    """`Game.constants`."""
    streams: npt.NDArray[np.uint64]
    """Random streams of the searches, shape (N,)."""
    options: npt.NDArray[np.void]
    """Options of dtype `OPTIONS`, shape (1,)."""
    scales: npt.NDArray[np.float32]
    """Factor of the confidence bound, indexed by the visits of a node."""
    noise: npt.NDArray[np.float32]
    """Noise added to the logits of the roots, shape (N, num_actions), or (N, 0) for none."""
    schedule: npt.NDArray[np.int32]
    """Schedule of sequential halving, see `agents.search.halving`; shape (0, 0) for none."""
    forest: Tree
    """Trees, one for each state."""


class Leaves(NamedTuple):
    """Leaves of all trees, which are evaluated together."""

    states: npt.NDArray[np.void]
    """Positions, shape (capacity,)."""
    masks: npt.NDArray[np.bool_]
    """Legal actions, shape (capacity, num_actions)."""
    owners: npt.NDArray[np.int32]
    """Tree and node of each leaf, shape (capacity, 2)."""
    seen: npt.NDArray[np.float32]
    """Observations of the seats to move, shape (capacity, size), or (0, size) for none."""
    seen_params: npt.NDArray[np.void]
    """`Game.constants` of the game with these observations."""
    logits: npt.NDArray[np.float32]
    """Logits of the evaluator, shape (capacity, num_actions)."""
    estimates: npt.NDArray[np.float32]
    """Values of the evaluator: of every seat, shape (capacity, num_players), NaN if unknown; or of
    the seat to move, shape (capacity, 1)."""


class _Scratch(NamedTuple):
    """Scratch space of a simulation."""

    board: npt.NDArray[np.void]
    sight: npt.NDArray[np.int8]
    stray: npt.NDArray[np.int32]


@over_rules()
def step_trees(search, leaves, apart, phase, num):
    """Add evaluated leaves to the trees, and simulate until new leaves wait.

    The first `num` of `leaves` have been evaluated. Their logits and values are added to the nodes
    of their owners. Then the leaves of the next simulations replace them. A new tree `i` starts in
    phase `i % apart` or later.

    Returns:
        The number of waiting leaves.
    """
    search = Search(
        uncounted(search.states), search.params, uncounted(search.streams), search.options,
        uncounted(search.scales), uncounted(search.noise), uncounted(search.schedule),
        uncounted_tree(search.forest),
    )  # fmt: skip
    leaves = Leaves(
        uncounted(leaves.states), uncounted(leaves.masks), uncounted(leaves.owners),
        uncounted(leaves.seen), leaves.seen_params, uncounted(leaves.logits),
        uncounted(leaves.estimates),
    )  # fmt: skip
    for row in range(num):
        tree = tree_of(search.forest, leaves.owners[row, 0])
        leaf = leaves.owners[row, 1]
        open_leaf(
            tree, leaf, leaves.masks[row], leaves.logits[row], leaves.estimates[row],
            search.options[0].policy_temperature,
        )  # fmt: skip
        settle(tree, leaf)
        tree.used[NUM_AWAITED] -= 1
    scratch = _Scratch(
        search.states[:1].copy(),
        np.empty(leaves.seen.shape[1], np.int8),
        np.empty(STRAYS, np.int32),
    )
    found = 0
    for i in range(len(search.states)):
        tree = tree_of(search.forest, i)
        if tree.used[NUM_NODES] == 0:
            if phase < i % apart:
                continue
            plant(tree, search.states[i])
        found = gather(tree, search, i, leaves, found, scratch)
    return found


@over_rules()
def gather(tree, search, i, leaves, found, scratch):
    """Simulate in tree `i` until enough of its leaves wait.

    The number of leaves depends only on the tree. It grows with the visits, and about half of the
    leaves wait in each slot. A simulation that ends at a waiting leaf does not count as a
    simulation. It counts as a visit until the end of this turn, so that the next simulations take
    other paths.

    Returns:
        The number of `leaves` in the slot; `found` is the number before the call.
    """
    origin = search.states[i]
    p = search.params[0]
    o = search.options[0]
    streams = search.streams
    board = scratch.board
    root = tree.nodes[0]
    strays = 0
    tried = 0
    awaited = tree.used[NUM_AWAITED]
    most = min(max((root.visits - awaited) // o.visits_each, 1), o.most_awaited)
    end = found + min((most + 1) // 2, most - awaited, awaited + o.lead)
    # The evaluation of the root is one additional visit.
    while found < end and root.visits - strays <= o.simulations and not root.proven:
        if tried == o.tries:
            break
        tried += 1
        streams[i] = stepped(streams[i])
        stream = mixed(streams[i])
        leaves.states[found] = origin
        s = leaves.states[found]
        redraw(s, p, origin.to_move, mixed(stream))
        start = -1
        if len(search.schedule) > 0:
            start = next_edge(
                tree.nodes, tree.edges, search.noise[i], search.schedule, o.value_scale
            )
        leaf, stream, before = descend(tree, s, p, o, search.scales, stream, start)
        n = tree.nodes[leaf]
        if n.num_edges == AWAITED:
            if leaf == 0 or strays == o.strays:
                break
            expect(tree, leaf)
            scratch.stray[strays] = leaf
            strays += 1
            continue
        if not n.proven and not is_over(s):
            action, plies = -1, 0
            if o.decisive:
                action, plies = won_by(n, s, p, before, board, o, leaf == 0)
            if action < 0:
                legal(s, p, leaves.masks[found])
                if len(leaves.seen) > 0:
                    show(s, leaves.seen_params[0], scratch.sight, leaves.seen[found])
                expect(tree, leaf)
                leaves.owners[found, 0] = i
                leaves.owners[found, 1] = leaf
                tree.used[NUM_AWAITED] += 1
                found += 1
                continue
            if leaf == 0:
                leave_only(tree, action)
                board[0] = s
                play(board[0], p, action)
                child = follow(tree, 0, n.first, board[0], p, False, False)
                prove_loss(tree.nodes[child], plies - 1)
                continue
            prove_win(n, plies)
        for k in range(len(tree.result)):
            tree.result[k] = s.returns[k]
        if n.proven:
            take_proven(tree, leaf)
        back_up(tree, leaf, True)
        mark_proven(tree, leaf)
    for k in range(strays):
        give_up(tree, scratch.stray[k])
    return found


@over_rules()
def show(s, p, sight, row):
    """Write the observation of the seat to move to a network's row; `sight` is scratch space."""
    observe_row(s, p, s.to_move, sight)
    for k in range(len(sight)):
        row[k] = sight[k]


@over_rules()
def won_by(n, s, p, before, board, o, is_root):
    """Return the action that wins at leaf `s`, at once or by force, and its number of plies.

    Returns -1 and 0 if no win is found. `board` is scratch space.
    """
    action = decisive_action(s, p, before)
    n.quiet = action < 0
    if action >= 0:
        board[0] = s
        play(board[0], p, action)
        if board[0].returns[s.to_move] >= 1:
            return np.int64(action), np.int64(1)
    action, plies = forced_win(s, p, o.forced_at_root if is_root else o.forced)
    return np.int64(action), np.int64(plies)


@over_rules()
def leave_only(tree, action):
    """Expand the root with only the edge of a winning action."""
    for a in range(len(tree.mask)):
        tree.mask[a] = a == action
    expand(tree, 0)
    tree.edges[0].prior = 1
    tree.edges[0].width = 1
    tree.nodes[0].tried = 1


@over_rules()
def open_leaf(tree, leaf, mask, logits, estimates, temperature):
    """Add the edges of a leaf with their priors, and set the result of its simulation.

    The policy is the softmax of `logits` divided by `temperature`.
    Seats with unknown values share the opposite of the value of the seat to move equally.
    """
    n = tree.nodes[leaf]
    n.num_edges = 0
    of_each = len(estimates) == len(tree.result)
    value = in_range(estimates[n.mover if of_each else 0])
    rest = np.float32(-value / max(1, len(tree.result) - 1))
    for k in range(len(tree.result)):
        known = of_each and not np.isnan(estimates[k])
        tree.result[k] = in_range(estimates[k]) if known else rest
    tree.result[n.mover] = value
    for a in range(len(mask)):
        tree.mask[a] = mask[a]
    if not expand(tree, leaf):
        return
    highest = np.float32(-1e30)
    for edge in range(n.first, n.first + n.num_edges):
        e = tree.edges[edge]
        e.prior = finite(logits[e.action]) / temperature
        highest = max(highest, e.prior)
    total = 0.0
    for edge in range(n.first, n.first + n.num_edges):
        e = tree.edges[edge]
        share = np.exp(np.float64(e.prior) - np.float64(highest))
        e.prior = share
        total += share
    for edge in range(n.first, n.first + n.num_edges):
        e = tree.edges[edge]
        e.prior = e.prior / total
        e.width = e.prior
        e.worth = value  # the worth until the first visit
    n.tried = n.num_edges


@over_rules()
def in_range(value):
    """Return a value clipped to results; NaN becomes 0."""
    return np.float32(min(max(value, -1.0), 1.0)) if not np.isnan(value) else np.float32(0)


@over_rules()
def finite(logit):
    """Return a logit clipped to finite numbers; NaN becomes the lowest."""
    return min(max(np.float64(logit), -1e30), 1e30) if not np.isnan(logit) else -1e30


@over_rules()
def report_trees(search, visits, values, proven, actions):
    """Write the results of the searches of all states."""
    for i in range(len(search.states)):
        tree = tree_of(search.forest, i)
        write_outputs(tree, i, visits, values, proven, actions)
        credit(visits, i, actions[i], search.options[0].simulations)
