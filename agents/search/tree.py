"""Monte Carlo tree search over any game, for any number of players, with chance and hidden parts.

The loops of `mcts` and `puct`, written once for all games: like those of
`boardenvs.loops`, they are compiled against one game's rules.

A tree is two arrays. A node is a position as the seat to move there sees it; its edges,
one for each legal action, stand side by side, those tried so far first. No position is
kept: every simulation plays its own copy of the root, with the hidden parts and the stream
drawn afresh, down the tree. Where an action leads to several nodes, because chance or
something hidden decides, these form a list, told apart by what the next seat sees.

Results are kept for each edge as its mover sees them. With one or two players a *proven*
node is one whose value is certain, as in M. Winands, Y. Bjornsson, J. Saito, "Monte-Carlo
Tree Search Solver", CG 2008: an action that proves to win proves its node, and so does the
best one when all are proven. An action that draws from the stream proves nothing, nor
does anything where parts are hidden. A proven loss keeps in how many plies it comes, so that the
search plays on as long as it can.
"""

# The rules' names are bound by boardenvs.compiling; compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202, F821
# mypy: disable-error-code="no-untyped-def, name-defined"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.search.halving import next_edge
from boardenvs.chance import below, mixed, stepped
from boardenvs.choice import tried_action
from boardenvs.outcome import is_over

__all__ = ["Options", "Tree"]

HOOKS = ("legal", "play", "observe", "redraw", "decisive_action")
"""What the rules supply; see `boardenvs.compiling.bind`."""

MOST_EDGES = 2**23
"""Of one tree: 256 MB. A full tree searches on without growing."""
LOST = np.float32(-1e30)
"""The worth of an edge that proved to lose: lower than any other."""
UNKNOWN = np.float32(-2)
"""The best proven value of a node without a proven edge."""

_NODE = np.dtype(
    [
        ("key", np.uint64),  # of what the seat to move sees, if its edge leads to several nodes
        ("first", np.int32),  # edge
        ("num_edges", np.int32),  # 0 for a leaf
        ("tried", np.int32),  # edges, the first so many
        ("visits", np.int32),
        ("settled", np.int32),  # proven edges
        ("sibling", np.int32),  # the next node of the same edge, -1 for none
        ("best", np.float32),  # of the proven edges' values, for the mover
        ("plies", np.int32),  # to the end, along proven edges: what is proven lasts no longer
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
        ("worth", np.float32),  # mean result, or the value if proven; LOST for a loss
        ("width", np.float32),  # what exploration is worth here, see `weigh`
        ("prior", np.float32),  # of the policy that guides the search
        ("plies", np.int16),  # as a node's, if proven
        ("proven", np.bool_),
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
        ("value_scale", np.float32),  # what results weigh where the root is halved
    ],
    align=True,
)
NODE = np.dtype((np.record, _NODE))
EDGE = np.dtype((np.record, _EDGE))
STEP = np.dtype((np.record, _STEP))
OPTIONS = np.dtype((np.record, _OPTIONS))

Options = npt.NDArray[np.void]
"""What the loops are told, shape (1,), of dtype `OPTIONS`."""


class Tree(NamedTuple):
    """One tree, and the way that the simulation under way has taken through it."""

    nodes: npt.NDArray[np.void]
    edges: npt.NDArray[np.void]
    path: npt.NDArray[np.void]
    """For each ply in the tree the node it was played in, and the edge."""
    used: npt.NDArray[np.int64]
    """How many nodes, how many edges, how many steps of the path; and the leaf it leads to."""
    result: npt.NDArray[np.float32]
    """What the simulation gave each seat."""
    sums: npt.NDArray[np.float64]
    """What all of them gave each seat."""
    mask: npt.NDArray[np.bool_]
    seen: npt.NDArray[np.int8]


def empty_tree(simulations, actions, size, players):
    """Room for a tree."""
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
    """Room for so many trees: each array of a tree with one row for each of them."""
    tree = empty_tree(simulations, actions, size, players)
    return Tree(*(np.zeros((num, *array.shape), array.dtype) for array in tree))


# -- A simulation, step by step -------------------------------------------------------------


def simulate(tree, s, p, options, scales, word):
    """One simulation of UCT: down to a leaf, on at random, and the result up again."""
    leaf, word, before = descend(tree, s, p, options, scales, word, -1)
    if tree.nodes[leaf].proven:
        take_proven(tree, leaf)
    else:
        ply = s.ply
        n = tree.nodes[leaf]
        n.quiet = roll_out(s, p, options, word, before, tree.mask)
        # Won with the first action of the playout: whoever is to move at the leaf can do so.
        if options.decisive and s.ply == ply + 1 and s.returns[n.mover] >= 1:
            prove_win(n)
        for k in range(len(tree.result)):
            tree.result[k] = s.returns[k]
    back_up(tree, leaf, False)
    prove(tree, leaf)


