"""Dominoes 175 in short: the rules in five lines, and what a player types."""

from __future__ import annotations

from boardenvs.dominoes175.rules import CELLS, GOAL, STACKS

__all__ = ["RULES", "what_to_type"]

RULES = [
    f"{CELLS} tiles, one for each pair of ends from 0 to 6 dots, lie face down.",
    f"You turn one over and play it on one of {STACKS} stacks.",
    "On an empty stack any tile fits; on another one, an end must match the dots on top, and the "
    "other end is then on top.",
    f"A stack of {GOAL} tiles wins at once.",
    "A tile that fits on no stack loses as soon as it is turned over.",
]


def what_to_type(hand: str, example: str) -> str:
    """What a move is, with an example.

    Args:
        hand: the tile in hand, "" for none.
        example: a legal move.
    """
    if hand:
        return f"for {hand}, a stack and the end to be on top, such as {example}"
    return f"row,column of a tile to turn over, such as {example}"
