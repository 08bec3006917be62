"""One of the actions that a mask marks, uniformly."""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from boardenvs.bits import place_of_marked, sums_of_eight
from boardenvs.chance import below, mixed, stepped

__all__ = ["random_action", "tried_action"]


@njit
def random_action(mask, bits):
    """One of the marked actions, uniformly, out of 64 random bits; -1 if none is."""
    entries = mask.view(np.uint8)
    whole = len(entries) // 8 * 8
    count = np.int64(0)
    for a in range(0, whole, 8):
        count += np.int64(sums_of_eight(entries, a) >> np.uint64(56))
    for a in range(whole, len(entries)):
        count += entries[a]
    if count == 0:
        return -1
    k = below(bits, count)
    for a in range(0, whole, 8):
        sums = sums_of_eight(entries, a)
        here = np.int64(sums >> np.uint64(56))
        if k < here:
            return a + place_of_marked(sums, k)
        k -= here
    a = whole
    while not mask[a] or k > 0:
        k -= mask[a]
        a += 1
    return a


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
