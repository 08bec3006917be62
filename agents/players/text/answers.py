r"""Moves in the answers of text players.

The first of these that an answer has is its move:

1. the text in the last `\boxed{...}` or `<answer>...</answer>`,
2. the rest of the line after the last `Move:` or `Answer:`, or the next line if the rest is empty,
3. the last line.

Text up to `</think>` and tokens such as `</s>` are ignored. So are blanks, quotes, brackets and
Markdown marks around the move, a final full stop, and a remark in brackets after the move.
Different boxed or tagged answers are an error.
"""

from __future__ import annotations

import re

import numpy as np

from boardenvs.core.checks import printable
from boardenvs.game import Game

__all__ = ["LONGEST", "MoveError", "find_move", "read_move"]

LONGEST = 100
"""Maximum number of characters of a move."""
_TOKEN = re.compile(r"<\|\w{1,30}\|>|</s>|<eos>|<end_of_turn>")
_BOXED = re.compile(r"\\boxed\s?\{((?:[^{}]|\{[^{}]*\})*)\}")
_MARK = re.compile(r"\b(?:move|answer)[*_`\"']{0,4}[ \t]?:", re.IGNORECASE)
_STRICT_MARK = re.compile(r"\bmove[*_`\"']{0,4}[ \t]?:", re.IGNORECASE)
_LATEX_FONT = re.compile(r"\\(?:text|textbf|texttt|mathrm|mathbf)\s?\{([^{}]*)\}")
_LATEX_BLANK = re.compile(r"\\[ ,;:]|~")
_MARKS = " \t*_`$'\"\u2018\u2019\u201c\u201d"  # with typographic quotes
_AROUND = _MARKS + "()[]{}<>"
_REMARK = re.compile(r"([^()\[\]]+)[(\[](.*)[)\]]")


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


def find_move(answer: str, *, strict: bool = False) -> str:
    """Return the line of an answer with its move, which may have marks and a remark around it.

    Args:
        answer: any text.
        strict: see `read_move`.

    Raises:
        MoveError: the answer has no move, or has different boxed or tagged answers.
    """
    if not strict:
        answer = _TOKEN.sub("", answer.rpartition("</think>")[2])
        tagged = [text.partition("</answer>") for text in answer.split("<answer>")[1:]]
        final = [
            *_BOXED.findall(answer),
            *(_BOXED.sub(r"\1", text) for text, tag, _ in tagged if tag),
        ]
        if len({_bare(text).lower() for text in final}) > 1:
            found = " and ".join(_bare(text)[:LONGEST] for text in (final[0], final[-1]))
            raise MoveError(printable(f"it has different moves, {found}"))
        answer = final[-1] if final else answer
    marks = list((_STRICT_MARK if strict else _MARK).finditer(answer))
    lines = (answer[marks[-1].end() :] if marks else answer.strip()).splitlines()
    if strict and not marks and len(lines) > 1:
        raise MoveError('no line of your answer has "Move:" and your move after it')
    lines = [line.strip() for line in (lines[:1] if strict else lines) if _bare(line)]
    if not lines:
        error = f'nothing stands after the last "{marks[-1][0]}"' if marks else "it was empty"
        raise MoveError(printable(error))
    return lines[0] if marks else lines[-1]


def read_move(game: Game, state: np.void, answer: str, *, strict: bool = False) -> int:
    """Return the legal action in an answer.

    Args:
        game: the game.
        state: the position of the prompt.
        answer: any text.
        strict: whether the move must be the rest of the line after the last `Move:`, or the whole
            answer, without a remark.

    Raises:
        MoveError: the answer has no legal action. The message is one printable line.
    """
    line = find_move(answer, strict=strict)
    text, remark = (_bare(line), "") if strict else _without_remark(line)
    if len(text) > LONGEST:
        raise MoveError(f"a move has at most {LONGEST} characters")
    try:
        action = game.action_from_text(text, state)
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise MoveError(printable(f"{line[:LONGEST]}: {reason}")) from None
    if not game.legal(state)[0, action]:
        raise MoveError(printable(f"{text} is not legal here"), action)
    if remark and _is_other_move(game, state, remark, action):
        raise MoveError(printable(f"it has different moves, {text} and {remark}"))
    return action


def _is_other_move(game: Game, state: np.void, text: str, action: int) -> bool:
    """Return whether a text is a legal move other than `action`."""
    try:
        other = game.action_from_text(text, state)
    except ValueError:
        return False
    return other != action and bool(game.legal(state)[0, other])


def _without_remark(line: str) -> tuple[str, str]:
    """Return the move of a line, and the remark in brackets after the move, or ""."""
    found = _REMARK.fullmatch(_plain(line).strip(_MARKS).removesuffix(".").strip(_MARKS))
    return (_bare(found[1]), _bare(found[2])) if found else (_bare(line), "")


def _bare(text: str) -> str:
    """Return a move without the ignored characters around it."""
    bare = _plain(text).strip().strip(_AROUND)
    return bare.removesuffix(".").strip(_AROUND)


def _plain(text: str) -> str:
    """Return a text without LaTeX commands for blanks and fonts."""
    return _LATEX_FONT.sub(r"\1", _LATEX_BLANK.sub(" ", text))
