"""Lines of a board as bits, compared with the cells."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from agents.games.gomoku.lines.line_bits import empty_line_bits, list_pairs, put_stones, toggle

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


@st.composite
def boards(draw):
    """Return a board, where 0 is an empty cell, and a length of lines."""
    side = draw(st.integers(5, 12))
    seed = draw(st.integers(0, 2**32 - 1))
    share = draw(st.sampled_from([0.1, 0.3, 0.6, 0.9]))
    rng = np.random.default_rng(seed)
    cells = rng.integers(1, 3, (side, side)) * (rng.random((side, side)) < share)
    return cells.astype(np.int8), draw(st.integers(4, side))


def windows(cells, length):
    """Yield all rows of `length` cells, each as cells in order."""
    side = len(cells)
    for down, right in STEPS:
        for row in range(side):
            for column in range(side):
                there = [(row + k * down, column + k * right) for k in range(length)]
                if all(0 <= r < side and 0 <= c < side for r, c in there):
                    yield there


def short_of(cells, length, missing):
    """Yield the windows with stones of only one colour that lack `missing` stones."""
    for there in windows(cells, length):
        held = [int(cells[cell]) for cell in there]
        colours = set(held) - {0}
        if len(colours) == 1 and held.count(0) == missing:
            yield colours.pop(), [cell for cell in there if cells[cell] == 0]


def words_of(cells):
    line_bits = empty_line_bits(len(cells))
    put_stones(line_bits, cells.ravel(), len(cells))
    return line_bits


@given(boards())
def test_pairs_are_the_empty_cells_of_windows_that_lack_two_stones(case):
    cells, length = case
    side = len(cells)
    line_bits = words_of(cells)
    one_short = any(short_of(cells, length, 1))
    for stone in (1, 2):
        moves = np.zeros(side * side, np.int16)
        num = list_pairs(line_bits, side, length, stone, False, moves)
        expected = {
            row * side + column
            for colour, empty in short_of(cells, length, 2)
            if colour == stone
            for row, column in empty
        }
        assert len(set(moves[:num].tolist())) == num
        assert set(moves[:num].tolist()) == expected
        few = np.zeros(3, np.int16)
        assert list_pairs(line_bits, side, length, stone, False, few) == min(num, 3)
        assert few[: min(num, 3)].tolist() == moves[: min(num, 3)].tolist()
        again = np.zeros(side * side, np.int16)
        alone = list_pairs(line_bits, side, length, stone, True, again)
        assert alone == (-1 if one_short else num)
        assert one_short or again.tolist() == moves.tolist()


@given(boards(), st.data())
def test_a_stone_is_placed_and_removed(case, data):
    cells, _ = case
    side = len(cells)
    line_bits = words_of(cells)
    cell = data.draw(st.integers(0, side * side - 1))
    stone = data.draw(st.sampled_from([1, 2]))
    cells.ravel()[cell] = 0
    without = words_of(cells)
    cells.ravel()[cell] = stone
    toggle(without, side, cell, stone)
    np.testing.assert_array_equal(without, words_of(cells))
    toggle(without, side, cell, stone)
    cells.ravel()[cell] = 0
    np.testing.assert_array_equal(without, words_of(cells))
    assert line_bits.shape == (2, 4, 2 * side - 1)
