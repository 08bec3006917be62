"""Gomoku in short: the rules in five lines, and what a player types."""

from __future__ import annotations

__all__ = ["rules", "what_to_type"]


def rules(win_length: int, *, exact: bool) -> list[str]:
    """The rules for boards of any size.

    Args:
        win_length: how many in a line win.
        exact: whether more do not.
    """
    wins = (
        f"Just {win_length} in an unbroken row, column or diagonal win; a line of more does not."
        if exact
        else f"{win_length} or more in an unbroken row, column or diagonal win."
    )
    return [
        "Black ● begins, white ○ follows; in turn each puts a stone where two lines cross.",
        "Stones are never moved or taken away.",
        wins,
        "A full board without such a line is a draw.",
        "Rows have the numbers at the right, counted from 0; columns have the letters above.",
    ]


def what_to_type(example: str) -> str:
    """What a move is, with an example."""
    return f"row and column of an empty place, such as {example}"
