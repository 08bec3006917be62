"""The engine's board: incremental values equal values computed from the stones."""

import numpy as np
import pytest

import boardenvs
from agents.games.gomoku.engine import patterns
from agents.games.gomoku.engine.position import CELLS, empty_position, place, take_back

VARIANTS = {
    "15": {},
    "5, four": {"board_size": 5, "win_length": 4},
    "9, exact": {"board_size": 9, "exact": True},
    "26, six": {"board_size": 26, "win_length": 6},
}
OFF = 3


@pytest.fixture(params=VARIANTS)
def game(request):
    return boardenvs.make("gomoku", **VARIANTS[request.param])


def cells_of(game, s):
    rows, columns = np.divmod(np.arange(game.num_actions), game.board_size)
    return int(s["first"]) + rows * int(s["stride"]) + columns


def seen(game, s, cell):
    """Return the expected values of an empty cell, computed from the stones and the tables."""
    reach = patterns.reach_of(game.win_length, game.exact)
    codes = patterns.window_codes(game.win_length, game.exact)
    stones = s["stones"]
    packed = [0, 0]
    near = 0
    for direction, step in enumerate((1, s["stride"], s["stride"] + 1, s["stride"] - 1)):
        around = []
        for way in (-1, 1):
            side = [int(stones[cell + way * k * int(step)]) for k in range(1, reach + 1)]
            if OFF in side:
                side[side.index(OFF) :] = [OFF] * (reach - side.index(OFF))
            near += sum(stone in (1, 2) for stone in side[:2])
            around.append(side)
        window = around[0][::-1] + around[1]
        for colour in (0, 1):
            mine = [{0: 0, colour + 1: 1}.get(stone, 2) for stone in window]
            code = codes[sum(3**i * stone for i, stone in enumerate(mine))]
            packed[colour] |= int(code) << 4 * direction
    return packed, near


def check(game, s):
    """Check all incremental values of a record against its stones."""
    counts = np.zeros((2, patterns.NUM_KINDS), np.int64)
    total = np.zeros(2, np.int64)
    name = np.uint64(0)
    kinds = patterns.kinds_of_cells()
    for cell in cells_of(game, s).tolist():
        stone = int(s["stones"][cell])
        flags = int(s["marks"][cell // 8]) >> 8 * (cell % 8) & 255
        if stone:
            name ^= s["names"][cell, stone - 1]
            assert flags == 0
            continue
        packed, near = seen(game, s, cell)
        assert s["near"][cell] == near
        expected = 0
        for colour in (0, 1):
            kind = kinds[packed[colour]]
            assert s["packed"][cell, colour] == packed[colour]
            assert s["kinds"][cell, colour] == kind
            worth = s["kind_worth"][kind]
            worth += sum(s["code_worth"][packed[colour] >> 4 * k & 15] for k in range(4))
            assert s["worth"][cell, colour] == worth
            counts[colour, kind] += 1
            total[colour] += worth
            expected |= int(s["flags_of"][kind]) << 4 * colour
        assert flags == expected
    np.testing.assert_array_equal(s["counts"], counts)
    np.testing.assert_array_equal(s["total"], total)
    assert s["hash"] == name


def test_a_position_is_updated_and_restored_move_by_move(game):
    records, codes = empty_position(game)
    s = records[0]
    check(game, s)
    rng = np.random.default_rng(1)
    snapshots = []
    moves = rng.permutation(cells_of(game, s))
    for number, cell in enumerate(moves.tolist()):
        snapshots.append(records.copy())
        place(s, codes, cell)
        if number % (1 + game.num_actions // 6) == 0:
            check(game, s)
        # Sometimes a few stones are taken back and replaced by others.
        if number % 7 == 6:
            for back in moves[number : number - 3 : -1].tolist():
                take_back(s, codes, back)
                assert records.tobytes() == snapshots.pop().tobytes()
            for again in moves[number - 2 : number + 1].tolist():
                snapshots.append(records.copy())
                place(s, codes, again)
    check(game, s)
    assert s["num"] == game.num_actions
    for cell in moves[::-1].tolist():
        take_back(s, codes, cell)
        assert records.tobytes() == snapshots.pop().tobytes()


def test_the_order_of_the_stones_does_not_matter(game):
    rng = np.random.default_rng(2)
    first, codes = empty_position(game)
    second = first.copy()
    cells = rng.permutation(cells_of(game, first[0]))[: game.num_actions // 2 // 2 * 2].tolist()
    for cell in cells:
        place(first[0], codes, cell)
    black, white = cells[::2], cells[1::2]
    for pair in zip(black[::-1], white[::-1], strict=True):
        for cell in pair:
            place(second[0], codes, cell)
    for field in ("hash", "num", "mover", "stones", "windows", "near", "marks", "counts", "total"):
        np.testing.assert_array_equal(first[field], second[field])


def test_the_position_has_room_for_the_largest_board():
    records, _ = empty_position(boardenvs.make("gomoku", board_size=26, win_length=6, exact=True))
    s = records[0]
    assert s["end"] + s["reach"] * (s["stride"] + 1) <= CELLS
    assert s["first"] - s["reach"] * (s["stride"] + 1) >= 0
