"""Many small numbers in one word: sets as bits, and many entries of an array at a time."""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from boardenvs.chance import times
from boardenvs.numba_doors import write_bits

__all__ = ["place_of_marked", "show_bits", "sums_of_eight"]

_LOW_BITS = np.uint64(0x0101010101010101)
_HIGH_BITS = np.uint64(0x8080808080808080)


@njit
def show_bits(out, first, bits, size):
    """Write the lowest `size` bits of a word, at most 64, into `out` from `first` on.

    The lowest comes first. Two blocks, which overlap where need be, take two stores whatever the
    size; to go bit by bit is many times as slow.
    """
    word = np.uint64(bits)
    if size >= 32:
        write_bits(out, first, np.uint32(word & np.uint64(0xFFFFFFFF)))
        rest = size - 32
        write_bits(out, first + rest, np.uint32(word >> np.uint64(rest) & np.uint64(0xFFFFFFFF)))
    elif size >= 16:
        write_bits(out, first, np.uint16(word & np.uint64(0xFFFF)))
        rest = size - 16
        write_bits(out, first + rest, np.uint16(word >> np.uint64(rest) & np.uint64(0xFFFF)))
    elif size >= 8:
        write_bits(out, first, np.uint8(word & np.uint64(0xFF)))
        rest = size - 8
        write_bits(out, first + rest, np.uint8(word >> np.uint64(rest) & np.uint64(0xFF)))
    else:
        for k in range(7):
            if k < size:
                out[np.uint64(first + k)] = word >> np.uint64(k) & np.uint64(1)


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
