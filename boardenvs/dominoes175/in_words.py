"""Dominoes 175 in words: what it is played with, and what ends it."""

from __future__ import annotations

from boardenvs.dominoes175.rules import CELLS, GOAL, STACKS
from boardenvs.words import number

__all__ = ["SETTING", "lost", "won"]

SETTING = f"{CELLS} tiles face down, {number(STACKS)} stacks, {number(GOAL)} tiles in one win"


def won() -> str:
    """What has won."""
    return f"Won: a stack of {number(GOAL)} tiles."


def lost(tile: str) -> str:
    """What has lost: a tile, such as `1-4`."""
    return f"Lost: the tile {tile} fits on no stack."
