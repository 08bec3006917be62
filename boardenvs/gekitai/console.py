"""The classes and the console program of Gekitai's source document.

A board holds `Piece` objects. `boardenvs.gekitai.rules` decides what a move does and who has
won, on the position that `cells` shows at that moment.
"""

# N, P and L are the names of the source document.
# ruff: noqa: N803

from __future__ import annotations

import abc
from enum import Enum
from typing import Any

import numpy as np

from boardenvs.game import States
from boardenvs.gekitai import Gekitai as Game
from boardenvs.gekitai import rules
from boardenvs.gekitai.rules import has_line
from boardenvs.kernels.binding import over_rules
from boardenvs.show.grid import address_from_text, grid_text

__all__ = ["Board", "Color", "Gekitai", "Piece", "Player"]

_DIRECTIONS = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0)]


class Color(Enum):
    """The owner of a piece. The value is the symbol on the board."""

    BLACK = "X"
    RED = "O"


_COLORS = list(Color)  # in the order of the seats


class Piece:
    """One piece. It stays the same object in hand and on the board."""

    def __init__(self, color: Color) -> None:
        self.color = color

    def __str__(self) -> str:
        return str(self.color.value)

    def __repr__(self) -> str:
        return f"Piece({self.color})"


class Player:
    """A player at the keyboard; `pieces` are the pieces in hand."""

    def __init__(self, color: Color, P: int = 8) -> None:
        self.color = color
        self.pieces = [Piece(color) for _ in range(P)]

    def __str__(self) -> str:
        return str(self.color.value)

    def get_input(self) -> tuple[int, int]:
        """Ask for an address such as `B2` and read one line, ignoring blanks.

        Returns:
            Row and column, counted from 0. They may be off the board.

        Raises:
            ValueError: if the line is not an address.
            EOFError: if the input has ended.
        """
        return address_from_text("".join(input(f"Player {self}'s turn: ").split()))


class Board(abc.ABC):
    """A grid of cells, each with a piece or `None`; a subclass defines the moves."""

    def __init__(self, rows: int, cols: int) -> None:
        self.rows = rows
        self.cols = cols
        self.cells: list[list[Piece | None]] = [[None] * cols for _ in range(rows)]

    def get_piece(self, y: int, x: int) -> Piece | None:
        """Return the piece at row `y` and column `x`; `None` if it is empty or off the board."""
        return self.cells[y][x] if self._on_board(y, x) else None

    def print(self) -> None:
        """Print the grid."""
        print(
            grid_text([[" " if p is None else str(p) for p in row] for row in self.cells]), end=""
        )

    @abc.abstractmethod
    def move(self, piece: Piece, y: int, x: int) -> None:
        """Play a piece at row `y` and column `x`."""

    def _on_board(self, y: int, x: int) -> bool:
        return 0 <= y < self.rows and 0 <= x < self.cols


