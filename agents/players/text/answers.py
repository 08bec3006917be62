"""Moves in the answers of text players.

The move is the text after the last `Move:` (in any case) on the same line. An answer of one line
may omit `Move:`. Blanks, quotes, brackets and Markdown marks (`*`, `_`, `` ` ``) around the move
are ignored, and so is a final full stop.
"""

from __future__ import annotations

import re

import numpy as np

from boardenvs.core.checks import printable
from boardenvs.game import Game

__all__ = ["LONGEST", "MoveError", "find_move", "read_move"]

LONGEST = 100
"""Maximum number of characters of a move."""
_MARK = re.compile(r"\bmove[*_`\"']{0,4}[ \t]?:", re.IGNORECASE)
_AROUND = " \t*_`'\"\u2018\u2019\u201c\u201d()[]{}<>"  # with typographic quotes


class MoveError(ValueError):
    """The error of an answer without a legal move."""

    def __init__(self, message: str, action: int | None = None) -> None:
        """Create the error.

        Args:
            message: one line for the player.
            action: the illegal action in the answer, if any.
        """
        super().__init__(message)
        self.action = action


def find_move(answer: str) -> str:
    """Return the text of the move in an answer.

    Raises:
        MoveError: the answer has no move.
    """
    marked = [mark.end() for mark in _MARK.finditer(answer)]
    lines = (answer[marked[-1] :] if marked else answer.strip()).splitlines()
    if len(lines) > 1 and not marked:
        raise MoveError('no line of your answer has "Move:" and your move after it')
    move = _bare(lines[0]) if lines else ""
    if not move:
        raise MoveError('nothing stands after the last "Move:"' if marked else "it was empty")
    if len(move) > LONGEST:
        raise MoveError(f"a move has at most {LONGEST} characters")
    return move


def read_move(game: Game, state: np.void, answer: str) -> int:
    """Return the legal action in an answer.

    Args:
        game: the game.
        state: the position of the prompt.
        answer: any text.

    Raises:
        MoveError: the answer has no legal action. The message is one printable line.
    """
    move = find_move(answer)
    try:
        action = game.action_from_text(move, state)
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise MoveError(printable(f"{move}: {reason}")) from None
    if not game.legal(state)[0, action]:
        raise MoveError(printable(f"{move} is not legal here"), action)
    return action


def _bare(text: str) -> str:
    """Return a move without the ignored characters around it."""
    bare = text.strip().strip(_AROUND)
    return bare.removesuffix(".").strip(_AROUND)
