"""A second implementation of Goat Race, as slow and plain as possible, to test the fast one.

It receives the throws, so that both play the same game.
"""

from __future__ import annotations

import re

COLORS = ["WHITE", "BLACK", "RED", "ORANGE", "GREEN"]
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def order_of_play(throws):
    """Return the players by descending throw; of equal throws, the later one is first."""
    order = []
    for player in range(len(throws)):
        place = 0
        while place < len(order) and throws[order[place]] > throws[player]:
            place += 1
        order.insert(place, player)
    return order


class PlainGoatRace:
    """One game. `cells[row, column]` is a list of players with the top goat last; rows from 0.

    `asked` is the next decision: "place", "sideways" or "forward". `winner` is a player, "draw" or
    `None`.
    """

    def __init__(self, players, width, height, obstacles, order, dice, draw_rule, max_plies):
        self.players = players
        self.width = width
        self.height = height
        self.obstacles = set(obstacles)
        self.order = order
        self.dice = dice  # function that returns the next throw
        self.draw_rule = draw_rule
        self.max_plies = max_plies
        self.cells = {(r, c): [] for r in range(height) for c in range(width)}
        self.turn = 0  # index into the order of play
        self.asked = "place"
        self.die = 0
        self.ply = 0
        self.winner = None

    def player(self):
        return self.order[self.turn]

    def over(self):
        return self.winner is not None or self.ply >= self.max_plies

    # Legal actions in the console's notation.

    def legal(self):
        if self.over():
            return set()
        if self.asked == "place":
            lowest = min(len(self.cells[r, 0]) for r in range(self.height))
            return {str(r + 1) for r in range(self.height) if len(self.cells[r, 0]) <= lowest}
        if self.asked == "sideways":
            return {"s"} | self.sideways_moves(self.player())
        return self.forward_moves(self.die - 1)

    def free(self, row, column):
        return (row, column) in self.cells and (row, column) not in self.obstacles

    def sideways_moves(self, player):
        moves = set()
        for (r, c), stack in self.cells.items():
            if stack and stack[-1] == player:
                for to in (r - 1, r + 1):
                    if self.free(to, c):
                        moves.add(f"{LETTERS[c]}{r + 1}{LETTERS[c]}{to + 1}")
        return moves

    def forward_moves(self, row):
        moves = set()
        for c in range(self.width):
            if self.cells[row, c] and self.free(row, c + 1):
                moves.add(f"{LETTERS[c]}{row + 1}{LETTERS[c + 1]}{row + 1}")
        return moves

    # Effects of actions.

    def play(self, text):
        assert text in self.legal()
        self.ply += 1
        if self.asked == "place":
            self.cells[int(text) - 1, 0].append(self.player())
            if sum(map(len, self.cells.values())) < 4 * self.players:
                self.turn = (self.turn + 1) % self.players
                return
            self.asked = "race"
            self.check_for_end()
            self.next_turn()
            return
        if text != "s":
            self.move(text)
            self.check_for_end()
            if self.winner is not None:
                return
        if self.asked == "sideways" and self.forward_moves(self.die - 1):
            self.asked = "forward"
        else:
            self.next_turn()

    def move(self, text):
        words = re.fullmatch(r"([A-Z])(\d+)([A-Z])(\d+)", text).groups()
        begin, end = (
            (int(row) - 1, LETTERS.index(column)) for column, row in (words[:2], words[2:])
        )
        self.cells[end].append(self.cells[begin].pop())

    def check_for_end(self):
        for player in range(self.players):
            arrived = sum(self.cells[r, self.width - 1].count(player) for r in range(self.height))
            if arrived >= 3:
                self.winner = player
                return
        if any(self.forward_moves(r) for r in range(self.height)):
            return
        if self.draw_rule == "jump" and any(map(self.sideways_moves, range(self.players))):
            return
        self.winner = "draw"

    def next_turn(self):
        while self.winner is None:
            self.turn = (self.turn + 1) % self.players
            self.die = self.dice()
            if self.sideways_moves(self.player()):
                self.asked = "sideways"
                return
            if self.forward_moves(self.die - 1):
                self.asked = "forward"
                return

    def stacks(self):
        return {
            f"{LETTERS[c]}{r + 1}": "".join(COLORS[player][0] for player in stack)
            for (r, c), stack in sorted(self.cells.items())
            if stack
        }

    def returns(self):
        if self.winner is None or self.winner == "draw":
            return [0.0] * self.players
        others = -1 / (self.players - 1)
        return [1.0 if player == self.winner else others for player in range(self.players)]
