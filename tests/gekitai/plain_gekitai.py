"""A second implementation of Gekitai, as slow and plain as possible, to test the fast one."""

from __future__ import annotations

NEIGHBOURS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
LINES = [(0, 1), (1, 0), (1, 1), (1, -1)]
EMPTY = "."


class PlainGekitai:
    """One game. `cells[row][column]` is `X`, `O` or `.`; `winner` is a colour or `None`."""

    def __init__(self, size=6, pieces=8, line=3, max_plies=200):
        self.size = size
        self.pieces = pieces
        self.line = line
        self.max_plies = max_plies
        self.cells = [[EMPTY] * size for _ in range(size)]
        self.hand = {"X": pieces, "O": pieces}
        self.mover = "X"
        self.ply = 0
        self.winner = None
        self.truncated = False

    def set_up(self, rows, mover, ply):
        """Set up an unfinished position."""
        self.cells = [list(row) for row in rows]
        for colour in "XO":
            self.hand[colour] = self.pieces - sum(row.count(colour) for row in rows)
        self.mover = mover
        self.ply = ply

    def over(self):
        return self.winner is not None or self.truncated

    def on_board(self, row, column):
        return 0 <= row < self.size and 0 <= column < self.size

    def legal(self):
        """Return the empty cells (row, column), which are the legal moves."""
        if self.over():
            return []
        return [
            (row, column)
            for row in range(self.size)
            for column in range(self.size)
            if self.cells[row][column] == EMPTY
        ]

    def place(self, row, column):
        """Play one turn."""
        assert (row, column) in self.legal()
        mover = self.mover
        other = "O" if mover == "X" else "X"
        self.hand[mover] -= 1
        self.cells[row][column] = mover
        for down, right in NEIGHBOURS:
            self.push(row, column, down, right)
        self.ply += 1
        self.mover = other
        if self.has_won(mover):
            self.winner = mover
        elif self.has_won(other):
            self.winner = other
        elif self.ply == self.max_plies:
            self.truncated = True

    def push(self, row, column, down, right):
        """Push the neighbour of `(row, column)` in one direction."""
        here = row + down, column + right
        beyond = row + 2 * down, column + 2 * right
        if not self.on_board(*here) or self.cells[here[0]][here[1]] == EMPTY:
            return
        pushed = self.cells[here[0]][here[1]]
        if not self.on_board(*beyond):
            self.cells[here[0]][here[1]] = EMPTY
            self.hand[pushed] += 1
        elif self.cells[beyond[0]][beyond[1]] == EMPTY:
            self.cells[here[0]][here[1]] = EMPTY
            self.cells[beyond[0]][beyond[1]] = pushed

    def has_won(self, colour):
        return self.hand[colour] == 0 or self.has_line(colour)

    def has_line(self, colour):
        for row in range(self.size):
            for column in range(self.size):
                for down, right in LINES:
                    cells = [(row + k * down, column + k * right) for k in range(self.line)]
                    if all(self.on_board(r, c) and self.cells[r][c] == colour for r, c in cells):
                        return True
        return False

    def rows(self):
        return ["".join(row) for row in self.cells]
