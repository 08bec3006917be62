"""`Presentation`: the appearance of a game in terminals and on pages."""

from __future__ import annotations

import inspect
import re
from typing import Any, ClassVar

import numpy as np

from boardenvs.core import checks
from boardenvs.show.fields import piece_spans, seat_piece
from boardenvs.show.spans import LOOKS, Span
from boardenvs.show.svg import Area

__all__ = ["LOOKS", "Presentation", "Span"]


class Presentation:
    """The appearance of a game in a terminal and on a page. A position is a record of the game.

    Every method has a default. A game overrides methods in its `Game.presentation_class`.
    """

    seat_colors: ClassVar[tuple[str, ...]] = ("#26282c", "#c23b2e", "#2f7d4f", "#f0932b", "#5a4fa2")
    """CSS colour of each seat, which is the colour of its pieces, if any."""

    def __init__(self, game: Any) -> None:
        """Create the presentation of a `boardenvs.Game`."""
        self.game = game

    def rules_in_short(self) -> list[str]:
        """Return the rules in about five sentences, for help during a game.

        The default is the list entry `Rules` of `about`, or its first paragraph.
        """
        about = inspect.cleandoc(self.game.about)
        listed = re.search(r"^- Rules: (.*?)(?=\n- |\n\n|\Z)", about, re.MULTILINE | re.DOTALL)
        rules = " ".join((listed[1] if listed else about.partition("\n\n")[0]).split())
        return [rules] if rules else []

    def setting(self) -> str:
        """Return the parameters of the game in words, by default their names and values."""
        facts = [f"{key.replace('_', ' ')} {value}" for key, value in self.game.params.items()]
        return ", ".join(facts)

    def ended_by(self, state: np.void) -> str:
        """Return the reason for the end of a game, in words.

        Args:
            state: a position that is `terminated`, but not by an illegal action.

        Returns:
            The reason for a win or a draw, such as `a line of 3` or `the board is full`, or a
            sentence for games of one player. Empty by default.
        """
        return ""

    def turn_line(self, state: np.void) -> str:
        """Return information of the player to move that `to_text` lacks, such as the die.

        The text is one line, or "" if there is none.
        """
        return ""

    def from_turn_line(self, line: str) -> dict[str, Any]:
        """Parse a turn line, and return keyword arguments of `from_text`.

        Args:
            line: text of `turn_line`.

        Raises:
            ValueError: `line` is not valid.
        """
        if line:
            raise ValueError(f"text must have nothing below the board, got {checks.shown(line)}")
        return {}

    def what_to_type(self, state: np.void) -> str:
        """Return a description of the expected input, such as `a cell such as B2`.

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
            raise ValueError(
                "state must be a position with a legal action, got a game that is over"
            )
        return self.game.action_to_text(int(legal[len(legal) // 2]), state)

    def spans(self, state: np.void) -> list[Span]:
        """Return the spans of pieces and of the last move in `to_text`.

        The default is the spans of the pieces, if `to_text` is the default and `cell_symbols` has
        a symbol for each seat.
        """
        return piece_spans(self.game, state)

    def seat_symbol(self, seat: int) -> str:
        """Return a seat's piece as SVG elements within 24 by 24 units, empty without pieces.

        The default is the piece of the default picture.

        Raises:
            ValueError: `seat` is out of range.
        """
        return "".join(seat_piece(self.game, seat, 12, 12, 11))

    def action_area(self, action: int, state: np.void) -> Area | None:
        """Return the area of the picture that a person clicks to choose an action.

        Args:
            action: number of a legal action.
            state: the position.

        Returns:
            An area, which several actions may share, or `None` for an action without a place in
            the picture.

        Raises:
            ValueError: `action` is not in the action space.
        """
        return None

    def action_target(self, action: int, state: np.void) -> Area | None:
        """Return the area of the picture to which an action moves the piece in its `action_area`.

        Args:
            action: number of a legal action.
            state: the position.

        Returns:
            An area, or `None` for an action that does not move a piece from its area.
        """
        return None
