"""How a move is found in an answer.

The move is what follows the last `Move:` on its line, in capitals or not. Where there is no
`Move:`, the whole answer is the move, if it has one line. Around the move blanks, quotes, brackets
and the marks of Markdown (`*`, `_`, `` ` ``) are left out, and a full stop at its end.
"""

from __future__ import annotations

import re

import numpy as np

from boardenvs.core.checks import printable
from boardenvs.game import Game

__all__ = ["LONGEST", "MoveError", "find_move", "read_move"]

LONGEST = 100
"""Characters that a move may have."""
_MARK = re.compile(r"\bmove[*_`\"']{0,4}[ \t]?:", re.IGNORECASE)
_AROUND = " \t*_`'\"\u2018\u2019\u201c\u201d()[]{}<>"  # with the quotes that typographers use


class MoveError(ValueError):
    """An answer holds no legal move."""

    def __init__(self, message: str, action: int | None = None) -> None:
        """Say what is wrong.

        Args:
            message: one line, as the player is told.
            action: the action that was meant, if it is one at all.
        """
        super().__init__(message)
        self.action = action


def find_move(answer: str) -> str:
    """The text of the move in an answer.

    Raises:
        MoveError: there is none.
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
    """The legal action that an answer names.

    Args:
        game: what is played.
        state: the position that was asked about.
        answer: any text.

    Raises:
        MoveError: it names none; one printable line says why.
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
    """A move without what stands around it."""
    bare = text.strip().strip(_AROUND)
    return bare.removesuffix(".").strip(_AROUND)
