"""Goat Race in short: the rules in five lines, and what a player types."""

from __future__ import annotations

from string import ascii_uppercase

from boardenvs.goat_race.positions import ARRIVALS, GOATS

__all__ = ["rules", "what_to_type"]


def rules(width: int, *, jump: bool) -> list[str]:
    """The rules for boards of any size.

    Args:
        width: how many columns there are.
        jump: whether the game goes on while a goat can move sideways.
    """
    last = ascii_uppercase[width - 1]
    drawn = "or sideways, it is a draw" if jump else "it is a draw"
    return [
        f"Who first has {ARRIVALS} of {GOATS} goats in column {last} wins, whoever moved them.",
        "First all goats are placed in column A, in turn, in rows whose stacks are lowest there.",
        "Then, in each turn, a die is thrown: first you may move one goat of yours one row up or "
        "down.",
        "Then you must move one goat, of any colour, in the row of the die one column forward.",
        "Only the top of a stack moves, onto goats too, but not onto X. If no goat can move "
        f"forward, {drawn}.",
    ]


def what_to_type(decision: str, die: int, example: str) -> str:
    """What a move is, with an example.

    Args:
        decision: one of `boardenvs.goat_race.text.DECISIONS`.
        die: the throw, 0 for none.
        example: a legal move.
    """
    if decision == "place":
        return f"a row to place a goat in, such as {example}"
    if decision == "sideways":
        return f"a goat of yours one row up or down, such as {example}, or s to stay"
    return f"a goat of row {die} one column forward, such as {example}"
