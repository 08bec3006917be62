"""The greedy agent of the pizza order, which gives the wanted order."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from agents.agent import Actions, Agent, RandomBits
from boardenvs.game import States
from boardenvs.kernels.binding import over_rules
from boardenvs.pizza_order import rules
from boardenvs.pizza_order.rules import (
    CUSTOM,
    DONE,
    FIRST,
    FLAVOR,
    INGREDIENT,
    INGREDIENTS,
    NO,
    YES,
    bit,
    preset,
)

__all__ = ["PizzaOrderGreedyAgent"]


class PizzaOrderGreedyAgent(Agent):
    """An agent that gives the wanted order in as few answers as possible.

    A pizza is missing if it is wanted and not taken yet. The agent answers:

    - a flavour: that of a missing pizza; "custom" only for a pizza that is not a preset
    - an ingredient: one of a missing pizza that has all ingredients so far, preferably not a
      preset, else the smallest; "that is all" when the pizza is complete
    - more pizzas: yes while a pizza is missing

    It samples uniformly among equally good answers. If the order cannot become right any more, it
    ends the dialogue: any preset, a single ingredient, "that is all", "no".
    """

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        good = np.empty((len(states), self.game.num_actions), np.bool_)
        mark_answers.bound_to(rules)(None, states, good)
        return self.choose_among(good, random_bits)


@over_rules(spread=True)
def mark_answers(states, good, low, high):
    """Mark the good answers in games `low` to `high - 1`."""
    for i in range(low, high):
        good_answers(states[i], good[i])


@over_rules()
def good_answers(s, good):
    """Mark the good answers of one game."""
    for action in range(len(good)):
        good[action] = False
    missing = missing_pizzas(s)
    if s.asks == FLAVOR:
        good_flavors(s, missing, good)
    elif s.asks == INGREDIENT:
        good_ingredients(s, missing, good)
    else:
        good[YES if missing > 0 else NO] = True


@over_rules()
def missing_pizzas(s):
    """Return the set of missing pizzas, with bit k for pizza k.

    It is empty if a taken pizza is not wanted, because the order cannot become right then.
    """
    missing = (np.int64(1) << s.num_wanted) - 1
    for j in range(s.num_taken):
        found = False
        for k in range(s.num_wanted):
            if not found and missing >> k & 1 and s.wanted[k] == s.taken[j]:
                missing ^= 1 << k
                found = True
        if not found:
            return 0
    return missing


@over_rules()
def good_flavors(s, missing, good):
    """Mark the flavours of all missing pizzas, or all presets if none is missing."""
    for k in range(s.num_wanted):
        if missing >> k & 1:
            good[preset(s.wanted[k])] = True
    if missing == 0:
        for flavor in range(CUSTOM):
            good[flavor] = True


@over_rules()
def good_ingredients(s, missing, good):
    """Mark the next ingredients of the best missing pizzas to complete."""
    held = s.taken[s.num_taken]
    least = INGREDIENTS + 1
    for k in range(s.num_wanted):
        if missing >> k & 1 and held & ~s.wanted[k] == 0:
            least = min(least, answers_lost(s.wanted[k]))
    for k in range(s.num_wanted):
        if missing >> k & 1 and held & ~s.wanted[k] == 0 and answers_lost(s.wanted[k]) == least:
            if s.wanted[k] == held:
                good[DONE] = True
            for ingredient in range(1, INGREDIENTS + 1):
                if s.wanted[k] & ~held & bit(ingredient) != 0:
                    good[FIRST + ingredient - 1] = True
    if least > INGREDIENTS:  # the order cannot become right
        good[DONE] = held != 0
        for ingredient in range(1, INGREDIENTS + 1):
            good[FIRST + ingredient - 1] = held == 0


@over_rules()
def answers_lost(ingredients):
    """Return how many more answers a pizza takes as a custom one than by its flavour."""
    if preset(ingredients) == CUSTOM:
        return 0
    size = 0
    for ingredient in range(1, INGREDIENTS + 1):
        size += ingredients & bit(ingredient) != 0
    return size + 1
