"""The functions and the console program of Gomoku's source document.

A board is a list of rows, each a list of `" "`, `"●"` and `"○"`. `boardenvs.gomoku` decides what
is free, who has won and where the computer may play, on the position of the board.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from boardenvs.core.checks import whole_number
from boardenvs.game import States
from boardenvs.gomoku import Gomoku
from boardenvs.gomoku.text import (
    STONES,
    action_from_text,
    action_to_text,
    board_to_text,
    cell_from_words,
)

__all__ = [
    "check_available_moves",
    "check_for_winner",
    "create_board",
    "game_menu",
    "is_occupied",
    "place_on_board",
    "play_game",
    "print_board",
    "random_computer_player",
]

Board = list[list[str]]
Position = tuple[str, str]

_EMPTY = " "
_SIZES = (9, 13, 15)
_Answer = TypeVar("_Answer")


def game_menu() -> None:
    """Print the menu."""
    print("\n1. Start a Game\n2. Print the Board\n3. Place a Stone\n4. Reset the Game\n5. Exit")


def create_board(size: int) -> Board:
    """Return an empty board of `size` rows and columns.

    Raises:
        ValueError: if `size` is not an integer from 5 to 26.
    """
    size = whole_number("size", size, 5, 26)
    return [[_EMPTY] * size for _ in range(size)]


def is_occupied(board: Board, x: int, y: int) -> bool:
    """Return whether row `x` and column `y`, counted from 0, has a stone.

    Raises:
        ValueError: if the cell is off the board, or `board` is invalid.
    """
    game, states = _position(board)
    row, column = (
        whole_number(name, value, 0, game.board_size - 1) for name, value in (("x", x), ("y", y))
    )
    return not game.legal(states)[0, row * game.board_size + column]


def place_on_board(board: Board, stone: str, position: Position) -> bool:
    """Place a stone, if possible.

    Args:
        board: the board, changed in place.
        stone: `"●"` or `"○"`.
        position: row and column as strings, such as `("0", "A")`.

    Returns:
        Whether the stone was placed; `False` if `stone` is invalid, or `position` is
        occupied, off the board or malformed.

    Raises:
        ValueError: if `board` is invalid.
    """
    game, _ = _position(board)
    try:
        x, y = divmod(_cell(position, game.board_size), game.board_size)
    except ValueError:
        return False
    if stone not in (*STONES,) or is_occupied(board, x, y):
        return False
    board[x][y] = stone
    return True


def print_board(board: Board) -> None:
    """Print a board with its letters and numbers.

    Raises:
        ValueError: if `board` is invalid.
    """
    _position(board)
    print(board_to_text(["".join(row) for row in board]), end="")


def check_available_moves(board: Board) -> list[Position]:
    """Return every empty position, such as `("0", "A")`, row by row.

    Raises:
        ValueError: if `board` is invalid.
    """
    game, states = _position(board)
    free = np.flatnonzero(game.legal(states)[0]).tolist()
    return [_words(action, game.board_size) for action in free]


def check_for_winner(board: Board) -> str | None:
    """Return the stone with five in a row, `"Draw"` for a full board, else `None`.

    Raises:
        ValueError: if `board` is invalid.
    """
    game, states = _position(board)
    game.kernels.judge_games(states, game.constants)
    if not states["terminated"][0]:
        return None
    return STONES[int(states["returns"][0].argmax())] if states["returns"].any() else "Draw"


def random_computer_player(board: Board, player_move: Position, rng: Any = None) -> Position:
    """Return a random free position next to the player's move, as the computer's move.

    If the 3 x 3 square around the move is full, return a random free position.

    Args:
        board: the board after the player's move.
        player_move: row and column as strings, such as `("0", "B")`.
        rng: a `numpy.random.Generator` or a `random.Random`; by default a new generator.

    Raises:
        ValueError: if the board is full, or `player_move` or `board` is invalid.
    """
    game, states = _position(board)
    states["last_action"] = _cell(player_move, game.board_size)
    choices = np.flatnonzero(game.near_last(states)[0]).tolist()
    if not choices:
        raise ValueError("there is no free position on the board")
    rng = np.random.default_rng() if rng is None else rng
    return _words(choices[rng.choice(range(len(choices)))], game.board_size)


def play_game() -> None:
    """Run the menu until the user exits or the input ends."""
    session = _Session()
    actions: dict[str, Callable[[], None]] = {
        "1": session.start,
        "2": session.show,
        "3": session.place,
        "4": session.reset,
    }
    try:
        while True:
            game_menu()
            choice = _line("Choose an option (1 to 5): ")
            if choice == "5":
                print("Goodbye.")
                return
            if choice in actions:
                actions[choice]()
            else:
                print("Please answer with the number of an option, 1, 2, 3, 4 or 5.")
    except EOFError:
        print("\nEnd of input.")


class _Session:
    """The state of the program: the board of the current game, if any, and the mode."""

    board: Board | None = None
    computer: bool = False

    def start(self) -> None:
        """Do option 1: start a game."""
        if self.board is not None:
            print(
                "A game is in progress. Reset it (4) and start again, or complete it by "
                "placing stones (3)."
            )
            return
        size = _ask("Board size (9, 13 or 15, m for the menu): ", _size)
        if size is None:
            return
        mode = _ask(
            "Mode (1 for Player vs. Player, 2 for Player vs. Computer, m for the menu): ", _mode
        )
        if mode is None:
            return
        self.board, self.computer = create_board(size), mode == "2"
        print(f"A board of {size} x {size}. {STONES[0]} opens: place a stone (3).")

    def show(self) -> None:
        """Do option 2: print the board."""
        if self.board is None:
            print("There is no board yet. Start a game (1).")
        else:
            print_board(self.board)

    def place(self) -> None:
        """Do option 3: place a stone."""
        if self.board is None:
            print("There is no game to place a stone in. Start one (1).")
            return
        placed = sum(cell != _EMPTY for row in self.board for cell in row)
        stone = STONES[placed % 2]
        position = _ask(
            f"Position for {stone} (row column, such as 2 F, m for the menu): ", self._free
        )
        if position is None:
            return
        place_on_board(self.board, stone, position)
        if self.computer and check_for_winner(self.board) is None:
            answer = random_computer_player(self.board, position)
            place_on_board(self.board, STONES[1], answer)
            print(f"The computer places {STONES[1]} at {' '.join(answer)}.")
        print_board(self.board)
        result = check_for_winner(self.board)
        if result is not None:
            print("Draw: the board is full." if result == "Draw" else f"{result} wins!")
            self.board, self.computer = None, False

    def reset(self) -> None:
        """Do option 4: reset the game."""
        self.board, self.computer = None, False
        print("The game is reset. Start another (1).")

    def _free(self, answer: str) -> Position:
        """Return the empty position that was typed, or raise `ValueError`."""
        assert self.board is not None
        size = len(self.board)
        cell = action_from_text(answer, size)
        if is_occupied(self.board, *divmod(cell, size)):
            raise ValueError(
                f"{action_to_text(cell, size)} is occupied, expected an empty position"
            )
        return _words(cell, size)


def _size(answer: str) -> int:
    if answer not in map(str, _SIZES):
        raise ValueError(f"expected a size, 9, 13 or 15, got {answer!r}")
    return int(answer)


def _mode(answer: str) -> str:
    if answer not in ("1", "2"):
        raise ValueError(f"expected a mode, 1 or 2, got {answer!r}")
    return answer


def _ask(prompt: str, read: Callable[[str], _Answer]) -> _Answer | None:
    """Ask until `read` accepts the answer; return `None` if the user wants the menu."""
    while True:
        answer = _line(prompt)
        if answer.lower() == "m":
            return None
        try:
            return read(answer)
        except ValueError as error:
            print(f"That does not work: {error}.")


def _line(prompt: str) -> str:
    """Return one stripped line from the keyboard; "" if it cannot be decoded."""
    try:
        return input(prompt).strip()
    except UnicodeDecodeError:
        return ""


def _cell(position: Sequence[str], size: int) -> int:
    """Return the cell of a pair of strings, or raise `ValueError`."""
    if (
        not isinstance(position, tuple | list)
        or len(position) != 2
        or not all(isinstance(word, str) for word in position)
    ):
        raise ValueError(f"a position must be a pair such as ('0', 'A'), got {position!r}")
    return cell_from_words(position[0], position[1], size)


def _words(action: int, size: int) -> Position:
    row, column = action_to_text(action, size).split()
    return row, column


def _position(board: Board) -> tuple[Gomoku, States]:
    """Return the game of a board's size and the board's record, shape (1,), not yet judged.

    A board set up by hand may hold any stones. White is to move if black has more stones.

    Raises:
        ValueError: if `board` is invalid.
    """
    symbols = (_EMPTY, *STONES)
    if (
        not isinstance(board, list)
        or not 5 <= len(board) <= 26
        or not all(isinstance(row, list) and len(row) == len(board) for row in board)
        or not all(cell in symbols for row in board for cell in row)
    ):
        raise ValueError("expected a board such as create_board(9) returns")
    game = _game(len(board))
    states = game.start.copy()
    cells = np.array([symbols.index(cell) for row in board for cell in row], np.int8)
    states["cells"][0, : cells.size] = cells
    states["to_move"] = (cells == 1).sum() > (cells == 2).sum()
    states["ply"] = (cells > 0).sum()
    states["truncated"] = (cells > 0).all()  # a full board has no legal actions
    return game, states


@functools.cache
def _game(size: int) -> Gomoku:
    return Gomoku(size)
