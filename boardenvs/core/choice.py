"""Uniformly random choice among the actions of a mask."""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from boardenvs.core.bits import bits_of, number_up_to, place_of
from boardenvs.core.chance import below, mixed, stepped

__all__ = ["random_action", "tried_action"]

_WORD_BITS = 64


@njit
def random_action(mask, bits):
    """Return a uniformly random action of a mask from 64 random bits, -1 if the mask is empty.

    Processors mispredict random branches, so the code for masks of up to two words has none.
    """
    size = len(mask)
    if size <= _WORD_BITS:
        word = bits_of(mask, 0, size)
        numbers = number_up_to(word)
        count = np.int64(numbers >> np.uint64(56))
        return place_of(word, numbers, below(bits, count)) if count else -1
    if size <= 2 * _WORD_BITS:
        low = bits_of(mask, 0, _WORD_BITS)
        high = bits_of(mask, _WORD_BITS, size - _WORD_BITS)
        up_to_low, up_to_high = number_up_to(low), number_up_to(high)
        in_low = np.int64(up_to_low >> np.uint64(56))
        count = in_low + np.int64(up_to_high >> np.uint64(56))
        k = below(bits, count)
        beyond = k >= in_low
        word = high if beyond else low
        numbers = up_to_high if beyond else up_to_low
        place = place_of(word, numbers, k - (in_low if beyond else 0))
        return place + (_WORD_BITS if beyond else 0) if count else -1
    count = np.int64(0)
    for first in range(0, size, _WORD_BITS):
        word = bits_of(mask, first, min(size - first, _WORD_BITS))
        count += np.int64(number_up_to(word) >> np.uint64(56))
    k = below(bits, count)
    for first in range(0, size, _WORD_BITS):
        word = bits_of(mask, first, min(size - first, _WORD_BITS))
        numbers = number_up_to(word)
        here = np.int64(numbers >> np.uint64(56))
        if k < here:
            return first + place_of(word, numbers, k)
        k -= here
    return -1


@njit
def tried_action(mask, bits):
    """Return a uniformly random action of a mask by rejection sampling.

    This is much faster than `random_action` if most actions are legal. For the same bits it chooses
    other actions.
    """
    for _ in range(4):
        action = below(bits, len(mask))
        if mask[action]:
            return action
        bits = mixed(stepped(bits))
    return random_action(mask, bits)
