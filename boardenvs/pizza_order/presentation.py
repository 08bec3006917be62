"""The presentation of the pizza order; see `boardenvs.show.presentation`."""

from __future__ import annotations

from typing import Any

import numpy as np

from boardenvs.core.checks import counted, whole_number
from boardenvs.pizza_order import rules
from boardenvs.pizza_order import text as notation
from boardenvs.pizza_order.picture import answer_area
from boardenvs.show.presentation import Presentation, Span
from boardenvs.show.svg import Area

__all__ = ["PizzaOrderPresentation"]


class PizzaOrderPresentation(Presentation):
    """The presentation of the pizza order."""

    def turn_line(self, state: np.void) -> str:
        pizzas = [
            notation.pizza_text(notation.flavor_of(ids), ids)
            for ids in notation.wanted(self.game.arrays.one(state))
        ]
        return "Wanted: " + "; ".join(f"{k}. {pizza}" for k, pizza in enumerate(pizzas, 1))

    def from_turn_line(self, line: str) -> dict[str, Any]:
        return {"wanted": notation.wanted_from_text(line)} if line else {}

    def rules_in_short(self) -> list[str]:
        most = self.game.max_pizzas
        return [
            f"You order up to {counted(most, 'pizza')} for a customer. You know which pizzas the "
            "customer wants.",
            "For each pizza, the shop asks for a flavour. Four flavours have fixed ingredients.",
            "For the flavour Custom, you name each ingredient once and then answer done.",
            "After each pizza, answer y to order another pizza, or n to end the order.",
            "The order is right if it contains the wanted pizzas in any order. Only their "
            "ingredients count.",
        ]

    def what_to_type(self, state: np.void) -> str:
        record = self.game.arrays.one(state)
        legal = self.game.legal(record)[0]
        example = self.game.action_to_text(int(legal.argmax()))
        if record["asks"] == rules.MORE:
            return "y for one more pizza, n to end the order"
        if record["asks"] == rules.FLAVOR:
            return f"a flavour by its name or number, such as {example}"
        done = ", or done" if legal[rules.DONE] else ""
        return f"an ingredient by its name or number, such as {example}{done}"

    def spans(self, state: np.void) -> list[Span]:
        record = self.game.arrays.one(state)
        if record["last_action"] in (-1, rules.DONE) or record["offender"] >= 0:
            return []
        return notation.last_answer(self.game.to_text(record))

    def setting(self) -> str:
        return "one pizza" if self.game.max_pizzas == 1 else f"1 to {self.game.max_pizzas} pizzas"

    def ended_by(self, state: np.void) -> str:
        if self.game.arrays.one(state)["returns"][0] > 0:
            return "The order is right: it has the pizzas wanted."
        return "The order is wrong: these are not the pizzas wanted."

    def action_area(self, action: int, state: np.void) -> Area | None:
        whole_number("action", action, 0, self.game.num_actions - 1)
        return answer_area(action, self.game.max_pizzas)
