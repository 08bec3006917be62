"""Operations on 64-bit words that process many array entries or bytes at once."""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from boardenvs.core.chance import times
from boardenvs.kernels.intrinsics import HAS_BITS, read_bits, write_bits
from boardenvs.kernels.plain import PLAIN

__all__ = ["bits_of", "number_up_to", "place_of", "show_bits"]

_LOW_BITS = np.uint64(0x0101010101010101)
_HIGH_BITS = np.uint64(0x8080808080808080)
_ALL_BUT_HIGH = np.uint64(0x7F7F7F7F7F7F7F7F)
_ONE_EACH = np.uint64(0x8040201008040201)
"""Byte k has only bit k set."""


@njit
def _show_bits(out, first, bits, size):
    """Write the lowest `size` bits of a word to `out[first:]`, the lowest bit first.

    Args:
        out: one-dimensional array of int8, uint8 or bool.
        first: first index, at least 0.
        bits: the word, an integer.
        size: number of bits, from 0 to 64.
    """
    for k in range(size):
        out[np.uint64(first + k)] = np.uint64(bits) >> np.uint64(k) & np.uint64(1)


show_bits: Any = write_bits if HAS_BITS else _show_bits


@njit
def _bits_of(entries, first, size):
    """Return `entries[first : first + size]` as the lowest bits of a uint64, the first one lowest.

    Args:
        entries: one-dimensional array of bool.
        first: first index, at least 0.
        size: number of bits, from 0 to 64.
    """
    word = np.uint64(0)
    for k in range(size):
        word |= np.uint64(entries[np.uint64(first + k)]) << np.uint64(k)
    return word


bits_of: Any = read_bits if HAS_BITS else _bits_of


if HAS_BITS:
    PLAIN[show_bits] = _show_bits
    PLAIN[bits_of] = _bits_of


@njit
def number_up_to(word):
    """Return the number of bits that are set in each byte of a word and the bytes below it.

    Source: S. Vigna, "Broadword implementation of rank/select queries", WEA 2008.

    Returns:
        A uint64 with one count in each byte. The highest byte has the count of the whole word.
    """
    pairs = word - (word >> np.uint64(1) & np.uint64(0x5555555555555555))
    low_pairs = np.uint64(0x3333333333333333)
    fours = (pairs & low_pairs) + (pairs >> np.uint64(2) & low_pairs)
    return times(fours + (fours >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F), _LOW_BITS)


@njit
def place_of(word, numbers, k):
    """Return the index, from 0 to 63, of the set bit that has `k` set bits below it.

    Source: as for `number_up_to`.

    Args:
        word: uint64 with more than `k` bits set.
        numbers: result of `number_up_to` for the word.
        k: number of lower set bits, at least 0.
    """
    first = _at_most(numbers, np.uint64(k)) << np.uint64(3)  # lowest bit of its byte
    rest = np.uint64(k) - (numbers << np.uint64(8) >> first & np.uint64(0xFF))
    spread = times(word >> first & np.uint64(0xFF), _LOW_BITS) & _ONE_EACH
    marked = (spread + _ALL_BUT_HIGH | spread) >> np.uint64(7) & _LOW_BITS
    return np.int64(first + _at_most(times(marked, _LOW_BITS), rest))


@njit
def _at_most(numbers, k):
    """Return the number of bytes that are at most `k`. No byte of the word may be above 127."""
    # In these bytes, the highest bit stays set after the subtraction.
    withstood = ((k * _LOW_BITS | _HIGH_BITS) - numbers) & _HIGH_BITS
    return times(withstood >> np.uint64(7), _LOW_BITS) >> np.uint64(56)