class Gekitai(Board):
    """A game of Gekitai with N x N cells, P pieces a player and lines of L pieces.

    The state of the game is in `cells` and the hands, which callers may change at any time.

    Raises:
        AssertionError: if N, P or L is out of range.
    """

    def __init__(self, N: int = 6, P: int = 8, L: int = 3) -> None:
        assert 6 <= N <= 8, f"N must be from 6 to 8, got {N}"
        assert 6 <= P <= 12, f"P must be from 6 to 12, got {P}"
        assert 3 <= L <= min(N, P), f"L must be from 3 to {min(N, P)}, got {L}"
        super().__init__(N, N)
        self.N = N
        self.P = P
        self.L = L
        self.players = [Player(color, P) for color in _COLORS]
        self._game = Game(board_size=N, pieces=P, line_length=L)

    def is_move_valid(self, y: int, x: int) -> bool:
        """Return whether the cell at row `y` and column `x` is on the board and empty."""
        legal = self._game.arrays.legal(self._position())[0]
        return self._on_board(y, x) and bool(legal[y * self.N + x])

    def move(self, piece: Piece, y: int, x: int) -> None:
        """Place a piece and push its neighbours.

        A piece from the owner's hand leaves the hand. A neighbour pushed off the board returns
        to its owner's hand.

        Raises:
            ValueError: if the cell is occupied or off the board; nothing changes then.
        """
        if not self.is_move_valid(y, x):
            what = "occupied" if self._on_board(y, x) else "off the board"
            raise ValueError(f"expected an empty cell, but row {y}, column {x} is {what}")
        states = self._position(_COLORS.index(piece.color))
        game = self._game
        # `play` would refuse a board with more pieces than a game has.
        masks, action = game.arrays.legal(states), np.array([y * self.N + x])
        game.kernels.play_games(states, game.constants, action, masks)
        owners = game.owners(states)[0]

        hand = self._owner(piece).pieces
        if piece in hand:
            hand.remove(piece)
        # The rules return colours, not pieces: a neighbour whose cell is empty now was pushed.
        for dy, dx in _DIRECTIONS:
            neighbour = self.get_piece(y + dy, x + dx)
            if neighbour is None or owners[y + dy, x + dx] >= 0:
                continue
            self.cells[y + dy][x + dx] = None
            if self._on_board(y + 2 * dy, x + 2 * dx):
                self.cells[y + 2 * dy][x + 2 * dx] = neighbour
            else:
                self._owner(neighbour).pieces.append(neighbour)
        self.cells[y][x] = piece

    def pieces_in_line(self, player: Player) -> bool:
        """Return whether the player has L pieces in an unbroken row, column or diagonal."""
        found = np.empty((1, 2), np.bool_)
        _lines.bound_to(rules)(self._position(), self._game.constants, found)
        return bool(found[0, _COLORS.index(player.color)])

    def game_over(self) -> bool:
        """Return whether either player has a line, or all P pieces on the board."""
        return self.winner(self.players[0]) is not None

    def winner(self, mover: Player) -> Player | None:
        """Return the winner after a move of `mover`, or `None`; `mover` wins if both could."""
        states = self._position(1 - _COLORS.index(mover.color))
        self._game.kernels.judge_games(states, self._game.constants)
        if not states["terminated"][0]:
            return None
        return self.players[int(states["returns"][0].argmax())]

    def print(self) -> None:
        """Print the grid and the pieces in each hand."""
        super().print()
        for player in self.players:
            print(f"{player}: {[str(piece) for piece in player.pieces]}")

    def start(self) -> None:
        """Play at the keyboard from the current board, black first, until a player wins.

        Raises:
            EOFError: if the input ends before the game.
        """
        waiting, mover = self.players
        while not self.game_over():
            mover, waiting = waiting, mover
            self.print()
            y, x = self._valid_input(mover)
            self.move(mover.pieces[-1], y, x)
        print("Game over:")
        self.print()
        print(f"Player {self.winner(mover)} wins!")

    def _valid_input(self, player: Player) -> tuple[int, int]:
        """Ask until the answer is an empty cell."""
        while True:
            try:
                y, x = player.get_input()
            except ValueError:
                pass
            else:
                if self.is_move_valid(y, x):
                    return y, x
            print("Invalid move!")

    def _owner(self, piece: Piece) -> Player:
        return self.players[_COLORS.index(piece.color)]

    def _position(self, to_move: int = 0) -> States:
        """Return the record of `cells` as an unfinished game at its first ply; shape (1,)."""
        states = self._game.start.copy()
        states["to_move"] = to_move
        for y, row in enumerate(self.cells):
            for x, piece in enumerate(row):
                if piece is not None:
                    seat = _COLORS.index(piece.color)
                    states["pieces"][0, seat] |= np.uint64(1 << (8 * y + x))
        return states


@over_rules()
def _lines(states: Any, params: Any, found: Any) -> None:
    """Write which players have a line to `found`, bool of shape (N, 2)."""
    for i in range(len(states)):
        for seat in range(2):
            found[i, seat] = has_line(states[i].pieces[seat], params[0].line)
