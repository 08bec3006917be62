"""Gomoku in words: what it is played with, and what ends it."""

from __future__ import annotations

from boardenvs.words import number

__all__ = ["FULL", "setting", "won_by"]

FULL = "the board is full"


def setting(board_size: int, win_length: int, exact: bool) -> str:
    """What a game is played with."""
    just = "just " if exact else ""
    return f"{board_size} by {board_size} lines, {just}{number(win_length)} in a row win"


def won_by(win_length: int, exact: bool) -> str:
    """What has won."""
    return f"a line of {'just ' if exact else ''}{number(win_length)}"
