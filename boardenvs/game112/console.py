"""The 112 game as its source document designs it: whole numbers for games and boards.

A board is a number with one digit a position, 8 for an empty one: 88828. A game is a
number too: the board's size, then a position and a value for each move, 542123121.
What is legal, won and full is asked of `boardenvs.game112.rules`.
"""

# camelCase names are the document's own.
# ruff: noqa: N802, N803

from __future__ import annotations

import functools
import re
from typing import Any

from boardenvs.core.checks import is_whole, whole_number
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
"""The digit of an empty position, of a 1 and of a 2."""
_UNFINISHED = "Unfinished!"


def play112(gameSpec: int) -> str:
    """Return the board at the end of a game, and its result.

    Args:
        gameSpec: the size of the board, then a position and a value for each move, one
            digit each. Moves after the end of the game are ignored, but they too must
            be whole pairs.

    Returns:
        Such as `21128: Player 2 wins!`.

    Raises:
        ValueError: `gameSpec` is no whole number, is negative, has size 0, or ends with a
            position that has no value.
    """
    spec = _integer("gameSpec", gameSpec)
    if spec < 0:
        raise ValueError("gameSpec must not be negative")
    size = getLeftmostDigit(spec)
    if size == 0:
        raise ValueError("gameSpec must start with a board size from 1 to 9, got size 0")
    num_digits = digitCount(spec)
    if num_digits % 2 == 0:
        raise ValueError(f"gameSpec ends with position {kthDigit(spec, 0)}, which has no value")
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
        ValueError: `boardSize` is not from 1 to 9.
        EOFError: the input ended before the game.
    """
    board, result, player = makeBoard(boardSize), _UNFINISHED, 1
    while result == _UNFINISHED:
        print(board_to_text(_cells(board)), end="")
        position, value = _ask(player)
        board, result = _turn(board, player, position, value)
        player = 3 - player
    print(f"{board}: {result}")


def _ask(player: int) -> tuple[int, int]:
    """Ask until the answer is two whole numbers."""
    while True:
        try:
            words = input(f"Player {player} (position value): ").split()
            if len(words) == 2 and all(re.fullmatch("[+-]?[0-9]+", word) for word in words):
                return int(words[0]), int(words[1])
        except ValueError:  # no text, or too long to be made a number
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
    """Return the board after a move, or what is wrong with it.

    Args:
        board: one digit a position: 1, 2, or 8 where it is empty.
        position: counted from 1 at the left.
        move: the value to place.

    Returns:
        The new board, or the first that applies of `"move must be 1 or 2!"`,
        `"offboard!"` and `"occupied!"`.

    Raises:
        ValueError: `board` is no board, or another argument no whole number.
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
    """Return the positions of a board from the left, 0 for an empty one.

    Raises:
        ValueError: it is no board.
    """
    number = _integer("board", board)
    if not 0 < number < 10**9 or set(str(number)) - set(_SYMBOLS):
        raise ValueError(f"board must be 1 to 9 digits, each 1, 2 or 8, got {board!r}")
    return [_SYMBOLS.index(digit) for digit in str(number)]


def _position(board: int) -> tuple[Game112, States]:
    """Return the game of a board's size, and the board's record, shape (1,), not yet judged."""
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
    """Return how many digits a number has, at least 1; its sign is ignored."""
    rest, count = abs(_integer("n", n)), 1
    while rest >= 10:
        rest //= 10
        count += 1
    return count


def kthDigit(n: int, k: int) -> int:
    """Return digit `k` from the right, counted from 0; 0 past the last; the sign is ignored."""
    return int(abs(_integer("n", n)) // 10 ** whole_number("k", k, 0) % 10)


def replaceKthDigit(n: int, k: int, d: int) -> int:
    """Return `n` with digit `k` from the right replaced by `d`; the sign stays."""
    change = (whole_number("d", d, 0, 9) - kthDigit(n, k)) * 10 ** int(k)
    return int(n) - change if n < 0 else int(n) + change


def getLeftmostDigit(n: int) -> int:
    """Return the first digit; the sign is ignored."""
    return kthDigit(n, digitCount(n) - 1)


def clearLeftmostDigit(n: int) -> int:
    """Return `n` without its first digit: 789 gives 89, 60789 gives 789, 9 gives 0."""
    return replaceKthDigit(n, digitCount(n) - 1, 0)


def _integer(what: str, value: Any) -> int:
    """Return `value` as an int. Raises `ValueError` if it is no whole number."""
    if not is_whole(value):
        raise ValueError(f"{what} must be a whole number, got {value!r}")
    return int(value)
