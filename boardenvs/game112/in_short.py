"""The 112 game in short: the rules in five lines, and what a player types."""

from __future__ import annotations

__all__ = ["rules", "what_to_type"]


def rules(size: int) -> list[str]:
    """The rules for a row of any size."""
    return [
        f"Both players fill one row of {size} places, in turn.",
        "A turn puts a 1 or a 2 on any empty place.",
        "Whoever makes three neighbours read 1, 1, 2 wins, whoever put the others.",
        "They are read from left to right: 2, 1, 1 is nothing.",
        "A full row without it is a tie.",
    ]


def what_to_type(size: int, example: str) -> str:
    """What a move is, with an example."""
    return f"a place from 1 to {size} and a 1 or a 2, such as {example}"
