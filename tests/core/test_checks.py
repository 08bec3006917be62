"""Checks of numeric arguments and their one-line errors."""

from __future__ import annotations

import collections
import math

import numpy as np
import pytest

from boardenvs.core.checks import (
    callable_or_none,
    counted,
    file_path,
    finite_number,
    is_list,
    is_whole,
    one_of,
    printable,
    shown,
    text_value,
    truth_value,
    whole_number,
)

REFUSED = [None, "1", [1], True, np.True_, 1j, np.ones(1, np.int64)]


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 plies"), (1, "1 ply"), (np.int32(1), "1 ply"), (1000, "1,000 plies")],
)
def test_counts_use_singular_and_plural(number, text):
    assert counted(number, "ply", "plies") == text


@pytest.mark.parametrize("kind", [int, np.int8, np.uint64, np.int64])
def test_whole_numbers_are_returned_as_int(kind):
    assert is_whole(kind(3))
    assert type(whole_number("n", kind(3), 3, 3)) is int


@pytest.mark.parametrize("value", [*REFUSED, 1.0, math.nan, np.float64(1)])
def test_values_that_are_not_whole_numbers_are_refused(value):
    assert not is_whole(value)
    with pytest.raises(ValueError, match=r"^n ") as error:
        whole_number("n", value, 0)
    assert str(error.value).endswith(repr(value))


def test_whole_numbers_out_of_bounds_are_refused():
    assert [whole_number("n", value, -1, 1) for value in (-1, 0, 1)] == [-1, 0, 1]
    assert whole_number("n", 10**30, 0) == 10**30
    for value in (-2, 2):
        with pytest.raises(ValueError, match=rf"^n .* {value}$"):
            whole_number("n", value, -1, 1)


@pytest.mark.parametrize("value", [0, 2, 0.5, np.int8(2), np.float32(0.5), np.float64(2)])
def test_numbers_are_returned_as_float(value):
    assert type(finite_number("x", value)) is float
    assert finite_number("x", value) == value


@pytest.mark.parametrize("value", [*REFUSED, math.nan, math.inf, -math.inf, -0.1, 10**400])
def test_values_that_are_not_finite_numbers_are_refused(value):
    with pytest.raises(ValueError, match=r"^x "):
        finite_number("x", value)


def test_numbers_out_of_bounds_are_refused():
    assert finite_number("x", 0.02, 0.02, 60) == 0.02
    assert finite_number("x", -1, -1) == -1
    for value in (0.01, 60.5, math.inf):
        with pytest.raises(ValueError, match=rf"^x .*0\.02.* {value}$"):
            finite_number("x", value, 0.02, 60)


def test_only_truth_values_are_accepted():
    assert truth_value("x", np.True_) is True
    assert truth_value("x", False) is False
    for value in (1, 0.0, None, "yes"):
        with pytest.raises(ValueError, match=f"^x .* {value!r}$"):
            truth_value("x", value)


def test_a_value_is_shown_in_one_line():
    assert shown("a\nb") == r"'a\nb'"
    assert shown(np.zeros((2, 2))) == "array([[0., 0.],        [0., 0.]])"
    assert len(shown("x" * 10**6)) == 200
    assert printable("a\nb\x1b é") == r"a\nb\x1b é"
    assert shown("x" * 10**6).endswith("x ...")


def test_lists_are_checked():
    for value in ([], (1,), range(3), collections.deque([1]), np.zeros(2), np.zeros((2, 2))):
        assert is_list(value)
    for value in ("ab", b"ab", None, {1}, {1: 2}, iter([1]), 3, np.array(1)):
        assert not is_list(value)


def test_texts_words_and_functions_are_checked():
    assert text_value("x", "") == ""
    assert one_of("x", "a", ["a", "b"]) == "a"
    assert file_path("x", "a").name == "a"
    callable_or_none("x", None)
    callable_or_none("x", len)
    for check, expected in (
        (lambda odd: text_value("x", odd), "text"),
        (lambda odd: one_of("x", odd, ["a", "b"]), "'a' or 'b'"),
        (lambda odd: one_of("x", odd, "abc"), "'a', 'b', 'c'"),
        (lambda odd: file_path("x", odd), "path"),
        (lambda odd: callable_or_none("x", odd), "function"),
    ):
        with pytest.raises(ValueError, match=f"^x .*{expected}.* 1$"):
            check(1)
