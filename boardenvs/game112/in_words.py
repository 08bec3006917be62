"""The 112 game in words: what it is played with, and what ends it."""

from __future__ import annotations

__all__ = ["FULL", "WON", "setting"]

FULL = "the row is full"
WON = "1, 1, 2 in a row"


def setting(board_size: int) -> str:
    """What a game is played with."""
    return f"a row of {board_size}; 1, 1, 2 from left to right wins"
