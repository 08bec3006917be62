"""Checks of the numbers that callers hand in: a bad one is one clear line."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np

__all__ = ["finite_number", "is_whole", "truth_value", "whole_number"]


def is_whole(value: Any) -> bool:
    """Whether `value` is a whole number, Python's or NumPy's; `True` and `False` are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole_number(what: str, value: Any, low: int, high: int | None = None) -> int:
    """`value` as an int.

    Raises:
        ValueError: it is no whole number, or lies outside of `low` to `high`.
    """
    if not is_whole(value) or value < low or (high is not None and value > high):
        expected = f"from {low} to {high}" if high is not None else f"of at least {low}"
        raise ValueError(f"{what} must be a whole number {expected}, got {value!r}")
    return int(value)


def finite_number(what: str, value: Any, low: float = 0, high: float | None = None) -> float:
    """`value` as a float.

    Raises:
        ValueError: it is no finite number, or lies outside of `low` to `high`.
    """
    number = math.nan
    if is_whole(value) or isinstance(value, float | np.floating):
        with contextlib.suppress(OverflowError):  # of a whole number
            number = float(value)
    if not (math.isfinite(number) and number >= low and (high is None or number <= high)):
        expected = f"from {low:g} to {high:g}" if high is not None else f"of at least {low:g}"
        raise ValueError(f"{what} must be a number {expected}, got {value!r}")
    return number


def truth_value(what: str, value: Any) -> bool:
    """`value` as a bool.

    Raises:
        ValueError: it is neither `True` nor `False`.
    """
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{what} must be True or False, got {value!r}")
    return bool(value)
