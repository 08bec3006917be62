"""The greedy agent of Gomoku, which weighs every line that a player can still complete."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from agents.agent import Actions, Agent, RandomBits
from boardenvs.core.chance import below, mixed, stepped
from boardenvs.game import Game, States
from boardenvs.gomoku import rules
from boardenvs.kernels.binding import over_rules

__all__ = ["GomokuGreedyAgent"]


class GomokuGreedyAgent(Agent):
    """An agent that completes a line, else blocks a line, else plays the cell of greatest weight.

    A line is `win_length` cells of a row, column or diagonal. It counts for a colour while it holds
    no stone of the other colour. The weight of an empty cell is a sum over the lines through it:
    2 * 5**m for each line that counts for the agent and holds m of its stones, plus 5**t for each
    line that counts for the opponent and holds t of the opponent's stones.

    The agent plays the cell of greatest weight from the first of these groups that is not empty:

    1. cells that complete a line of its own;
    2. cells that would complete a line of the opponent;
    3. all empty cells.

    It samples uniformly among equals. With `exact`, a line counts for a colour only if the cells
    just past its ends hold no stone of that colour, since the line would become too long.
    """

    def __init__(self, game: Game, seed: int | None = None, spec: str = "") -> None:
        super().__init__(game, seed, spec)
        powers = 5 ** np.arange(game.params["win_length"])  # sums stay below 2**62 at any size
        self._weights = np.stack([2 * powers, powers])

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        actions = np.empty(len(states), np.int64)
        greedy = weightiest_actions.bound_to(rules)
        greedy(None, states, self.game.constants, self._weights, random_bits, actions)
        return actions


@over_rules(spread=True, plies=16)
def weightiest_actions(states, params, weights, random_bits, actions, low, high):
    """Write the greedy actions of games `low` to `high - 1`."""
    cells = params[0].side * params[0].side
    urgency = np.empty(cells, np.int8)
    weight = np.empty(cells, np.int64)
    for i in range(low, high):
        weigh(states[i], params[0], weights, urgency, weight)
        actions[i] = pick(states[i], random_bits[i], urgency, weight)


@over_rules()
def weigh(s, p, weights, urgency, weight):
    """Write each empty cell's weight and urgency: 2 completes an own line, 1 blocks, else 0."""
    for a in range(len(weight)):
        urgency[a] = 0
        weight[a] = 0
    cells = s.cells
    me = s.to_move + 1
    rival = 3 - me
    reach = p.line - 1
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        step = down * p.side + right
        for row in range(p.side - down * reach):
            for column in range(reach if right < 0 else 0, p.side - reach if right > 0 else p.side):
                first = row * p.side + column
                mine = 0
                theirs = 0
                for k in range(p.line):
                    stone = cells[first + k * step]
                    mine += stone == me
                    theirs += stone == rival
                if mine > 0 and theirs > 0:
                    continue
                value = np.int64(0)
                kind = 0
                if theirs == 0 and not (p.exact and longer(s, p, row, column, down, right, me)):
                    value += weights[0, mine]
                    if mine == reach:
                        kind = 2
                if mine == 0 and not (p.exact and longer(s, p, row, column, down, right, rival)):
                    value += weights[1, theirs]
                    if theirs == reach:
                        kind = 1
                for k in range(p.line):
                    a = first + k * step
                    if cells[a] == 0:
                        weight[a] += value
                        urgency[a] = max(urgency[a], kind)


@over_rules()
def longer(s, p, row, column, down, right, stone):
    """Return whether a stone of this colour stands just past either end of a line."""
    for k in (-1, p.line):
        r = row + k * down
        c = column + k * right
        if 0 <= r < p.side and 0 <= c < p.side and s.cells[r * p.side + c] == stone:
            return True
    return False


@over_rules()
def pick(s, stream, urgency, weight):
    """Return the most urgent empty cell, by weight among equals, then uniformly."""
    chosen = -1
    ties = 0
    for a in range(len(weight)):
        if s.cells[a] != 0:
            continue
        if chosen >= 0:
            if urgency[a] < urgency[chosen]:
                continue
            if urgency[a] == urgency[chosen] and weight[a] < weight[chosen]:
                continue
            if urgency[a] > urgency[chosen] or weight[a] > weight[chosen]:
                ties = 0
        ties += 1
        stream = stepped(stream)
        if below(mixed(stream), ties) == 0:  # keeps each tie with equal probability
            chosen = a
    return chosen
