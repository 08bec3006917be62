"""Many small numbers in one word: sets as bits, and many entries of an array at a time."""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from boardenvs.chance import times
from boardenvs.numba_doors import WRITES_BITS, write_bits

__all__ = ["place_of_marked", "show_bits", "sums_of_eight"]

_LOW_BITS = np.uint64(0x0101010101010101)
_HIGH_BITS = np.uint64(0x8080808080808080)


@njit
def _show_bits(out, first, bits, size):
    """Write the lowest `size` bits of a word, the lowest first, into `out` from `first` on.

    Args:
        out: one-dimensional, of int8, uint8 or bool.
        first: index, at least 0.
        bits: an integer.
        size: from 0 to 64.
    """
    for k in range(size):
        out[np.uint64(first + k)] = np.uint64(bits) >> np.uint64(k) & np.uint64(1)


show_bits: Any = write_bits if WRITES_BITS else _show_bits


@njit
def sums_of_eight(entries, first):
    """How many of the first 1, 2, ... 8 entries from `first` on are marked, in the bytes of a word.

    Args:
        entries: uint8, 1 where marked, else 0.
        first: index.

    Returns:
        A uint64, the first sum in its lowest byte and that of all eight in its highest.
    """
    word = np.uint64(0)
    for k in range(8):  # one load, as in `show_bits`
        word |= np.uint64(entries[np.uint64(first + k)]) << np.uint64(8 * k)
    return times(word, _LOW_BITS)


@njit
def place_of_marked(sums, k):
    """Which of eight entries is the marked one that `k` others precede; see `sums_of_eight`."""
    # As many sums as are at most k: in their bytes, the highest bit withstands the subtraction.
    at_most = ((np.uint64(k) * _LOW_BITS | _HIGH_BITS) - sums) & _HIGH_BITS
    return np.int64(times(at_most >> np.uint64(7), _LOW_BITS) >> np.uint64(56))
