"""Bits of a word as entries of an array: how rules that keep sets in words show them."""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["show_bits"]

_EIGHT = np.array([[byte >> k & 1 for k in range(8)] for byte in range(256)], np.int8)
"""The bits of every byte, the lowest first."""


@njit
def show_bits(out, first, bits, size):
    """Write the lowest `size` bits of a word, the lowest first, into `out` from `first` on.

    Eight at a time come out of a table, which is several times as fast as shifts: LLVM makes
    one load and one store of them. It can since indices are unsigned; any other one Numba has
    looked at for being negative.
    """
    done = 0
    while done + 8 <= size:
        byte = np.uint64(bits) >> np.uint64(done) & np.uint64(0xFF)
        for k in range(8):
            out[np.uint64(first + done + k)] = _EIGHT[byte, np.uint64(k)]
        done += 8
    while done < size:
        out[np.uint64(first + done)] = np.uint64(bits) >> np.uint64(done) & np.uint64(1)
        done += 1
