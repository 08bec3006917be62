"""The numbers of all lines, and games whose lines can be looked up."""

import itertools

import numpy as np
import pytest
import torch

import boardenvs
from agents.networks.line_table import all_lines, has_line_table, worths


@pytest.mark.parametrize(("planes", "reach"), [(2, 1), (3, 1), (3, 2)])
def test_the_table_has_exactly_the_possible_lines(planes, reach):
    """The table contains exactly the lines that occur on boards of any size."""
    width = 2 * reach + 1
    kinds = range(planes + 1) if planes == 2 else range(1, planes + 1)
    expected = set()
    for size in range(1, 2 * width):
        for cells in itertools.product(kinds, repeat=min(size, width)):
            line = (0,) * reach + cells + (0,) * reach
            for middle in range(len(cells)):
                if len(cells) < size and not (middle >= reach and middle + reach < len(cells)):
                    continue  # the board continues beyond these cells
                seen = line[middle : middle + width]
                expected.add(sum(kind * (planes + 1) ** k for k, kind in enumerate(seen)))
    if planes == 2:  # empty cells look like cells beyond the board
        expected = set(range(3**width))
    assert set(all_lines(planes, reach).tolist()) == expected


def test_lines_are_numbered_by_a_convolution():
    owners = np.random.default_rng(0).integers(0, 3, (2, 9, 10))
    seen = np.stack([owners == k for k in range(3)], 1).astype(np.float32)
    digits = torch.from_numpy(seen) * torch.arange(1, 4)[:, None, None]
    codes = torch.nn.functional.conv2d(
        digits.sum(1, keepdim=True), torch.from_numpy(worths(4, 4)).float(), padding=4
    )
    codes = codes.numpy().astype(np.int64)
    padded = np.pad(owners + 1, ((0, 0), (4, 4), (4, 4)))
    for row, column in itertools.product(range(9), range(10)):
        for k, (down, right) in enumerate(((0, 1), (1, 0), (1, 1), (1, -1))):
            line = [padded[:, 4 + row + s * down, 4 + column + s * right] for s in range(-4, 5)]
            expected = sum(cell * 4**s for s, cell in enumerate(line))
            np.testing.assert_array_equal(codes[:, k, row, column], expected)
    assert np.isin(codes, all_lines(3, 4)).all()


@pytest.mark.parametrize(
    ("name", "params", "has"),
    [
        ("gomoku", {}, True),
        ("gomoku", {"board_size": 7, "win_length": 4}, True),
        ("gekitai", {}, True),
        ("game112", {}, False),
        ("goat_race", {}, False),
    ],
)
def test_only_supported_games_have_a_line_table(name, params, has):
    assert has_line_table(boardenvs.make(name, **params), 4) == has


@pytest.mark.parametrize(
    ("planes", "has"),
    [
        (lambda seen: seen[:, :2], True),
        (lambda seen: seen * 2, False),
        (lambda seen: seen[:, [0, 1, 1]], False),
        (lambda seen: np.where(seen.sum((2, 3), keepdims=True) > 20, 0, seen), False),
        (lambda seen: seen[:, [0, 0]], False),
    ],
    ids=["two", "twice", "same", "later", "both"],
)
def test_a_line_table_requires_complete_one_hot_cells(planes, has):
    game = boardenvs.make("gomoku", board_size=7)

    class Shown:
        num_players = 2
        observation_shape = planes(game.observe(game.new(1, 0), np.zeros(1, int))).shape[1:]
        new, legal, play, over = game.new, game.legal, game.play, game.over

        @staticmethod
        def observe(states, seats):
            return planes(game.observe(states, seats))

    assert has_line_table(Shown(), 4) == has
