"""The agent that reads the order wanted and says it to the shop."""

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
    """Gives the order wanted in as few answers as it takes; where it no longer can, it leaves.

    A pizza is missing if it is wanted and none of those taken stands for it. Asked for a
    flavour it says that of a missing pizza, and "custom" only for one that is no preset.
    Asked for ingredients it has one missing pizza in mind that has all those named so far,
    one that is no preset if there is any, else the smallest; it names another of its
    ingredients, and "that is all" when they are complete. It wants more as long as a pizza
    is missing. Among equally good answers it picks uniformly.

    Where the order cannot become right any more it brings the dialogue to an end: any
    preset, a single ingredient, "that is all", "no".
    """

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        good = np.empty((len(states), self.game.num_actions), np.bool_)
        mark_answers.bound_to(rules)(None, states, good)
        actions = np.empty(len(states), np.int64)
        self.game.kernels.random_actions(good, random_bits, actions)
        return actions


@over_rules(spread=True)
def mark_answers(states, good, low, high):
    """Mark the good answers in games `low` to `high - 1`."""
    for i in range(low, high):
        good_answers(states[i], good[i])


@over_rules()
def good_answers(s, good):
    """Mark the answers among which to choose."""
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
    """The pizzas wanted that nothing taken stands for, bit k for pizza k.

    0 if none is missing, or the order cannot become right since something taken is not
    wanted.
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
    """The flavours of all missing pizzas."""
    for k in range(s.num_wanted):
        if missing >> k & 1:
            good[preset(s.wanted[k])] = True
    if missing == 0:
        for flavor in range(CUSTOM):
            good[flavor] = True


@over_rules()
def good_ingredients(s, missing, good):
    """The next ingredients of the missing pizzas that the one in hand is best turned into."""
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
    if least > INGREDIENTS:  # the order is lost
        good[DONE] = held != 0
        for ingredient in range(1, INGREDIENTS + 1):
            good[FIRST + ingredient - 1] = held == 0


@over_rules()
def answers_lost(ingredients):
    """How many answers more the pizza takes as a custom one than by its own flavour."""
    if preset(ingredients) == CUSTOM:
        return 0
    size = 0
    for ingredient in range(1, INGREDIENTS + 1):
        size += ingredients & bit(ingredient) != 0
    return size + 1
