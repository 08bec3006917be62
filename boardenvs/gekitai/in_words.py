"""Gekitai in words: what it is played with, and what ends it."""

from __future__ import annotations

from boardenvs.words import number

__all__ = ["setting", "won_by"]


def setting(board_size: int, pieces: int, line_length: int) -> str:
    """What a game is played with."""
    won = f"{number(line_length)} in a row win"
    return f"{board_size} by {board_size} cells, {pieces} pieces each, {won}"


def won_by(line_length: int, pieces: int, *, line: bool) -> str:
    """What has won: a line, or all pieces on the board."""
    return (
        f"a line of {number(line_length)}" if line else f"having all {pieces} pieces on the board"
    )
