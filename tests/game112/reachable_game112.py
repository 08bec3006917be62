"""The positions of the 112 game, as strings of 1, 2 and 8, where 8 is empty."""

from __future__ import annotations


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
