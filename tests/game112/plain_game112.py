"""A second implementation of the 112 game, on strings of digits, to test the fast one."""

from __future__ import annotations


class Plain112:
    """One game. `board` is a string of 1, 2 and 8, where 8 is empty."""

    def __init__(self, size=9):
        self.board = "8" * size
        self.player = 1
        self.result = None

    def legal(self):
        """Return the moves (position from 1, value) that do not lose at once by a rule."""
        if self.result is not None:
            return []
        return [
            (position, value)
            for position, digit in enumerate(self.board, 1)
            if digit == "8"
            for value in (1, 2)
        ]

    def move(self, position, value):
        """Play one turn; `result` becomes the output in the game's document."""
        assert self.result is None
        other = 3 - self.player
        if value not in (1, 2):
            self.result = f"Player {self.player}: move must be 1 or 2!"
        elif not 1 <= position <= len(self.board):
            self.result = f"Player {self.player}: offboard!"
        elif self.board[position - 1] != "8":
            self.result = f"Player {self.player}: occupied!"
        else:
            self.board = self.board[: position - 1] + str(value) + self.board[position:]
            if "112" in self.board:
                self.result = f"Player {self.player} wins!"
            elif "8" not in self.board:
                self.result = "Tie!"
        self.player = other


def reachable(size):
    """Return all boards reachable by legal play, including finished ones."""
    start = "8" * size
    seen = {start}
    waiting = [start]
    while waiting:
        board = waiting.pop()
        if "112" in board:
            continue
        for place, digit in enumerate(board):
            if digit == "8":
                for value in "12":
                    after = board[:place] + value + board[place + 1 :]
                    if after not in seen:
                        seen.add(after)
                        waiting.append(after)
    return seen
