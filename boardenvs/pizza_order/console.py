"""The classes and the console dialogue of the pizza order's source document.

`boardenvs.pizza_order.rules` decides which answers the menus accept. The document does not limit
the pizzas of an order, so each pizza is a separate dialogue for these rules.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ClassVar, TypeVar

from boardenvs.game import States
from boardenvs.pizza_order import PizzaOrder as Game
from boardenvs.pizza_order import rules
from boardenvs.pizza_order import text as notation

__all__ = ["Pizza", "PizzaOrder"]

_Answer = TypeVar("_Answer")


class Pizza:
    """A pizza of a flavour; a custom pizza has the given ingredients.

    Attributes:
        flavor: name of the flavour, a key of `flavors`.
        ingreds: ids of ingredients, keys of `ingredients`.

    Raises:
        ValueError: if the flavour or an ingredient is unknown.
    """

    ingredients: ClassVar[dict[int, str]] = dict(enumerate(notation.INGREDIENTS, 1))
    """Name of each id."""
    flavors: ClassVar[dict[str, list[int]]] = {
        name: list(ids) for name, ids in zip(notation.FLAVORS, (*rules.PRESETS, ()), strict=True)
    }
    """Ingredient ids of each flavour; empty for a custom pizza."""

    def __init__(self, flavor: str, custom_ingreds: list[int] | None = None) -> None:
        if flavor not in list(self.flavors):
            raise ValueError(f"flavor must be one of {list(self.flavors)}, got {flavor!r}")
        self.flavor = flavor
        self.ingreds = list(self.flavors[flavor])
        if flavor == "Custom":
            if not isinstance(custom_ingreds, list) or not all(
                type(i) is int and i in self.ingredients for i in custom_ingreds
            ):
                raise ValueError(
                    f"custom_ingreds must be a list of ids from 1 to 15, got {custom_ingreds!r}"
                )
            self.ingreds = list(custom_ingreds)

    def __str__(self) -> str:
        return f"{self.flavor} ({', '.join(self.ingredients[i] for i in self.ingreds)})"


class PizzaOrder:
    """An order of pizzas; the constructor asks for the pizzas at the keyboard.

    Attributes:
        order: number of the order, counted from 1.
        pizza_list: pizzas of the order.

    Raises:
        EOFError: if the input ends before the order.
    """

    total_orders: ClassVar[int] = 0
    """Number of orders begun so far."""

    def __init__(self) -> None:
        PizzaOrder.total_orders += 1
        self.order = PizzaOrder.total_orders
        self.pizza_list: list[Pizza] = []
        print(f"Pizza order {self.order}:")
        more = True
        while more:
            self.pizza_list.append(Pizza(*self.select_menu()))
            more = _ask(notation.ASKS_MORE, "Please answer y or n.", _more)

    @staticmethod
    def select_menu() -> tuple[str, list[int] | None]:
        """Ask for one pizza.

        Returns:
            The flavour, and the ids of the ingredients for "Custom", else `None`.

        Raises:
            EOFError: if the input ends before the answer.
        """
        states = _game().start.copy()
        states["num_wanted"] = 1  # any valid number
        print(notation.FLAVOR_MENU, end="")
        hint = f"Please enter a number from 1 to {len(notation.FLAVORS)}."
        flavor = _ask(notation.ASKS_FLAVOR, hint, functools.partial(_flavor, states))
        if flavor != rules.CUSTOM:
            return notation.FLAVORS[flavor], None
        print(notation.INGREDIENT_MENU, end="")
        hint = "Please enter one or more numbers from 1 to 15, with blanks between."
        return notation.FLAVORS[flavor], _ask(
            notation.ASKS_INGREDIENTS, hint, functools.partial(_ingredients, states)
        )

    def __str__(self) -> str:
        return notation.summary_text(self.order, [str(pizza) for pizza in self.pizza_list])


def _ask(question: str, hint: str, read: Callable[[str], _Answer]) -> _Answer:
    """Ask until `read` does not raise `ValueError` for the answer."""
    while True:
        try:
            return read(input(question))
        except ValueError:  # also if the input cannot be decoded
            print(hint)


def _flavor(states: States, text: str) -> int:
    """Return the flavour of an answer, 0 to 4, and play it in `states`."""
    flavor = notation.number_from_text(text, len(notation.FLAVORS)) - 1
    _game().play(states, [flavor], illegal="raise")
    return flavor


def _ingredients(states: States, text: str) -> list[int]:
    """Return the ids of the ingredients of an answer, if the rules accept all of them.

    An ingredient may be repeated, as in the document, although the rules accept it only once.
    """
    ids = [notation.number_from_text(word, rules.INGREDIENTS) for word in text.split()]
    tried = states.copy()
    for action in [*(rules.FIRST + i - 1 for i in dict.fromkeys(ids)), rules.DONE]:
        _game().play(tried, [action], illegal="raise")
    return ids


def _more(text: str) -> bool:
    """Return whether the customer wants more pizzas."""
    answer = text.strip().lower()
    if answer not in ("y", "n"):
        raise ValueError(f"expected y or n, got {answer!r}")
    return answer == "y"


@functools.cache
def _game() -> Game:
    return Game(rules.MOST)
