"""Line charts with intervals."""

import re

import pytest

pytest.importorskip("matplotlib", reason="needs the extra [train]")

from agents.report.line_chart import Line, Panel, draw_lines

PNG = b"\x89PNG\r\n\x1a\n"
X = [1, 10, 100]


def texts(panels, **options):
    picture = draw_lines(panels, "a title", "height", kind="svg", **options)
    return re.findall(r">([^<>\n]+)</text>", picture.decode())


def test_the_legend_has_each_label_once():
    one, two = Line("first", X, X), Line("second", X, X, (X, X), [(X, X)])
    found = texts([Panel("a", [one]), Panel("b", [two, one], marks={"kept": 3})], note="a note")
    for label in ("a title", "height", "a", "b", "first", "second", "kept", "a note"):
        assert found.count(label) == 1


def test_large_numbers_have_commas():
    found = texts([Panel("x", [Line("one", [0, 5000], [1, 2])])], y_limits=(0, 4))
    assert "4,000" in found


@pytest.mark.parametrize("x", [[], [5], X])
def test_a_line_of_any_length_is_drawn(x):
    panel = Panel("x", [Line("one", x, x, (x, x))])
    assert draw_lines([panel], "a title", "height", log_y=True, levels=[2]).startswith(PNG)


def test_a_chart_without_lines_is_drawn():
    assert draw_lines([Panel("x", [])], "a title", "height").startswith(PNG)
