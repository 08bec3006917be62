"""The compiled loops of `agents.search.mcts`: UCT with random rollouts."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from agents.search.backup import back_up, mark_proven, prove_win, take_proven
from agents.search.decisive import decisive_action, forced_win
from agents.search.descent import descend
from agents.search.outputs import credit, write_outputs
from agents.search.tree import NUM_NODES, plant, uncounted_tree
from boardenvs.core.chance import mixed, stepped
from boardenvs.core.choice import tried_action
from boardenvs.core.hooks import legal, play, redraw
from boardenvs.core.outcome import is_over
from boardenvs.kernels.binding import over_rules

__all__ = ["search_states"]


@over_rules()
def search_states(
    states, params, streams, options, scales, tree, first, simulations,
    visits, values, proven, actions,
):  # fmt: skip
    """Search states one after another in the same tree, for at most `simulations` simulations.

    If the tree has nodes, the search of state number `first` continues in it. `streams` are the
    random streams of the states. The rows of `Searched` are written for each state whose search
    ends. Returns the number of the first state whose search has not ended.
    """
    o = options[0]
    board = states[:1].copy()
    for i in range(first, len(states)):
        if tree.used[NUM_NODES] == 0:
            plant(tree, states[i])
        root = tree.nodes[0]
        before = int(root.visits)
        most = min(o.simulations, before + simulations)
        grow(tree, states, i, params, streams, o, scales, board, most)
        simulations -= int(root.visits) - before
        if not root.proven and root.visits < o.simulations:
            return i
        write_outputs(tree, i, visits, values, proven, actions)
        credit(visits, i, actions[i], o.simulations)
        tree.used[NUM_NODES] = 0
    return len(states)


@over_rules()
def grow(tree, states, i, params, streams, options, scales, board, simulations):
    """Simulate from state `i` until the root has `simulations` visits or is proven."""
    tree = uncounted_tree(tree)
    while tree.nodes[0].visits < simulations and not tree.nodes[0].proven:
        streams[i] = stepped(streams[i])
        stream = mixed(streams[i])
        board[0] = states[i]
        redraw(board[0], params[0], states[i].to_move, mixed(stream))
        simulate(tree, board[0], params[0], options, scales, stream)


@over_rules()
def simulate(tree, s, p, options, scales, stream):
    """Run one simulation of UCT: descent, rollout and backup."""
    leaf, stream, before = descend(tree, s, p, options, scales, stream, -1)
    n = tree.nodes[leaf]
    if options.forced > 0 and not n.proven and not is_over(s) and n.visits == 0:
        _, plies = forced_win(s, p, options.forced)
        if plies > 0:
            prove_win(n, plies)
    if n.proven:
        take_proven(tree, leaf)
    else:
        ply = s.ply
        n.quiet = roll_out(s, p, options, stream, before, tree.mask)
        # The first action of the rollout won, so the mover at the leaf can win with it.
        if options.decisive and s.ply == ply + 1 and s.returns[n.mover] >= 1:
            prove_win(n, 1)
        for k in range(len(tree.result)):
            tree.result[k] = s.returns[k]
    back_up(tree, leaf, False)
    mark_proven(tree, leaf)


@over_rules(optimised_first=True)
def roll_out(s, p, options, stream, before, mask):
    """Play at random in place, to the end or for `rollout_depth` plies, with decisive moves.

    Returns whether the rollout looked for decisive moves and had none in its first ply.
    """
    plies = 0
    quiet = False
    while not is_over(s) and plies < options.rollout_depth:
        stream = stepped(stream)
        action = decisive_action(s, p, before) if options.decisive else -1
        if action < 0:
            legal(s, p, mask)
            action = tried_action(mask, mixed(stream))
            before = -1
            quiet |= plies == 0
        elif before != -2:
            before = s.last_action
        play(s, p, action)
        plies += 1
    return quiet & options.decisive
