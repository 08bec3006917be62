"""Numbers that callers hand in: what passes, and the line that refuses the rest."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from boardenvs.checks import finite_number, is_whole, truth_value, whole_number

REFUSED = [None, "1", [1], True, np.True_, 1j, np.ones(1, np.int64)]


@pytest.mark.parametrize("kind", [int, np.int8, np.uint64, np.int64])
def test_whole_numbers_come_back_as_int(kind):
    assert is_whole(kind(3))
    assert type(whole_number("n", kind(3), 3, 3)) is int


@pytest.mark.parametrize("value", [*REFUSED, 1.0, math.nan, np.float64(1)])
def test_what_is_no_whole_number(value):
    assert not is_whole(value)
    with pytest.raises(ValueError, match=r"^n must be a whole number of at least 0, got ") as error:
        whole_number("n", value, 0)
    assert str(error.value).endswith(repr(value))


def test_the_bounds_of_whole_numbers():
    assert [whole_number("n", value, -1, 1) for value in (-1, 0, 1)] == [-1, 0, 1]
    assert whole_number("n", 10**30, 0) == 10**30
    for value in (-2, 2):
        with pytest.raises(ValueError, match=f"n must be a whole number from -1 to 1, got {value}"):
            whole_number("n", value, -1, 1)


@pytest.mark.parametrize("value", [0, 2, 0.5, np.int8(2), np.float32(0.5), np.float64(2)])
def test_numbers_come_back_as_float(value):
    assert type(finite_number("x", value)) is float
    assert finite_number("x", value) == value


@pytest.mark.parametrize("value", [*REFUSED, math.nan, math.inf, -math.inf, -0.1, 10**400])
def test_what_is_no_finite_number(value):
    with pytest.raises(ValueError, match=r"^x must be a number of at least 0, got "):
        finite_number("x", value)


def test_the_bounds_of_numbers():
    assert finite_number("x", 0.02, 0.02, 60) == 0.02
    assert finite_number("x", -1, -1) == -1
    for value in (0.01, 60.5, math.inf):
        message = re.escape(f"x must be a number from 0.02 to 60, got {value}")
        with pytest.raises(ValueError, match=message):
            finite_number("x", value, 0.02, 60)


def test_truth_values():
    assert truth_value("x", np.True_) is True
    assert truth_value("x", False) is False
    for value in (1, 0.0, None, "yes"):
        with pytest.raises(ValueError, match=f"^x must be True or False, got {value!r}$"):
            truth_value("x", value)
