"""Words of bits and arrays of their bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numba import njit

from boardenvs.core import bits as bits_module
from boardenvs.core.bits import number_up_to, place_of
from boardenvs.core.choice import random_action


@njit
def show_bits(out, first, bits, size):
    bits_module.show_bits(out, first, bits, size)


@njit
def bits_of(entries, first, size):
    return bits_module.bits_of(entries, first, size)


NONE = 7
"""Value of entries that are not written."""


@given(bits=st.integers(0, 2**64 - 1), size=st.integers(0, 64), first=st.integers(0, 70))
def test_bits_are_written_from_the_lowest(bits, size, first):
    out = np.full(140, NONE, np.int8)
    show_bits(out, first, np.uint64(bits), size)
    shown = [int(digit) for digit in reversed(f"{bits:064b}")][:size]
    assert out.tolist() == [NONE] * first + shown + [NONE] * (140 - first - size)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.int64])
def test_words_can_have_any_integer_type(dtype):
    out = np.full(7, NONE, np.int8)
    show_bits(out, 0, dtype(0b101_1001), 7)
    assert out.tolist() == [1, 0, 0, 1, 1, 0, 1]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.bool_])
@pytest.mark.parametrize("step", [1, 2, -1])
@pytest.mark.parametrize("size", [3, 8, 13, 16, 31, 32, 50, 64])
def test_arrays_can_have_any_byte_order_and_strides(dtype, step, size):
    bits = np.uint64(0xDEADBEEF12345679)
    whole = np.full(200, NONE, np.uint8)
    shown = [int(bits) >> k & 1 for k in range(size)]
    show_bits(whole[::step].view(dtype), 5, bits, size)
    out = whole[::step].tolist()
    assert out == [NONE] * 5 + shown + [NONE] * (len(out) - 5 - size)
    assert step != 2 or set(whole[1::2].tolist()) == {NONE}


WORDS = st.integers(0, 2**64 - 1)


@given(marks=st.lists(st.booleans(), max_size=100), first=st.integers(0, 70))
def test_the_first_truth_value_is_the_lowest_bit(marks, first):
    first = min(first, len(marks))
    size = min(len(marks) - first, 64)
    expected = sum(mark << k for k, mark in enumerate(marks[first : first + size]))
    assert int(bits_of(np.array(marks, np.bool_), first, size)) == expected


@pytest.mark.parametrize("step", [1, 2, -1])
@pytest.mark.parametrize("size", [3, 8, 13, 16, 31, 32, 50, 64])
def test_truth_values_can_have_any_strides(step, size):
    marks = np.random.default_rng(size).random(200) < 0.5
    expected = sum(int(mark) << k for k, mark in enumerate(marks[::step][5 : 5 + size]))
    assert int(bits_of(marks[::step], 5, size)) == expected


@given(word=WORDS)
@example(2**64 - 1)
@example(0)
def test_bits_are_counted_and_found(word):
    places = [k for k in range(64) if word >> k & 1]
    numbers = number_up_to(np.uint64(word))
    upper = [sum(place < 8 * (k + 1) for place in places) for k in range(8)]
    assert [int(numbers) >> 8 * k & 255 for k in range(8)] == upper
    assert [place_of(np.uint64(word), numbers, k) for k in range(len(places))] == places


@given(marks=st.lists(st.booleans(), max_size=300), bits=st.integers(0, 2**64 - 1))
@example([False] * 130 + [True], 0)
@example([True] + [False] * 200, 2**64 - 1)
@example([False] * 70, 1)
@example([False] * 64 + [True], 0)
@example([True] + [False] * 63 + [True], 2**63)
@example([True] * 128, 2**64 - 1)
def test_random_bits_select_the_action(marks, bits):
    places = np.flatnonzero(marks)
    expected = places[(bits >> 32) * len(places) >> 32] if len(places) else -1  # as in `below`
    assert random_action(np.array(marks, np.bool_), np.uint64(bits)) == expected
