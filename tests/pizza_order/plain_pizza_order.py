"""A second implementation of the pizza order, in plain Python, to test the fast one."""

from __future__ import annotations

FLAVORS = {
    "Hawaiian": {1, 13},
    "Garden Feast": {6, 7, 8, 9, 10},
    "Meat Festival": {2, 3, 4, 5},
    "Carbonara": {3, 12},
    "Custom": set(),
}
ACTIONS = [*FLAVORS, *range(1, 16), "that is all", "yes", "no"]


class PlainOrder:
    """One order. `question` is "flavor", "ingredients", "more", or `None` at the end."""

    def __init__(self, wanted, max_pizzas=3):
        self.wanted = wanted
        self.max_pizzas = max_pizzas
        self.taken = []
        self.hand = None
        self.question = "flavor"

    def legal(self):
        """Return the names of the legal answers."""
        if self.question == "flavor":
            return list(FLAVORS)
        if self.question == "ingredients":
            left = [i for i in range(1, 16) if i not in self.hand]
            return left + ["that is all"] * bool(self.hand)
        return ["yes", "no"] if self.question == "more" else []

    def answer(self, action):
        assert action in self.legal()
        if action == "Custom":
            self.hand, self.question = set(), "ingredients"
        elif action in FLAVORS:
            self._finish(FLAVORS[action])
        elif isinstance(action, int):
            self.hand = self.hand | {action}
        elif action == "that is all":
            self._finish(self.hand)
        else:
            self.question = "flavor" if action == "yes" else None

    def _finish(self, pizza):
        self.taken.append(pizza)
        self.hand = None
        self.question = "more" if len(self.taken) < self.max_pizzas else None

    @property
    def reward(self):
        """Return the reward at the end."""

        def as_multiset(pizzas):
            return sorted(sorted(pizza) for pizza in pizzas)

        return int(self.question is None and as_multiset(self.taken) == as_multiset(self.wanted))

    def rows(self):
        """Return the observation."""

        def row(pizza):
            return [0] * 16 if pizza is None else [int(i in pizza) for i in range(1, 16)] + [1]

        def padded(pizzas):
            return [*pizzas, *[None] * (self.max_pizzas - len(pizzas))]

        questions = ["flavor", "ingredients", "more", None]
        pizzas = [*padded(self.wanted), *padded(self.taken), self.hand]
        asked = [int(question == self.question) for question in questions]
        return [*map(row, pizzas), asked + [0] * 12]
