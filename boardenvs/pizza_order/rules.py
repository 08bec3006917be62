"""The rules of the pizza order: answer the shop's menus until the order is taken.

The ingredients of a pizza are a set in one 16-bit word: ingredient `i`, 1 to 15, is bit `i - 1`.
Ingredients 1 and 13, for example:

    ingredient  15 14 13 12 11 10  9  8  7  6  5  4  3  2  1
    bit       0  0  0  1  0  0  0  0  0  0  0  0  0  0  0  1   = 0x1001

Pizza `s.num_taken` is the pizza in hand. For a custom pizza, `s.typed[k]` also has its ingredients
in the order of the answers, as hexadecimal digits.
"""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from boardenvs.core.bits import show_bits
from boardenvs.core.chance import draw
from boardenvs.core.outcome import end_alone, end_ply, is_over

INGREDIENTS = 15
PRESETS = ((1, 13), (6, 7, 8, 9, 10), (2, 3, 4, 5), (3, 12))
"""Ingredients of the flavours other than custom, in menu order."""
ROW = INGREDIENTS + 1
"""Length of a row of an observation."""
MOST = 9
"""Maximum number of pizzas in a record."""

# Actions: 0 to 4 are the flavours, FIRST to DONE - 1 the ingredients.
CUSTOM = 4
FIRST = 5
DONE = 20
YES = 21
NO = 22

# Values of `s.asks`: the current question.
FLAVOR = 0
INGREDIENT = 1
MORE = 2
NOTHING = 3

# The set of each flavour; custom begins with the empty set.
_SETS = np.array([sum(1 << (i - 1) for i in ids) for ids in (*PRESETS, ())], np.uint16)


@njit
def bit(ingredient):
    """Return the set of one ingredient, 1 to 15."""
    return np.uint16(1 << (ingredient - 1))


@njit
def preset(ingredients):
    """Return the flavour with exactly this set, or CUSTOM."""
    for flavor in range(CUSTOM):
        if _SETS[flavor] == ingredients:
            return flavor
    return CUSTOM


@njit
def drawn_set(s):
    """Return the set of a random pizza: a flavour, or a random number of ingredients."""
    flavor = draw(s, CUSTOM + 1)
    chosen = _SETS[flavor]
    if flavor == CUSTOM:
        left = draw(s, INGREDIENTS) + 1
        ingredient = 1
        while left > 0:
            # Draw `left` of the remaining ingredients uniformly.
            is_drawn = draw(s, INGREDIENTS + 1 - ingredient) < left
            chosen |= np.uint16(is_drawn << (ingredient - 1))
            left -= is_drawn
            ingredient += 1
    return chosen


@njit
def deal(s, p):
    """Draw the wanted order."""
    s.num_wanted = draw(s, p.most) + 1
    for k in range(s.num_wanted):
        s.wanted[k] = drawn_set(s)


@njit
def legal(s, p, mask):
    """Mark the answers to the current question."""
    asks = s.asks
    held = s.taken[s.num_taken] if asks == INGREDIENT else np.uint16(0)
    for flavor in range(CUSTOM + 1):
        mask[flavor] = asks == FLAVOR
    for k in range(INGREDIENTS):
        mask[FIRST + k] = asks == INGREDIENT and held >> k & 1 == 0
    mask[DONE] = held != 0
    mask[YES] = asks == MORE
    mask[NO] = asks == MORE


@njit
def is_right(s):
    """Return whether the taken pizzas are the wanted pizzas, in any order."""
    if s.num_taken != s.num_wanted:
        return False
    matched = 0  # taken pizzas that are matched with a wanted one, as bits
    for k in range(s.num_wanted):
        for j in range(s.num_taken):
            if s.taken[j] == s.wanted[k] and matched >> j & 1 == 0:
                matched |= 1 << j
                break
        else:
            return False
    return True


@njit
def judge(s, p):
    """End the game if the order is complete; the right order wins."""
    if s.asks == NOTHING:
        end_alone(s, 1.0 if is_right(s) else 0.0)


@njit
def play(s, p, action):
    """Answer the current question."""
    k = s.num_taken
    if action <= CUSTOM:
        s.flavor[k] = action
        s.taken[k] = _SETS[action]
        s.asks = INGREDIENT
    elif action < DONE:
        ingredient = action - FIRST + 1
        s.taken[k] |= bit(ingredient)
        s.typed[k] = s.typed[k] << np.uint64(4) | np.uint64(ingredient)
    if action < CUSTOM or action == DONE:  # the pizza in hand is complete
        s.num_taken += 1
        s.asks = MORE if s.num_taken < p.most else NOTHING
    elif action == YES:
        s.asks = FLAVOR
    elif action == NO:
        s.asks = NOTHING
    judge(s, p)
    end_ply(s, p, action)


@njit
def show_pizza(out, row, there, ingredients):
    """Write one row of an observation: the ingredients, and whether the pizza exists."""
    shown = ingredients | np.uint16(1 << INGREDIENTS) if there else np.uint16(0)
    show_bits(out, row * ROW, shown, ROW)


@njit
def observe_row(s, p, seat, out):
    """Write the rows: the wanted pizzas, the taken pizzas, the pizza in hand, the question."""
    for k in range(p.most):
        show_pizza(out, k, k < s.num_wanted, s.wanted[k])
        show_pizza(out, p.most + k, k < s.num_taken, s.taken[k])
    choosing = s.asks == INGREDIENT
    show_pizza(out, 2 * p.most, choosing, s.taken[s.num_taken] if choosing else np.uint16(0))
    show_bits(out, (2 * p.most + 1) * ROW, 1 << s.asks, ROW)


@njit
def sound(s, p):
    """Return whether pizzas and question are valid, and there is room for the next pizza."""
    if s.num_wanted < 1 or s.num_wanted > p.most or s.num_taken < 0 or s.num_taken > p.most:
        return False
    if s.asks < FLAVOR or s.asks > NOTHING or (s.asks == NOTHING and not is_over(s)):
        return False
    if s.asks != NOTHING and s.num_taken == p.most:
        return False
    for k in range(MOST):
        if (s.wanted[k] | s.taken[k]) >> INGREDIENTS != 0:
            return False
        if s.flavor[k] < 0 or s.flavor[k] > CUSTOM:
            return False
    return True
