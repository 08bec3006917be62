"""Ratings, scores and times as text."""

import pytest

from agents.report.formats import elo_text, interval_text, time_text


def test_elo_is_written_with_a_sign_and_without_decimals():
    texts = [elo_text(elo) for elo in (0, 0.4, -0.4, 0.6, -12.3, 1234.5)]
    assert texts == ["0", "0", "0", "+1", "-12", "+1234"]


def test_intervals_are_written_from_low_to_high():
    assert interval_text(0.25, 1) == "0.250 to 1.000"
    assert interval_text(-3.2, 12, elo_text) == "-3 to +12"


@pytest.mark.parametrize(
    ("seconds", "text"), [(12.345, "12.3 s"), (0.0012, "1.2 ms"), (3.21e-5, "32.1 µs")]
)
def test_times_have_units(seconds, text):
    assert time_text(seconds) == text