def descend(tree, s, p, options, scales, word, start):
    """Play from the root to a leaf; returns the leaf, the stream, and `before` for the leaf.

    The latter is for `decisive_action`: -1 below a quiet node, else -2.
    `start` is the root's edge to take; -1 leaves it to the bound, as at all other nodes, but for
    a root's decisive action, which is the first to be tried. A leaf grows edges when it is met a
    second time; a guided one when it is evaluated.
    """
    nodes = tree.nodes
    node = 0
    depth = 0
    before = -2
    while not nodes[node].proven and not is_over(s):
        if nodes[node].num_edges == 0:
            if options.guided or (nodes[node].visits == 0 and depth > 0):
                break
            legal(s, p, tree.mask)
            if not expand(tree, node):
                break
            if depth == 0 and options.decisive:
                start = try_first(tree, decisive_action(s, p, -2))
        word = stepped(word)
        edge = start if depth == 0 and start >= 0 else select(tree, node, scales, mixed(word))
        tree.path[depth].node = node
        tree.path[depth].edge = edge
        depth += 1
        stream = s.rng
        before = -1 if nodes[node].quiet else -2
        play(s, p, tree.edges[edge].action)
        node = follow(tree, edge, s, p, options.hidden, s.rng != stream)
    tree.used[2] = depth
    tree.used[3] = node
    return node, word, before


def try_first(tree, action):
    """Make the edge of an action the root's first; returns it, or -1 for no action, -1."""
    n = tree.nodes[0]
    n.quiet = action < 0
    for edge in range(n.first, n.first + n.num_edges):
        if tree.edges[edge].action == action:
            tree.edges[edge].action = tree.edges[n.first].action
            tree.edges[n.first].action = action
            n.tried = 1
            return np.int64(n.first)
    return np.int64(-1)


def select(tree, node, scales, bits):
    """The edge to go: any of those not tried, else the one with the highest bound."""
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


def expand(tree, node):
    """Give a leaf an edge for each action of `tree.mask`, if there is room; returns whether."""
    first = tree.used[1]
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
            edge += 1
    tree.nodes[node].first = first
    tree.nodes[node].num_edges = edge - first
    tree.used[1] = edge
    return True


def follow(tree, edge, s, p, hidden, drew):
    """The node that an edge leads to in position `s`, made if it is new."""
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
        tree.edges[edge].child = node
    return node


def new_node(tree, s, key, hidden, drawn):
    """A leaf for position `s`."""
    node = tree.used[0]
    tree.used[0] = node + 1
    n = tree.nodes[node]
    n.key = key
    n.first = 0
    n.num_edges = 0
    n.tried = 0
    n.visits = 0
    n.settled = 0
    n.sibling = -1
    n.plies = 0
    n.mover = s.to_move
    n.quiet = False
    n.drawn = drawn
    n.proven = is_over(s) and len(s.returns) <= 2 and not hidden
    n.best = s.returns[s.to_move] if n.proven else UNKNOWN
    return node


def key_of(s, p, seen):
    """A number for what the seat to move sees, by Zobrist's method."""
    observe(s, p, s.to_move, seen)
    key = mixed(np.uint64(s.to_move))
    for k in range(len(seen)):
        if seen[k] != 0:
            key ^= mixed(stepped(np.uint64(128 * k + np.int64(seen[k]))))
    return key


def roll_out(s, p, options, word, before, mask):
    """Random play to the end, or for so many plies, in place: uniform, but for decisive moves.

    Returns whether it looked for these, and there was none where it began.
    """
    plies = 0
    quiet = False
    while not is_over(s) and plies < options.rollout_depth:
        word = stepped(word)
        action = decisive_action(s, p, before) if options.decisive else -1
        if action < 0:
            legal(s, p, mask)
            action = tried_action(mask, mixed(word))
            before = -1
            quiet |= plies == 0
        elif before != -2:
            before = s.last_action
        play(s, p, action)
        plies += 1
    return quiet & options.decisive


def decisive_action(s, p, before):
    """No action: what stands for a game that tells of no decisive moves (see `decisive`)."""
    return -1


def take_proven(tree, leaf):
    """The result of a simulation that ends in a proven node: what the node is worth."""
    n = tree.nodes[leaf]
    tree.result[n.mover] = n.best
    if len(tree.result) == 2:
        tree.result[1 - n.mover] = -n.best


def back_up(tree, leaf, guided):
    """Add the result to the leaf and to every node and edge of the path."""
    for k in range(len(tree.result)):
        tree.sums[k] += tree.result[k]
    tree.nodes[leaf].visits += 1
    for k in range(tree.used[2]):
        n = tree.nodes[tree.path[k].node]
        e = tree.edges[tree.path[k].edge]
        n.visits += 1
        e.visits += 1
        e.total += tree.result[n.mover]
        if not e.proven:
            e.worth = e.total / np.float32(e.visits)
        e.width = weigh(e, guided)


def weigh(e, guided):
    """What exploration of an edge is worth: of UCT's bound, or of a policy's.

    The latter is from D. Silver et al., "Mastering the game of Go without human
    knowledge", Nature 550 (2017).
    """
    visits = np.float32(e.visits)
    return e.prior / (np.float32(1) + visits) if guided else np.float32(1) / np.sqrt(visits)


