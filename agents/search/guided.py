"""The search of `agents.search.puct`: its leaves are evaluated by a policy, many trees at once."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from agents.search.backup import back_up, prove, prove_win, take_proven
from agents.search.decisive import decisive_action
from agents.search.descent import descend
from agents.search.halving import next_edge
from agents.search.report import credit, report
from agents.search.tree import Tree, expand, plant, tree_of
from boardenvs.chance import mixed, stepped
from boardenvs.compiling import over_rules
from boardenvs.hooks import legal, play, redraw
from boardenvs.outcome import is_over

__all__ = ["report_trees", "step_trees"]


@over_rules(legal, redraw, spread=True, plies=16)
def step_trees(
    states, params, words, options, scales, noise, schedule, leaves, masks, logits, estimates,
    waits, nodes, edges, path, used, result, sums, mask, seen, low, high,
):  # fmt: skip
    """Take trees `low` to `high - 1`, one for each state, on to the next leaf to be evaluated.

    A tree marked in `waits` has such a leaf already, whose `logits` and value have come; a
    tree without nodes is planted. Afterwards `waits` marks those that have a leaf in
    `leaves`, with its legal actions in `masks`; the others are finished. With a `schedule` the
    roots are halved, with the tree's row of `noise` (see `agents.search.halving`). The arrays after
    `waits` are the forest's: Numba takes no tuple of them to other threads.
    """
    forest = Tree(nodes, edges, path, used, result, sums, mask, seen)
    p = params[0]
    o = options[0]
    board = states[low:high][:1].copy()
    for i in range(low, high):
        tree = tree_of(forest, i)
        if waits[i]:
            open_leaf(tree, masks[i], logits[i], estimates[i])
            back_up(tree, tree.used[3], True)
        elif tree.used[0] == 0:
            plant(tree, states[i])
        else:
            continue
        waits[i] = False
        # The root's own evaluation is one visit more.
        while tree.nodes[0].visits <= o.simulations and not tree.nodes[0].proven:
            words[i] = stepped(words[i])
            word = mixed(words[i])
            leaves[i] = states[i]
            redraw(leaves[i], p, states[i].to_move, mixed(word))
            start = -1
            if len(schedule) > 0:
                start = next_edge(tree.nodes, tree.edges, noise[i], schedule, o.value_scale)
            leaf, word, before = descend(tree, leaves[i], p, o, scales, word, start)
            n = tree.nodes[leaf]
            if not n.proven and not is_over(leaves[i]):
                action = winning_action(n, leaves[i], p, before, board) if o.decisive else -1
                if action < 0:
                    legal(leaves[i], p, masks[i])
                    waits[i] = True
                    break
                if leaf == 0:
                    leave_only(tree, action)
                    continue
                prove_win(n)
            for k in range(len(tree.result)):
                tree.result[k] = leaves[i].returns[k]
            if n.proven:
                take_proven(tree, leaf)
            back_up(tree, leaf, True)
            prove(tree, leaf)


@over_rules(play, decisive_action)
def winning_action(n, s, p, before, board):
    """The decisive action of a leaf, `s`, if it wins at once, else -1; `board` is scratch space."""
    action = decisive_action(s, p, before)
    n.quiet = action < 0
    if action < 0:
        return -1
    board[0] = s
    play(board[0], p, action)
    return action if board[0].returns[s.to_move] >= 1 else -1


@over_rules()
def leave_only(tree, action):
    """Give the root the edge of one action that wins at once: there is nothing else to learn."""
    for a in range(len(tree.mask)):
        tree.mask[a] = a == action
    expand(tree, 0)
    tree.edges[0].prior = 1
    tree.edges[0].width = 1
    tree.nodes[0].tried = 1


@over_rules()
def open_leaf(tree, mask, logits, estimate):
    """Give the leaf under way its edges and priors, and the simulation its result."""
    leaf = tree.used[3]
    n = tree.nodes[leaf]
    value = np.float32(min(max(estimate, -1.0), 1.0)) if not np.isnan(estimate) else np.float32(0)
    rest = np.float32(-value / max(1, len(tree.result) - 1))
    for k in range(len(tree.result)):
        tree.result[k] = value if k == n.mover else rest
    for a in range(len(mask)):
        tree.mask[a] = mask[a]
    if n.num_edges > 0 or not expand(tree, leaf):
        return
    highest = -1e30
    for edge in range(n.first, n.first + n.num_edges):
        highest = max(highest, finite(logits[tree.edges[edge].action]))
    total = 0.0
    for edge in range(n.first, n.first + n.num_edges):
        e = tree.edges[edge]
        share = np.exp(finite(logits[e.action]) - highest)
        e.prior = share
        total += share
    for edge in range(n.first, n.first + n.num_edges):
        e = tree.edges[edge]
        e.prior = e.prior / total
        e.width = e.prior
        e.worth = value  # an action not tried yet is taken to keep the value
    n.tried = n.num_edges


@over_rules()
def finite(logit):
    """A logit, or the lowest there is for one that is none."""
    return min(max(np.float64(logit), -1e30), 1e30) if not np.isnan(logit) else -1e30


@over_rules()
def report_trees(states, options, forest, visits, values, proven, actions):
    """What the searches of all states have found."""
    for i in range(len(states)):
        tree = tree_of(forest, i)
        report(tree, i, visits, values, proven, actions)
        credit(visits, i, actions[i], options[0].simulations)
