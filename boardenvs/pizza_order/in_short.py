"""The pizza order in short: the rules in five lines, and what a player types."""

from __future__ import annotations

__all__ = ["rules", "what_to_type"]

_ASKED = {
    "flavor": "a flavour by its name or number, such as {}",
    "ingredients": "an ingredient by its name or number, such as {}",
    "more": "y for one more pizza, n to end the order",
}
_DONE = ", or done"


def rules(most: int) -> list[str]:
    """The rules for orders of so many pizzas at most."""
    return [
        f"You order for a customer, who wants up to {most} pizzas: which ones is told.",
        "For each pizza the shop asks for a flavour; four flavours come with their ingredients.",
        "For Custom you name the ingredients one by one, each once, and then say done.",
        "Then you say y if there are more pizzas, or n, which ends the order.",
        "It is right if it has the pizzas wanted, in any order; only their ingredients count.",
    ]


def what_to_type(asked: str, example: str, *, may_be_done: bool) -> str:
    """What an answer is, with an example.

    Args:
        asked: the question, "flavor", "ingredients" or "more".
        example: an answer.
        may_be_done: whether `done` would be one.
    """
    return _ASKED[asked].format(example) + (_DONE if may_be_done else "")
