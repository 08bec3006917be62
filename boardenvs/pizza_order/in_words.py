"""The pizza order in words: what it is about, and what ends it."""

from __future__ import annotations

from boardenvs.words import number

__all__ = ["RIGHT", "WRONG", "setting"]

RIGHT = "The order is right: it has the pizzas wanted."
WRONG = "The order is wrong: these are not the pizzas wanted."


def setting(most: int) -> str:
    """What an order may have."""
    return "one pizza" if most == 1 else f"one to {number(most)} pizzas"
