"""The functions and the console program of the 112 game's source document.

A board is an integer with one digit for each position, 8 for an empty one: 88828. A game is an
integer too: the board's size, then a position and a value for each move: 542123121.
`boardenvs.game112.rules` decides which moves are legal and when a game ends.
"""

# camelCase names are the names of the source document.
# ruff: noqa: N802, N803

from __future__ import annotations

import functools
import re
from typing import Any

from boardenvs.core.checks import is_whole, shown, whole_number
from boardenvs.game import States
from boardenvs.game112 import Game112
from boardenvs.game112.text import board_to_text

__all__ = [
    "clearLeftmostDigit",
    "digitCount",
    "getLeftmostDigit",
    "isFull",
    "isWin",
    "kthDigit",
    "makeBoard",
    "makeMove",
    "play112",
    "replaceKthDigit",
    "start",
]

_SYMBOLS = "812"
"""Digits of an empty position, a 1 and a 2."""
_UNFINISHED = "Unfinished!"


def play112(gameSpec: int) -> str:
    """Return the board at the end of a game, and its result.

    Args:
        gameSpec: size of the board, then a position and a value for each move, one digit each.
            Moves after the end of the game are ignored, but must be complete.

    Returns:
        A text such as `21128: Player 2 wins!`.

    Raises:
        ValueError: if `gameSpec` is not an integer, is negative, has size 0, or ends with a
            position without a value.
    """
    spec = _integer("gameSpec", gameSpec)
    if spec < 0:
        raise ValueError("gameSpec must not be negative")
    size = getLeftmostDigit(spec)
    if size == 0:
        raise ValueError("gameSpec must start with a board size from 1 to 9, got 0")
    num_digits = digitCount(spec)
    if num_digits % 2 == 0:
        raise ValueError(
            f"gameSpec must end with a value, got position {kthDigit(spec, 0)} without a value"
        )
    board, result, player = makeBoard(size), _UNFINISHED, 1
    for k in range(num_digits - 2, 0, -2):
        board, result = _turn(board, player, kthDigit(spec, k), kthDigit(spec, k - 1))
        if result != _UNFINISHED:
            break
        player = 3 - player
    return f"{board}: {result}"


def start(boardSize: int = 9) -> None:
    """Play at the keyboard until the game ends; an illegal move loses.

    Raises:
        ValueError: if `boardSize` is not from 1 to 9.
        EOFError: if the input ends before the game.
    """
    board, result, player = makeBoard(boardSize), _UNFINISHED, 1
    while result == _UNFINISHED:
        print(board_to_text(_cells(board)), end="")
        position, value = _ask(player)
        board, result = _turn(board, player, position, value)
        player = 3 - player
    print(f"{board}: {result}")


def _ask(player: int) -> tuple[int, int]:
    """Ask until the answer is two integers."""
    while True:
        try:
            words = input(f"Player {player} (position value): ").split()
            if len(words) == 2 and all(re.fullmatch("[+-]?[0-9]+", word) for word in words):
                return int(words[0]), int(words[1])
        except ValueError:  # not decodable, or too many digits for `int`
            pass
        print("Please enter two whole numbers, such as 4 2.")


def _turn(board: int, player: int, position: int, value: int) -> tuple[int, str]:
    """Return the board after a move, and the result so far."""
    after = makeMove(board, position, value)
    if isinstance(after, str):
        return board, f"Player {player}: {after}"
    if isWin(after):
        return after, f"Player {player} wins!"
    return after, "Tie!" if isFull(after) else _UNFINISHED


# -- Steps of the game --------------------------------------------------------------------


def makeBoard(moves: int) -> int:
    """Return an empty board of 1 to 9 positions: `makeBoard(3)` is 888."""
    return int("8" * whole_number("moves", moves, 1, 9))


def makeMove(board: int, position: int, move: int) -> int | str:
    """Return the board after a move, or the reason why the move is illegal.

    Args:
        board: one digit for each position: 1, 2, or 8 if it is empty.
        position: position, counted from 1 at the left.
        move: value to place.

    Returns:
        The new board, or the first reason that applies: `"move must be 1 or 2!"`,
        `"offboard!"` or `"occupied!"`.

    Raises:
        ValueError: if `board` is invalid, or another argument is not an integer.
    """
    game, states = _position(board)
    position, move = _integer("position", position), _integer("move", move)
    if move not in (1, 2):
        return "move must be 1 or 2!"
    if not 1 <= position <= game.board_size:
        return "offboard!"
    action = 2 * (position - 1) + (move - 1)
    if not game.arrays.legal(states)[0, action]:
        return "occupied!"
    game.play(states, [action])
    return int("".join(_SYMBOLS[cell] for cell in game.cells(states[0])))


def isWin(board: int) -> bool:
    """Return whether three neighbouring positions read 1, 1, 2."""
    game, states = _position(board)
    game.kernels.judge_games(states, game.constants)
    return bool(states["returns"].any())  # all 0 on a full board without a winner


def isFull(board: int) -> bool:
    """Return whether no position is empty."""
    return 0 not in _cells(board)


def _cells(board: int) -> list[int]:
    """Return the values of a board's positions from the left, 0 if empty.

    Raises:
        ValueError: if `board` is invalid.
    """
    number = _integer("board", board)
    if not 0 < number < 10**9 or set(str(number)) - set(_SYMBOLS):
        raise ValueError(f"board must be 1 to 9 digits, each 1, 2 or 8, got {shown(board)}")
    return [_SYMBOLS.index(digit) for digit in str(number)]


def _position(board: int) -> tuple[Game112, States]:
    """Return the game of a board's size and the board's record, shape (1,), not yet judged."""
    cells = _cells(board)
    game = _game(len(cells))
    states = game.start.copy()
    states["cells"][0, : len(cells)] = cells
    return game, states


@functools.cache
def _game(size: int) -> Game112:
    return Game112(size)


# -- Digits of a number -------------------------------------------------------------------


def digitCount(n: int) -> int:
    """Return the number of digits of `n`, at least 1, ignoring the sign."""
    rest, count = abs(_integer("n", n)), 1
    while rest >= 10:
        rest //= 10
        count += 1
    return count


def kthDigit(n: int, k: int) -> int:
    """Return digit `k` from the right, counted from 0; 0 past the first digit of `n`."""
    return int(abs(_integer("n", n)) // 10 ** whole_number("k", k, 0) % 10)


def replaceKthDigit(n: int, k: int, d: int) -> int:
    """Return `n` with digit `k` from the right replaced by `d`, keeping the sign."""
    change = (whole_number("d", d, 0, 9) - kthDigit(n, k)) * 10 ** int(k)
    return int(n) - change if n < 0 else int(n) + change


def getLeftmostDigit(n: int) -> int:
    """Return the first digit, ignoring the sign."""
    return kthDigit(n, digitCount(n) - 1)


def clearLeftmostDigit(n: int) -> int:
    """Return `n` without its first digit: 789 gives 89, 60789 gives 789, 9 gives 0."""
    return replaceKthDigit(n, digitCount(n) - 1, 0)


def _integer(what: str, value: Any) -> int:
    """Return `value` as an int. Raises `ValueError` if it is not an integer."""
    if not is_whole(value):
        raise ValueError(f"{what} must be an integer, got {shown(value)}")
    return int(value)
