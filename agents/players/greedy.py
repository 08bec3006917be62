"""The greedy agent, which looks one move ahead for itself and for the next player."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from boardenvs.core.chance import below, mixed, stepped
from boardenvs.core.hooks import legal, play
from boardenvs.core.outcome import is_over
from boardenvs.game import States
from boardenvs.kernels.binding import over_rules

__all__ = ["GreedyAgent"]


class GreedyAgent(Agent):
    """An agent that wins at once if it can, or else prevents an immediate win of the next player.

    It samples uniformly among equally good actions. It avoids actions that lose at once or let the
    next player win, if it can.
    """

    def policies(self, states: States) -> npt.NDArray[np.float64]:
        """Return equal probabilities for the best actions; see `Agent.policies`."""
        states = self.live(states)
        best = np.empty((len(states), self.game.num_actions), np.bool_)
        mark = best_actions.bound_to(self.game.rules)
        mark(states, self.game.constants, self.game.legal(states), best)
        shares: npt.NDArray[np.float64] = best / best.sum(1, keepdims=True)
        return shares

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        actions = np.empty(len(states), np.int64)
        greedy = greedy_actions.bound_to(self.game.rules)
        greedy(None, states, self.game.constants, random_bits, self.game.legal(states), actions)
        return actions


@over_rules(spread=True, plies=4)
def greedy_actions(states, params, random_bits, masks, actions, low, high):
    """Write the greedy actions of games `low` to `high - 1`."""
    for i in range(low, high):
        after = states[i : i + 1].copy()
        reply = states[i : i + 1].copy()
        replies = np.empty(masks.shape[1], np.bool_)
        actions[i] = pick(states, i, params[0], random_bits[i], masks[i], after, reply, replies)


@over_rules()
def pick(states, i, p, stream, mask, after, reply, replies):
    """Return one of the best actions of a game, uniformly."""
    best = -1
    ties = 0
    chosen = -1
    for want_win in (True, False):  # wins first: they are cheap to find
        for action in range(len(mask)):
            if mask[action]:
                after[0] = states[i]
                play(after[0], p, action)
                if want_win:
                    value = 2 if wins(after[0], states[i].to_move) else -1
                else:
                    value = safety(after, p, states[i].to_move, reply, replies)
                if value > best:
                    best = value
                    ties = 0
                if value == best and value >= 0:
                    ties += 1
                    stream = stepped(stream)
                    if below(mixed(stream), ties) == 0:  # keeps each tie with equal probability
                        chosen = action
        if chosen >= 0:
            break
    return chosen


@over_rules()
def best_actions(states, params, masks, best):
    """Mark the actions that `pick` chooses from."""
    after = states[:1].copy()
    reply = states[:1].copy()
    replies = np.empty(masks.shape[1], np.bool_)
    values = np.empty(masks.shape[1], np.int64)
    for i in range(len(states)):
        highest = -1
        for action in range(masks.shape[1]):
            values[action] = -1
            if masks[i, action]:
                after[0] = states[i]
                play(after[0], params[0], action)
                if wins(after[0], states[i].to_move):
                    values[action] = 2
                else:
                    values[action] = safety(after, params[0], states[i].to_move, reply, replies)
                highest = max(highest, values[action])
        for action in range(masks.shape[1]):
            best[i, action] = masks[i, action] and values[action] == highest


@over_rules()
def wins(s, seat):
    """Return whether a seat has won."""
    return is_over(s) and s.returns[seat] > 0


@over_rules()
def safety(after, p, me, reply, replies):
    """Return 0 if `me` has lost or the next player can win at once, else 1."""
    s = after[0]
    if is_over(s):
        return 1 if s.returns[me] >= 0 else 0
    if s.to_move == me:
        return 1
    legal(s, p, replies)
    for action in range(len(replies)):
        if replies[action]:
            reply[0] = s
            play(reply[0], p, action)
            if is_over(reply[0]) and reply[0].returns[s.to_move] > 0:
                return 0
    return 1
