"""`Presentation`: how a game looks to people, beyond its text and its picture."""

from __future__ import annotations

import inspect
import re
from typing import Any, ClassVar, NamedTuple

import numpy as np

from boardenvs.core import checks
from boardenvs.show.svg import Area

__all__ = ["LOOKS", "Presentation", "Span"]

LOOKS = ("cyan", "red", "yellow", "green", "magenta", "faint", "last")
"""How a span may look: in a colour, faint, or marked as that of the last move."""


class Span(NamedTuple):
    """Some characters of one line of a position's console text, as a terminal shows them."""

    line: int
    """Counted from 0."""
    start: int
    """The first character, counted from 0."""
    end: int
    """The character after the last one."""
    look: str
    """One of `LOOKS`; of spans that overlap each counts, so that the last move keeps its colour."""


class Presentation:
    """How a game looks to people in a terminal and on a page. A position is a record of the game.

    Each method has a default. A game replaces those that it has better words or places for, in a
    class that `Game.presentation_class` names.
    """

    seat_colors: ClassVar[tuple[str, ...]] = ("#26282c", "#c23b2e", "#2f7d4f", "#f0932b", "#5a4fa2")
    """CSS colour of each seat: that of its pieces, if it has some."""

    def __init__(self, game: Any) -> None:
        """Present a game, a `boardenvs.Game`."""
        self.game = game

    def rules_in_short(self) -> list[str]:
        """Return the rules in at most about five sentences, for a person who asks in mid-game.

        By default these are the rules that `about` lists, or else its first paragraph.
        """
        about = inspect.cleandoc(self.game.about)
        listed = re.search(r"^- Rules: (.*?)(?=\n- |\n\n|\Z)", about, re.MULTILINE | re.DOTALL)
        rules = " ".join((listed[1] if listed else about.partition("\n\n")[0]).split())
        return [rules] if rules else []

    def setting(self) -> str:
        """Return what this game was made with, in words; by default its arguments."""
        facts = [f"{key.replace('_', ' ')} {value}" for key, value in self.game.params.items()]
        return ", ".join(facts)

    def ended_by(self, state: np.void) -> str:
        """Return what ended a game by its rules, in words.

        Args:
            state: a position that is `terminated`, by no illegal action.

        Returns:
            Of a win or a draw the reason, such as `a line of 3` or `the board is full`; of a
            game of one player a sentence. Empty where the game has no words for it.
        """
        return ""

    def turn_line(self, state: np.void) -> str:
        """Return what the player to move sees and `to_text` does not show, such as the die.

        The text is one line, or "" if there is nothing to add.
        """
        return ""

    def from_turn_line(self, line: str) -> dict[str, Any]:
        """Return what a turn line says, as keyword arguments of `from_text`.

        Args:
            line: as `turn_line` gives it.

        Raises:
            ValueError: `line` is no such line.
        """
        if line:
            raise ValueError(f"expected nothing below the board, got {checks.shown(line)}")
        return {}

    def what_to_type(self, state: np.void) -> str:
        """Return what the player to move types, in the game's words: `a cell such as B2`.

        Args:
            state: a position that is not over.
        """
        return f"a move such as {self.example_move(state)}"

    def example_move(self, state: np.void) -> str:
        """Return a legal move as a player types it.

        Raises:
            ValueError: the game is over.
        """
        state = self.game.arrays.one(state)
        legal = np.flatnonzero(self.game.legal(state)[0])
        if not len(legal):
            raise ValueError("the game is over: there is no move")
        return self.game.action_to_text(int(legal[len(legal) // 2]), state)

    def spans(self, state: np.void) -> list[Span]:
        """Return where pieces and the last move are in `to_text`; by default nothing."""
        return []

    def seat_symbol(self, seat: int) -> str:
        """Return a seat's piece as SVG elements within 24 by 24 units; empty if there is none.

        Raises:
            ValueError: there is no such seat.
        """
        return ""

    def action_area(self, action: int, state: np.void) -> Area | None:
        """Return where in the picture of a position a person points to choose an action.

        Args:
            action: its number, legal in the position.
            state: the position.

        Returns:
            An area, which several actions may share; `None` for an action that has no place in
            the picture.

        Raises:
            ValueError: `action` is not in the action space.
        """
        return None

    def action_target(self, action: int, state: np.void) -> Area | None:
        """Return where in the picture an action moves what stands in its `action_area`.

        Args:
            action: its number, legal in the position.
            state: the position.

        Returns:
            An area, or `None` for an action that moves nothing from there.
        """
        return None
