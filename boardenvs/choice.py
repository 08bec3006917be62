"""One of the actions that a mask marks, uniformly."""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from boardenvs.bits import bits_of, number_up_to, place_of
from boardenvs.chance import below, mixed, stepped

__all__ = ["random_action", "tried_action"]


_WORD = 64


@njit
def random_action(mask, bits):
    """One of the marked actions, uniformly, out of 64 random bits; -1 if none is.

    What is random is in no branch: a processor cannot foresee those.
    """
    size = len(mask)
    if size <= _WORD:
        word = bits_of(mask, 0, size)
        numbers = number_up_to(word)
        count = np.int64(numbers >> np.uint64(56))
        return place_of(word, numbers, below(bits, count)) if count else -1
    count = np.int64(0)
    for first in range(0, size, _WORD):
        word = bits_of(mask, first, min(size - first, _WORD))
        count += np.int64(number_up_to(word) >> np.uint64(56))
    if count == 0:
        return -1
    k = below(bits, count)
    chosen, chosen_numbers = np.uint64(0), np.uint64(0)
    begin, before = 0, k
    for first in range(0, size, _WORD):
        word = bits_of(mask, first, min(size - first, _WORD))
        numbers = number_up_to(word)
        # The last word with no more than `k` ahead of it, unless it is empty.
        is_here = k >= 0 and np.int64(numbers >> np.uint64(56)) > 0
        chosen = word if is_here else chosen
        chosen_numbers = numbers if is_here else chosen_numbers
        begin = first if is_here else begin
        before = k if is_here else before
        k -= np.int64(numbers >> np.uint64(56))
    return begin + place_of(chosen, chosen_numbers, before)


@njit
def tried_action(mask, bits):
    """As `random_action`, which is asked only when a few actions at random were all not marked.

    Where most are marked this is much faster; the choice is another one, as uniform.
    """
    for _ in range(4):
        action = below(bits, len(mask))
        if mask[action]:
            return action
        bits = mixed(stepped(bits))
    return random_action(mask, bits)
