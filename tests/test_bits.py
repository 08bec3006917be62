"""Words shown as arrays of their bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from boardenvs import bits as bits_module
from boardenvs.bits import place_of_marked, sums_of_eight


@njit
def show_bits(out, first, bits, size):
    bits_module.show_bits(out, first, bits, size)


NONE = 7
"""An entry that nothing was written to."""


@given(bits=st.integers(0, 2**64 - 1), size=st.integers(0, 64), first=st.integers(0, 70))
def test_bits_are_shown_the_lowest_first(bits, size, first):
    out = np.full(140, NONE, np.int8)
    show_bits(out, first, np.uint64(bits), size)
    shown = [int(digit) for digit in reversed(f"{bits:064b}")][:size]
    assert out.tolist() == [NONE] * first + shown + [NONE] * (140 - first - size)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.int64])
def test_words_of_any_integer_type(dtype):
    out = np.full(7, NONE, np.int8)
    show_bits(out, 0, dtype(0b101_1001), 7)
    assert out.tolist() == [1, 0, 0, 1, 1, 0, 1]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.bool_])
@pytest.mark.parametrize("step", [1, 2, -1])
@pytest.mark.parametrize("size", [3, 8, 13, 16, 31, 32, 50, 64])
def test_arrays_of_any_bytes_and_strides(dtype, step, size):
    bits = np.uint64(0xDEADBEEF12345679)
    whole = np.full(200, NONE, np.uint8)
    shown = [int(bits) >> k & 1 for k in range(size)]
    show_bits(whole[::step].view(dtype), 5, bits, size)
    out = whole[::step].tolist()
    assert out == [NONE] * 5 + shown + [NONE] * (len(out) - 5 - size)
    assert step != 2 or set(whole[1::2].tolist()) == {NONE}


@given(marks=st.lists(st.integers(0, 1), min_size=8, max_size=20), first=st.integers(0, 12))
def test_the_marked_among_eight_are_counted_and_found(marks, first):
    first = min(first, len(marks) - 8)
    eight = marks[first : first + 8]
    sums = sums_of_eight(np.array(marks, np.uint8), first)
    assert [int(sums) >> 8 * k & 255 for k in range(8)] == np.cumsum(eight).tolist()
    found = [place_of_marked(sums, k) for k in range(sum(eight))]
    assert found == np.flatnonzero(eight).tolist()
