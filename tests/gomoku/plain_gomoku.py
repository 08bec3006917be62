"""A second implementation of Gomoku, on strings and as plain as possible, to test the fast one."""

from __future__ import annotations

import itertools

EMPTY = "."


class PlainGomoku:
    """One game. `stones` maps (row, column) to `X` or `O`; `result` is the winner or a word."""

    def __init__(self, size=15, length=5, exact=False, max_plies=None):
        self.size = size
        self.length = length
        self.exact = exact
        self.max_plies = size * size if max_plies is None else max_plies
        self.stones = {}
        self.result = None  # later X, O, "draw" or "truncated"

    @property
    def mover(self):
        return "XO"[len(self.stones) % 2]

    def legal(self):
        """Return the empty cells (row, column), which are the legal moves, row by row."""
        if self.result is not None:
            return []
        cells = itertools.product(range(self.size), repeat=2)
        return [cell for cell in cells if cell not in self.stones]

    def place(self, row, column):
        """Play one turn."""
        assert (row, column) in self.legal()
        mover = self.mover
        self.stones[row, column] = mover
        if self.has_line(mover):
            self.result = mover
        elif len(self.stones) == self.size**2:
            self.result = "draw"
        elif len(self.stones) == self.max_plies:
            self.result = "truncated"

    def rows(self):
        return [
            "".join(self.stones.get((row, column), EMPTY) for column in range(self.size))
            for row in range(self.size)
        ]

    def lines(self):
        """Yield every row, column and diagonal as a string."""
        n, rows = self.size, self.rows()
        yield from rows
        yield from ("".join(column) for column in zip(*rows, strict=True))
        for offset in range(1 - n, n):
            cells = [(k, k + offset) for k in range(n) if 0 <= k + offset < n]
            yield "".join(rows[r][c] for r, c in cells)
            yield "".join(rows[r][n - 1 - c] for r, c in cells)

    def has_line(self, colour):
        if not self.exact:
            return any(colour * self.length in line for line in self.lines())
        runs = ((key, len([*run])) for line in self.lines() for key, run in itertools.groupby(line))
        return (colour, self.length) in runs
