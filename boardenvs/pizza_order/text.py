"""The console format of the pizza order: the dialogue so far, line by line."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from boardenvs.core.checks import shown, text_value
from boardenvs.pizza_order.rules import CUSTOM, DONE, FIRST, NO, PRESETS, YES
from boardenvs.show.presentation import Span

__all__ = [
    "ASKS_FLAVOR",
    "ASKS_INGREDIENTS",
    "ASKS_MORE",
    "FLAVORS",
    "FLAVOR_MENU",
    "INGREDIENTS",
    "INGREDIENT_MENU",
    "Pizza",
    "action_from_text",
    "action_to_text",
    "answers_from_text",
    "dialogue_text",
    "last_answer",
    "number_from_text",
    "pizza_text",
    "summary_text",
    "wanted_from_text",
]

INGREDIENTS = (
    *("Ham", "Sausage", "Bacon", "Beef", "Meatball"),
    *("Spinach", "Olive", "Mushroom", "Tomato", "Eggplant"),
    *("Garlic", "Cheese", "Pineapple", "Onion", "Caper"),
)
"""Names of ingredients 1 to 15."""
FLAVORS = ("Hawaiian", "Garden Feast", "Meat Festival", "Carbonara", "Custom")
"""Names of the flavours in menu order."""

FLAVOR_MENU = "".join(f"{number}. {name}\n" for number, name in enumerate(FLAVORS, 1))
INGREDIENT_MENU = "".join(
    ", ".join(f"{i}: {INGREDIENTS[i - 1]}" for i in range(first, first + 5)) + "\n"
    for first in (1, 6, 11)
)
ASKS_FLAVOR = "Select a flavor: "
ASKS_INGREDIENTS = "Select id's of ingredients: "
ASKS_MORE = "Do you want more pizzas (y/n)? "

Pizza = tuple[int, Sequence[int]]
"""A flavour, 0 to 4, and the ingredients in the order of the answers."""

_ANSWERS = [*FLAVORS, *INGREDIENTS, "done", "y", "n"]
_ACTIONS = {name.lower(): action for action, name in enumerate(_ANSWERS)} | {"yes": YES, "no": NO}


def number_from_text(text: str, highest: int) -> int:
    """Return an integer from 1 to `highest`, ignoring surrounding blanks.

    Raises:
        ValueError: if the text is not such a number.
    """
    digits = text.strip()
    # Python refuses to convert very long numbers, so limit the digits.
    if re.fullmatch("0*[1-9][0-9]{0,3}", digits) and int(digits) <= highest:
        return int(digits)
    raise ValueError(f"expected a number from 1 to {highest}, got {text.strip()!r}")


# -- The dialogue -------------------------------------------------------------------------


def pizza_text(flavor: int, ids: Sequence[int]) -> str:
    """Return a pizza in the format of the summary, such as `Carbonara (Bacon, Cheese)`."""
    return f"{FLAVORS[flavor]} ({', '.join(INGREDIENTS[i - 1] for i in ids)})"


def summary_text(number: int, pizzas: Sequence[str]) -> str:
    """Return the summary of an order, without the last newline."""
    lines = [f"{k}. {pizza}" for k, pizza in enumerate(pizzas, 1)]
    return "\n".join([f"Pizza order {number}'s summary:", *lines])


def dialogue_text(pizzas: Sequence[Pizza], open_end: str) -> str:
    """Return the dialogue of the first order so far.

    Args:
        pizzas: all pizzas with a flavour.
        open_end: current question, "flavor", "ingredients" or "more"; "nothing" if the order is
            complete.
    """
    parts = ["Pizza order 1:\n"]
    for k, (flavor, ingredients) in enumerate(pizzas, 1):
        parts.append(f"{FLAVOR_MENU}{ASKS_FLAVOR}{flavor + 1}\n")
        if flavor == CUSTOM:
            ids = " ".join(map(str, ingredients))
            parts.append(f"{INGREDIENT_MENU}{ASKS_INGREDIENTS}{ids}\n")
        if k < len(pizzas) or open_end == "flavor":
            parts.append(f"{ASKS_MORE}y\n")
    if open_end == "flavor":
        parts.append(f"{FLAVOR_MENU}{ASKS_FLAVOR}\n")
    elif open_end == "more":
        parts.append(f"{ASKS_MORE}\n")
    elif open_end == "nothing":
        summary = summary_text(1, [pizza_text(*pizza) for pizza in pizzas])
        parts.append(f"{ASKS_MORE}n\n{summary}\n")
    return "".join(parts)


def answers_from_text(text: str, most: int) -> list[int]:
    """Return the actions of a dialogue, without checking the text between the answers.

    Args:
        text: a text from `dialogue_text`.
        most: number of pizzas after which the shop asks for no more.

    Raises:
        ValueError: if an answer is invalid.
    """
    actions: list[int] = []
    lines = text_value("text", text).splitlines()
    pizzas = 0
    for left, line in zip(range(len(lines) - 1, -1, -1), lines, strict=True):
        if answer := _answer(line, ASKS_FLAVOR):
            actions.append(number_from_text(answer, len(FLAVORS)) - 1)
            pizzas += 1
        elif (answer := _answer(line, ASKS_INGREDIENTS)) is not None:
            ids = [number_from_text(word, len(INGREDIENTS)) for word in answer.split()]
            actions += [FIRST + i - 1 for i in ids] + [DONE] * (left > 0)
        elif (answer := _answer(line, ASKS_MORE)) and pizzas < most:
            actions.append(YES if answer == "y" else NO)
    return actions


def wanted_from_text(line: str) -> list[list[int]]:
    """Return each pizza's ingredients from a line such as `Wanted: 1. Custom (Bacon, Cheese)`.

    Raises:
        ValueError: if the line is malformed.
    """
    found = re.fullmatch(r"Wanted: (.+)", text_value("text", line).strip())
    pizzas = re.findall(r"\(([^()]*)\)", found[1]) if found else []
    if not pizzas:
        raise ValueError(f"expected a line such as 'Wanted: 1. Custom (Bacon)', got {shown(line)}")
    try:
        return [[INGREDIENTS.index(one) + 1 for one in pizza.split(", ")] for pizza in pizzas]
    except ValueError:
        raise ValueError(
            f"ingredients must be names from the menu such as Bacon, got {shown(line)}"
        ) from None


def last_answer(text: str) -> list[Span]:
    """Return the place of the last answer in a dialogue; an empty list without one."""
    found: list[Span] = []
    for number, line in enumerate(text.splitlines()):
        if any(_answer(line, asked) for asked in (ASKS_FLAVOR, ASKS_INGREDIENTS, ASKS_MORE)):
            start = line.rindex(" ") + 1
            found = [Span(number, start, len(line), "last")]
    return found


def _answer(line: str, question: str) -> str | None:
    """Return the rest of a line after a question; `None` if the line is another one."""
    question = question.rstrip()
    return line.removeprefix(question).strip() if line.startswith(question) else None


# -- One answer ---------------------------------------------------------------------------


def action_to_text(action: int) -> str:
    """Return the name of a flavour or an ingredient, `done`, `y` or `n`."""
    return _ANSWERS[action]


def action_from_text(text: str, asks: str | None) -> int:
    """Return the action of an answer, ignoring case and surrounding blanks.

    Args:
        text: a name, `done`, `y`, `yes`, `n` or `no`; or a number from the menu.
        asks: question that a number answers, "flavor" or "ingredients"; other values refuse
            numbers.

    Raises:
        ValueError: if the answer is invalid.
    """
    answer = " ".join(text_value("text", text).split()).lower()
    if answer in _ACTIONS:
        return _ACTIONS[answer]
    if asks == "flavor" and answer.isdigit():
        return number_from_text(text, len(FLAVORS)) - 1
    if asks == "ingredients" and answer.isdigit():
        return FIRST + number_from_text(text, len(INGREDIENTS)) - 1
    raise ValueError(
        f"expected a flavour, an ingredient, done, y or n, got {text.strip()!r}; a number "
        "answers the question for a flavour or an ingredient"
    )


def wanted(state: np.void) -> list[list[int]]:
    """Return the ingredient ids of each wanted pizza, in ascending order."""
    sets = state["wanted"].tolist()[: state["num_wanted"].item()]
    return [[i + 1 for i in range(len(INGREDIENTS)) if ids >> i & 1] for ids in sets]


def flavor_of(ids: Sequence[int]) -> int:
    """Return the flavour with these ingredients, else custom."""
    return PRESETS.index(tuple(ids)) if tuple(ids) in PRESETS else CUSTOM
