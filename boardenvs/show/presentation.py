"""`Presentation`: how a game is named, shown, drawn and written: `Game` without its rules."""

from __future__ import annotations

import abc
import inspect
import re
from typing import Any, ClassVar, NamedTuple

import numpy as np

from boardenvs.core import checks

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


class Presentation(abc.ABC):
    """A game as people read it. A position is a record, as `boardenvs.Game` has it."""

    name: ClassVar[str]
    """As `boardenvs.make` takes it."""
    title: ClassVar[str] = ""
    """What people call the game; by default the name of its class."""
    about: ClassVar[str] = ""
    """Description of the game: a sentence, then optionally a list of facts, such as `- Rules: ...`.

    The command and the pages show it. It is not a docstring, since `python -OO` removes those.
    """
    seat_colors: ClassVar[tuple[str, ...]] = ("#26282c", "#c23b2e", "#2f7d4f", "#f0932b", "#5a4fa2")
    """Of the seats, in their order, as CSS has them: those of their pieces, if they have some."""
    seat_names: tuple[str, ...]
    """What the console calls each seat."""
    params: dict[str, Any]
    """What the game was made with, defaults included, as JSON gives it back."""

    # -- Text ---------------------------------------------------------------------------

    def aside(self, state: np.void) -> str:
        """What the player to move sees and `to_text` does not show, such as the throw of a die.

        One line, or "" where there is no more to say.
        """
        return ""

    def rules_in_short(self) -> list[str]:
        """Return the rules in at most about five sentences, for a person who asks in mid-game.

        By default these are the rules that `about` lists, or else its first paragraph.
        """
        about = inspect.cleandoc(self.about)
        told = re.search(r"^- Rules: (.*?)(?=\n- |\n\n|\Z)", about, re.MULTILINE | re.DOTALL)
        rules = " ".join((told[1] if told else about.partition("\n\n")[0]).split())
        return [rules] if rules else []

    def what_to_type(self, state: np.void) -> str:
        """What the player to move types there, in the game's words, such as `a cell such as B2`.

        Args:
            state: a position that is not over.
        """
        return f"a move such as {self.example_move(state)}"

    def spans(self, state: np.void) -> list[Span]:
        """What stands where in `to_text`: whose pieces, and the last move; by default nothing."""
        return []

    def from_aside(self, line: str) -> dict[str, Any]:
        """What an aside tells, as keyword arguments of `from_text`.

        Args:
            line: as `aside` gives it.

        Raises:
            ValueError: it is none.
        """
        if line:
            raise ValueError(f"expected nothing below the board, got {checks.shown(line)}")
        return {}

    @abc.abstractmethod
    def example_move(self, state: np.void) -> str:
        """A legal move as a player types it.

        Raises:
            ValueError: the game is over.
        """

    @abc.abstractmethod
    def to_text(self, state: np.void) -> str:
        """One position in the console format, each line ended by a newline."""

    @abc.abstractmethod
    def from_text(
        self, text: str, *, to_move: int | None = None, ply: int | None = None
    ) -> np.void:
        """The position that a text shows.

        Args:
            text: as `to_text` writes it.
            to_move: whose turn it is. Required where the text does not tell and the
                position does not imply it, so that no text is read as another position.
            ply: how many plies were played; by default the fewest possible.

        Raises:
            ValueError: the text shows no valid position, or `to_move` is missing.
        """

    @abc.abstractmethod
    def action_to_text(self, action: int, state: np.void | None = None) -> str:
        """An action as a player types it.

        Args:
            action: its number.
            state: the position it is played in, for games whose notation depends on it.

        Raises:
            ValueError: the action is not in the action space.
        """

    @abc.abstractmethod
    def action_from_text(self, text: str, state: np.void | None = None) -> int:
        """The number of an action that a player typed.

        Raises:
            ValueError: it is malformed or not in the action space.
        """

    # -- Pictures -----------------------------------------------------------------------

    def picture(self, state: np.void) -> str:
        """One position as an SVG image; unless the game draws its own, its text.

        It shows what lies open on the table: the last move and the winning line marked,
        what nobody has turned over yet face down. At the end of a notebook's cell,
        `game.picture(state)` shows itself, if it comes from `boardenvs.show.svg.svg`.

        A game's pictures should all have the same size, whatever the position: else
        `rgb_array` shrinks those that are larger than the first.
        """
        from boardenvs.show.svg import text_picture

        return text_picture(self.to_text(state), f"{self.name}: a position")

    def setting(self) -> str:
        """What this game was made with, in words; by default its arguments."""
        said = [f"{key.replace('_', ' ')} {value}" for key, value in self.params.items()]
        return ", ".join(said)

    def ended_by(self, state: np.void) -> str:
        """What ended a game by its rules, in words.

        Args:
            state: a position that is `terminated`, by no illegal action.

        Returns:
            Of a win or a draw the reason, such as `a line of 3` or `the board is full`; of a
            game of one player a sentence. Empty where the game has no words for it.
        """
        return ""

    def seat_symbol(self, seat: int) -> str:
        """The piece of a seat as SVG elements within 24 by 24 units; empty where it has none.

        Raises:
            ValueError: there is no such seat.
        """
        return ""

    def action_area(self, action: int, state: np.void) -> tuple[float, float, float, float] | None:
        """Where in the picture of a position a person points to choose an action.

        Args:
            action: its number, legal in the position.
            state: the position.

        Returns:
            x, y, width and height in the picture's user units; several actions may have the
            same area. `None` for an action that has no place in the picture.

        Raises:
            ValueError: the action is none.
        """
        return None

    def action_target(
        self, action: int, state: np.void
    ) -> tuple[float, float, float, float] | None:
        """Where in the picture an action moves what stands in its `action_area`.

        Args:
            action: its number, legal in the position.
            state: the position.

        Returns:
            An area as `action_area` has it, or `None` for an action that moves nothing from there.
        """
        return None
