"""Gekitai in short: the rules in five lines, and what a player types."""

from __future__ import annotations

__all__ = ["rules", "what_to_type"]


def rules(pieces: int, line_length: int) -> list[str]:
    """The rules for boards of any size."""
    return [
        f"X and O take turns to place one of their {pieces} pieces on any empty cell.",
        "It pushes each neighbour, of either colour, one cell straight away from it, if the cell "
        "beyond is free.",
        "A piece pushed off the board returns to its owner's hand; a pushed piece pushes nothing.",
        f"{line_length} in an unbroken row, column or diagonal win; so do all {pieces} pieces on "
        "the board.",
        "If both players have that at once, the one who moved wins.",
    ]


def what_to_type(example: str) -> str:
    """What a move is, with an example."""
    return f"an empty cell such as {example}"
