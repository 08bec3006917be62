"""The tables of windows, compared with the definition for each window."""

import functools

import numpy as np
import pytest

from agents.games.gomoku.engine import patterns

VARIANTS = [(4, False), (4, True), (5, False), (5, True), (6, False)]


@functools.cache
def named(window, line, exact):
    """Return the pattern of a window of `X`, `.` and `O`, with the stone in its middle."""
    middle = len(window) // 2
    length = 1
    for way in (1, -1):
        k = middle + way
        while 0 <= k < len(window) and window[k] == "X":
            length += 1
            k += way
    if length == line or (length > line and not exact):
        return "five"
    if length > line:
        return "dead"
    below = [
        named(window[:k] + "X" + window[k + 1 :], line, exact)
        for k, stone in enumerate(window)
        if stone == "."
    ]
    if below.count("five"):
        return "open four" if below.count("five") > 1 else "four"
    for name, above in (("three", "four"), ("two", "three")):
        opened = sum(below.count(f"{width}open {above}") for width in ("", "wide "))
        if opened:
            return f"{'wide ' * (opened >= (2 if name == 'three' else 3))}open {name}"
        if any(one.endswith(above) for one in below):
            return name
    if any(one.endswith("open two") for one in below):
        return "open one"
    room = window[middle:].split("O")[0], window[middle::-1].split("O")[0]
    if sum(map(len, room)) - 1 >= line or any(one.endswith("two") for one in below):
        return "one"
    return "dead"


NAMES = {
    "dead": patterns.DEAD,
    "one": patterns.ONE,
    "open one": patterns.OPEN_ONE,
    "two": patterns.TWO,
    "open two": patterns.OPEN_TWO,
    "wide open two": patterns.WIDE_TWO,
    "three": patterns.THREE,
    "open three": patterns.OPEN_THREE,
    "wide open three": patterns.WIDE_THREE,
    "four": patterns.FOUR,
    "open four": patterns.OPEN_FOUR,
    "five": patterns.FIVE,
}


@pytest.mark.parametrize(("line", "exact"), VARIANTS)
def test_windows_are_classified_by_the_definition(line, exact):
    codes = patterns.window_codes(line, exact)
    reach = patterns.reach_of(line, exact)
    rng = np.random.default_rng(3)
    for place in rng.permutation(len(codes))[:500]:
        cells = "".join(".XO"[place // 3**i % 3] for i in range(2 * reach))
        window = f"{cells[:reach]}X{cells[reach:]}"
        assert codes[place] == NAMES[named(window, line, exact)], window


@pytest.mark.parametrize(
    ("window", "name"),
    [
        ("...X*....", "wide open two"),
        (".XXX*....", "open four"),
        ("OXXX*....", "four"),
        ("X.XX*X.X.", "open four"),  # two gaps complete a five
        ("..XX*....", "wide open three"),
        ("O.XX*..O.", "open three"),
        ("O.XX*.O..", "three"),
        ("..X.*.X..", "three"),
        ("OOO.*..O.", "dead"),
    ],
)
def test_known_windows_of_five_are_classified(window, name):
    cells = window[:4] + window[5:]
    place = sum(3**i * ".XO".index(stone) for i, stone in enumerate(cells))
    assert patterns.window_codes(5, False)[place] == NAMES[name]


def test_an_overline_is_not_a_five_with_exact():
    place = sum(3**i for i in (0, 1, 2, 3, 4))  # six in a row, including the stone in the middle
    assert patterns.window_codes(5, True)[place] == patterns.DEAD
    # A four: the cell ahead completes five, the cell behind completes six.
    place = sum(3**i for i in (2, 3, 4, 0))
    assert patterns.window_codes(5, True)[place] == patterns.FOUR


def test_codes_of_both_colours_agree_with_codes_of_each_colour():
    codes, both = patterns.window_codes(5, False), patterns.both_codes(5, False)
    rng = np.random.default_rng(4)
    for window in rng.integers(0, 4, (300, 8)):
        place = sum(int(stone) << 2 * i for i, stone in enumerate(window))
        for colour in (0, 1):
            seen = [{0: 0, colour + 1: 1}.get(int(stone), 2) for stone in window]
            expected = codes[sum(3**i * stone for i, stone in enumerate(seen))]
            assert both[place] >> 4 * colour & 15 == expected


@pytest.mark.parametrize(
    ("codes", "kind"),
    [
        ((patterns.FOUR, patterns.FOUR, 0, 0), patterns.OPEN_FOUR_KIND),
        ((patterns.OPEN_FOUR, 0, 0, 0), patterns.OPEN_FOUR_KIND),
        ((0, patterns.FOUR, patterns.OPEN_THREE, 0), patterns.FOUR_THREE),
        ((patterns.WIDE_THREE, 0, 0, patterns.OPEN_THREE), patterns.DOUBLE_THREE),
        ((patterns.THREE, 0, patterns.FOUR, 0), patterns.FOUR_TWO),
        ((patterns.ONE, patterns.OPEN_ONE, 0, 0), patterns.QUIET),
        ((patterns.FOUR, patterns.FIVE, patterns.FOUR, 0), patterns.FIVE_KIND),
    ],
)
def test_a_cell_combines_its_four_lines(codes, kind):
    packed = sum(int(code) << 4 * k for k, code in enumerate(codes))
    assert patterns.kinds_of_cells()[packed] == kind