def prove(tree, leaf):
    """A proven leaf proves its edge, and that perhaps the node above, and so on up."""
    n = tree.nodes[leaf]
    for k in range(tree.used[2] - 1, -1, -1):
        e = tree.edges[tree.path[k].edge]
        if not n.proven or n.drawn or e.proven:
            return
        above = tree.nodes[tree.path[k].node]
        value = n.best if n.mover == above.mover else -n.best
        # A single player who gets nothing has lost.
        lost = value < 0 or (value == 0 and len(tree.result) == 1)
        e.proven = True
        e.plies = n.plies + 1
        e.worth = LOST if lost else value
        above.settled += 1
        above.best = max(above.best, value)
        above.proven = value >= 1 or above.settled == above.num_edges
        above.plies = e.plies if value >= 1 else max(above.plies, e.plies)
        n = above


def prove_win(n):
    """A node whose mover wins with the next action."""
    n.proven = True
    n.best = 1
    n.plies = 1


# -- The search -----------------------------------------------------------------------------


def search_states(
    states, params, words, options, scales, visits, values, proven, actions, low, high
):
    """Search states `low` to `high - 1`, each in a tree of its own; `words` are their streams.

    Writes what `mcts.Searched` has a row of for each state.
    """
    if low < high:
        o = options[0]
        tree = empty_tree(o.simulations, visits.shape[1], o.observation_size, values.shape[1])
        board = states[low : low + 1].copy()
        for i in range(low, high):
            plant(tree, states[i])
            grow(tree, states, i, params, words, o, scales, board, o.simulations)
            report(tree, i, visits, values, proven, actions)
            credit(visits, i, actions[i], o.simulations)


def search_further(
    states, params, words, options, scales, tree, simulations, visits, values, proven, actions
):
    """As `search_states` for a single state: so many more simulations in a tree of the caller's.

    A tree without nodes is planted.
    """
    if tree.used[0] == 0:
        plant(tree, states[0])
    done = tree.nodes[0].visits
    board = states[0:1].copy()
    grow(tree, states, 0, params, words, options[0], scales, board, done + simulations)
    report(tree, 0, visits, values, proven, actions)


def plant(tree, s):
    """The tree of the root alone."""
    tree.used[0] = 0
    tree.used[1] = 0
    for k in range(len(tree.sums)):
        tree.sums[k] = 0
    new_node(tree, s, np.uint64(0), False, False)


def grow(tree, states, i, params, words, options, scales, board, simulations):
    """Simulations from state `i`, until the root has had so many or is proven."""
    while tree.nodes[0].visits < simulations and not tree.nodes[0].proven:
        words[i] = stepped(words[i])
        word = mixed(words[i])
        board[0] = states[i]
        redraw(board[0], params[0], states[i].to_move, mixed(word))
        simulate(tree, board[0], params[0], options, scales, word)


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


def hope(edge):
    """How much there is left to hope for, from 0 for an edge that loses with the next ply."""
    if edge.worth == LOST:
        return 2 if edge.plies > 2 else 0
    return 3 if edge.visits > 0 else 1


def credit(visits, i, action, simulations):
    """Simulations saved because the root was proven count as visits of the action to play."""
    left = np.int64(simulations)
    for a in range(visits.shape[1]):
        left -= visits[i, a]
    visits[i, action] += left


# -- The search that a policy guides --------------------------------------------------------


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


def winning_action(n, s, p, before, board):
    """The decisive action of a leaf, `s`, if it wins at once, else -1; `board` is scratch space."""
    action = decisive_action(s, p, before)
    n.quiet = action < 0
    if action < 0:
        return -1
    board[0] = s
    play(board[0], p, action)
    return action if board[0].returns[s.to_move] >= 1 else -1


def leave_only(tree, action):
    """Give the root the edge of one action that wins at once: there is nothing else to learn."""
    for a in range(len(tree.mask)):
        tree.mask[a] = a == action
    expand(tree, 0)
    tree.edges[0].prior = 1
    tree.edges[0].width = 1
    tree.nodes[0].tried = 1


def tree_of(forest, i):
    """Tree `i` of a forest, whose arrays have one row for each tree."""
    return Tree(
        forest.nodes[i],
        forest.edges[i],
        forest.path[i],
        forest.used[i],
        forest.result[i],
        forest.sums[i],
        forest.mask[i],
        forest.seen[i],
    )


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


def finite(logit):
    """A logit, or the lowest there is for one that is none."""
    return min(max(np.float64(logit), -1e30), 1e30) if not np.isnan(logit) else -1e30


def report_trees(states, options, forest, visits, values, proven, actions):
    """What the searches of all states have found."""
    for i in range(len(states)):
        tree = tree_of(forest, i)
        report(tree, i, visits, values, proven, actions)
        credit(visits, i, actions[i], options[0].simulations)
