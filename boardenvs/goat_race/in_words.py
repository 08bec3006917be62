"""Goat Race in words: what it is played with, and what ends it."""

from __future__ import annotations

from string import ascii_uppercase

from boardenvs.goat_race.positions import ARRIVALS
from boardenvs.words import number

__all__ = ["WON", "drawn", "setting"]

WON = f"{number(ARRIVALS)} goats in the Destination"


def setting(players: int, height: int, width: int, *, jump: bool) -> str:
    """What a game is played with."""
    more = ", drawn when no goat can move at all" if jump else ""
    return (
        f"{number(players)} players, {height} rows and {width} columns, "
        f"{number(ARRIVALS)} goats in column {ascii_uppercase[width - 1]} win{more}"
    )


def drawn(*, jump: bool) -> str:
    """Why nobody has won."""
    return "no goat can move" if jump else "no goat can move forward"
