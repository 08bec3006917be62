"""Interval charts print the numbers and place every mark at its value."""

import re
from xml.etree import ElementTree as ET

import pytest

from agents.report.interval_chart import Bar, interval_chart

SVG = "{http://www.w3.org/2000/svg}"
BARS = [
    Bar("a<b>&\"c'", 900.0, 700.0, 1000.0),
    Bar("low", -100.0, -200.0, 50.0),
    Bar("random", 0.0, 0.0, 0.0),
]


def text(value):
    return f"{value:g} points"


def drawn(bars=BARS):
    return ET.fromstring(interval_chart(bars, text, "Strength & luck"))


def percent(element, key):
    return float(element.get(key).removesuffix("%"))


def test_marks_are_drawn_at_their_values():
    rows = drawn().findall(f"{SVG}g")
    assert len(rows) == 3
    # The lowest and the highest end are 4% from the sides.
    places = {v: 4 + 92 * (v + 200) / 1200 for v in (-200, -100, 0, 50, 700, 900, 1000)}
    for row, bar in zip(rows[:2], BARS, strict=False):
        line, low, high = row.findall(f".//{SVG}line")
        assert percent(row.find(f"{SVG}circle"), "cx") == pytest.approx(places[bar.value], abs=1e-3)
        for element, keys in ((line, ("x1", "x2")), (low, ("x1",)), (high, ("x2",))):
            for key in keys:
                end = bar.high if element is high or key == "x2" else bar.low
                assert percent(element, key) == pytest.approx(places[end], abs=1e-3)
    ys = [row.find(f"{SVG}circle").get("cy") for row in rows[:2]]
    assert int(ys[0]) < int(ys[1])


def test_a_fixed_value_has_its_own_shape():
    row = drawn().findall(f"{SVG}g")[2]
    assert row.find(f"{SVG}circle") is None
    assert not row.findall(f".//{SVG}line")
    (mark,) = [svg for svg in row.findall(f"{SVG}svg") if svg.find(f"{SVG}path") is not None]
    assert percent(mark, "x") == pytest.approx(4 + 92 * 200 / 1200, abs=1e-3)


def test_labels_and_numbers_are_written_out():
    svg = drawn()
    assert svg.get("aria-label") == "Strength & luck"
    words = ["".join(row.itertext()) for row in svg.findall(f"{SVG}g")]
    for row, bar in zip(words[:2], BARS, strict=False):
        assert bar.label in row
        assert f"{text(bar.value)} ({text(bar.low)} to {text(bar.high)})" in row
    assert "0 points (fixed)" in words[2]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-200, 1000, [0, 500, 1000]),
        (0, 400, [0, 100, 200, 300, 400]),
        (0.006, 0.066, [0.02, 0.04, 0.06]),
        (0.1, 0.7, [0.2, 0.4, 0.6]),
        (-1122, 1122, [-1000, -500, 0, 500, 1000]),
        (0.93, 0.9301, [0.93, 0.93002, 0.93004, 0.93006, 0.93008, 0.9301][:5]),
    ],
)
def test_the_axis_is_marked_at_round_numbers(low, high, expected):
    svg = ET.fromstring(interval_chart([Bar("x", low, low, high)], repr, "x"))
    ticks = [float(t.text) for t in svg.findall(f"{SVG}text")]
    assert len(ticks) == len(svg.findall(f"{SVG}line")) <= 5
    assert low <= min(ticks) <= max(ticks) <= high
    if high - low > 0.01:
        assert ticks == expected


def test_no_line_crosses_a_label():
    svg = drawn()
    lines = [[float(line.get(key)) for key in ("y1", "y2")] for line in svg.iter(f"{SVG}line")]
    for row in svg.findall(f"{SVG}g"):
        baseline = float(row.find(f"{SVG}text").get("y"))  # letters reach 13 above and 4 below it
        assert all(low >= baseline + 4 or high <= baseline - 13 for low, high in lines)


def test_a_chart_of_one_fixed_value_is_drawn():
    svg = drawn([Bar("random", 0.0, 0.0, 0.0)])
    assert "50.000%" in [e.get("x") for e in svg.iter()]


def test_bars_scale_with_the_page():
    picture = interval_chart(BARS, text, "x")
    assert 'width="100%"' in picture
    assert "viewBox" not in picture
    assert not re.search(r"(href|url\()", picture)


def test_a_chart_without_values_is_refused():
    with pytest.raises(ValueError, match="bars must have "):
        interval_chart([], text, "x")
