"""The shipped winning strategies of Gekitai and their check."""

import dataclasses
import hashlib
import io
import json

import numpy as np
import pytest
from numba import njit

import agents
from agents.games.gekitai.proofs import check_strategy as checker
from agents.games.gekitai.proofs.check_strategy import read_strategy, shipped_files
from agents.games.gekitai.proofs.solving import Solver
from agents.games.gekitai.proofs.strategy import file_name, known_wins
from agents.search.proofs.bitboards import canonical
from agents.search.proofs.proof_numbers import ANY_LENGTH, find
from boardenvs.gekitai import Gekitai

FILES = {file.stem: file for file in shipped_files()}


@pytest.fixture(scope="module")
def shipped():
    return read_strategy(FILES["first_player_6x6_8"])


def with_records(strategy, records):
    return dataclasses.replace(strategy, records=records)


@pytest.mark.parametrize("name", FILES)
def test_each_shipped_strategy_wins(name):
    file = FILES[name]
    strategy = read_strategy(file)
    checked = checker.check_strategy(strategy)
    card = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    assert (checked.positions, checked.plies) == (card["positions"], card["plies"])
    assert checked.replies > 15 * checked.positions
    assert hashlib.sha256(file.read_bytes()).hexdigest() == card["sha256"]
    game = Gekitai(**card["params"])
    assert (strategy.side, strategy.pieces) == (game.board_size, game.pieces)
    assert file.name == file_name(game, strategy.both_draw)


@pytest.mark.slow
@pytest.mark.parametrize("side", [7, 8])
@pytest.mark.parametrize("pieces", [8, 10, 11, 12])
def test_the_strategy_for_nine_pieces_wins_with_eight_or_more(side, pieces):
    strategy = read_strategy(FILES[f"first_player_{side}x{side}_8"])
    assert strategy.pieces == 9
    assert checker.check_strategy(dataclasses.replace(strategy, pieces=pieces)).plies == 15


def test_the_shipped_strategies_are_small():
    assert len(FILES) >= 2
    assert sum(file.stat().st_size for file in FILES.values()) < 1_000_000


# -- The check finds every error. -----------------------------------------------------------


def test_a_strategy_with_a_missing_position_is_refused(shipped, refused):
    records = shipped.records
    for k in np.random.default_rng(1).choice(np.arange(1, len(records)), 2, replace=False):
        with refused("position .*answer to cell"):
            checker.check_strategy(with_records(shipped, np.delete(records, k)))


def test_a_rank_that_is_too_low_is_refused(shipped, refused):
    # Each rank is the lowest possible one, so a lower rank is too low for some reply.
    highest = np.flatnonzero(shipped.records["rank"] > 3)
    for k in np.random.default_rng(1).choice(highest, 2, replace=False):
        records = shipped.records.copy()
        records["rank"][k] -= 1
        with refused(f"position {k} .*rank"):
            checker.check_strategy(with_records(shipped, records))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda r: np.concatenate([r[:1], r[:0:-1]]), "positions .*ascending"),
        (lambda r: r[1:], "positions .*empty board"),
        (lambda r: r[:0], "positions .*empty board"),
        (lambda r: r["rank"], "strategy .*got uint8 "),
        (lambda r: r[:1], "position 0 .*answer to cell"),
    ],
)
def test_invalid_strategies_are_refused(shipped, fault, message, refused):
    with refused(message):
        checker.check_strategy(with_records(shipped, fault(shipped.records)))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("cell", 36, "cell off"),
        ("rank", 1, "rank below 3"),
        ("rank", 23, "rank lower by 2"),
        ("cell", 0, "answer to cell"),
    ],
)
def test_errors_about_the_empty_board_are_specific(shipped, field, value, message, refused):
    records = shipped.records.copy()
    records[field][0] = value
    with refused(f"position 0 .*{message}"):
        checker.check_strategy(with_records(shipped, records))


@pytest.mark.parametrize("field", ["mine", "theirs"])
def test_invalid_boards_are_refused(shipped, field, refused):
    records = shipped.records.copy()
    records[field][-1] |= np.uint64(1 << 36)
    with refused("positions .*cell of the board"):
        checker.check_strategy(with_records(shipped, records))


def test_a_symmetric_board_is_refused(shipped, refused):
    records = shipped.records.copy()
    records["theirs"][0] = 0
    records = np.concatenate([records[:1], records[-1:]])
    records["mine"][1], records["theirs"][1] = 1 << 35, 0  # a corner, of which the smallest is 1
    with refused("position 1 has a smaller symmetry"):
        checker.check_strategy(with_records(shipped, records))


@pytest.mark.parametrize(("side", "pieces"), [(9, 8), (2, 8), (6, 2)])
def test_a_game_out_of_range_is_refused(shipped, side, pieces, refused):
    with refused(f"cells a side .*{side} and {pieces}"):
        checker.check_strategy(dataclasses.replace(shipped, side=side, pieces=pieces))


def test_a_strategy_for_one_board_is_none_for_another(shipped, refused):
    with refused("strategy position"):
        checker.check_strategy(dataclasses.replace(shipped, side=7))


def test_a_win_that_may_be_a_draw_needs_another_answer(shipped, refused):
    """The strategy for the rules of the game misses positions if double wins are draws."""
    with refused("has no answer to cell"):
        checker.check_strategy(dataclasses.replace(shipped, both_draw=True))


def damages(packed):
    """Return damaged copies of a file, and a file of something else."""
    changed = bytearray(packed)
    changed[len(packed) // 2] ^= 255
    other = io.BytesIO()
    np.savez(other, mine=np.arange(3))
    return [b"", packed[:100], packed[: len(packed) // 2], bytes(changed), other.getvalue()]


def test_a_damaged_file_is_named(tmp_path, refused):
    for k, packed in enumerate(damages(FILES["first_player_6x6_8"].read_bytes())):
        file = tmp_path / f"damaged{k}.npz"
        file.write_bytes(packed)
        with refused(f"damaged{k}.npz"):
            read_strategy(file)


@pytest.mark.parametrize("side", [6, 7, 8])
def test_the_rules_of_the_check_agree_with_the_game(side, live_positions):
    # The check has its own rules, which must agree with the package on all kinds of boards.
    game = Gekitai(board_size=side)
    rules = checker._Rules(side, 8, False)
    states = live_positions(game, 60, 4)
    rows = np.array([8 * r + c for r in range(side) for c in range(side)], np.uint64)
    bits = np.uint64(1) << np.arange(side**2, dtype=np.uint64)

    def words(records):
        return [(records["pieces"][:, seat, None] >> rows & np.uint64(1)) @ bits for seat in (0, 1)]

    for cell in range(side**2):
        after = states[game.legal(states)[:, cell]]
        seats = after["to_move"].astype(np.int64)
        both = np.stack(words(after))
        every = np.arange(len(after))
        placed = rules.placed(cell, both[seats, every], both[1 - seats, every])
        won = [rules.has_won(pieces) for pieces in placed]
        game.play(after, np.full(len(after), cell))
        both = np.stack(words(after))
        np.testing.assert_array_equal(placed[0], both[seats, every])
        np.testing.assert_array_equal(placed[1], both[1 - seats, every])
        results = np.where(won[0], 1, np.where(won[1], -1, 0))
        np.testing.assert_array_equal(results, after["returns"][every, seats])


# -- Reading. -------------------------------------------------------------------------------


@njit
def ranks_of(params, pairs, table, kind, ranks):
    for k in range(len(pairs)):
        one, two, _ = canonical(params[0], pairs[k, 0], pairs[k, 1])
        ranks[k] = table[find(table, one, two, kind)].rank


@pytest.mark.parametrize(("side", "pieces"), [(6, 8), (8, 12)])
def test_known_wins_have_every_position_of_the_strategy(side, pieces):
    game = Gekitai(board_size=side, pieces=pieces)
    table = known_wins(game)
    records = read_strategy(FILES[f"first_player_{side}x{side}_8"]).records
    assert (table["kind"] != 0).sum() == len(records)
    rows = np.uint64(1) << np.array(
        [8 * r + c for r in range(side) for c in range(side)], np.uint64
    )
    cells = np.arange(side**2, dtype=np.uint64)
    pairs = np.stack([(records[k][:, None] >> cells & 1) @ rows for k in ("mine", "theirs")], 1)
    ranks = np.zeros(len(records), np.int64)
    ranks_of(game.constants, pairs, table, ANY_LENGTH, ranks)
    np.testing.assert_array_equal(ranks, records["rank"])


@pytest.mark.parametrize("name", [name for name in FILES if "draw" not in name])
def test_a_strategy_wins_the_empty_board_without_a_search(name):
    card = json.loads(FILES[name].with_suffix(".json").read_text(encoding="utf-8"))
    game = Gekitai(**card["params"])
    found = Solver(game, 4, known_wins(game)).search(game.new(1)[0], 1000)
    assert found.won
    assert found.plies == card["plies"]
    assert found.positions == 0  # no search is needed


@pytest.mark.parametrize(
    ("side", "pieces", "most"), [(6, 6, 17), (6, 7, 19), (6, 12, 25), (7, 11, 15), (8, 8, 15)]
)
def test_exact_wins_within_the_known_number_of_plies(side, pieces, most):
    game = Gekitai(board_size=side, pieces=pieces)
    exact = agents.make("exact", game, seed=1, budget=200)
    other = agents.make("greedy", game, seed=2)
    states = game.new(6, 3)
    while len(states):
        assert (exact.plies(states) <= most).all()
        game.play(states, exact.act(states), illegal="raise")
        assert (states["returns"][game.over(states), 0] == 1).all()
        states = states[~game.over(states)]
        game.play(states, other.act(states), illegal="raise")
        assert (states["returns"][game.over(states), 0] == 1).all()
        states = states[~game.over(states)]
        most -= 2


@pytest.mark.parametrize("params", [{"line_length": 4}, {"board_size": 8, "line_length": 4}])
def test_other_parameters_have_no_known_wins(params):
    assert len(known_wins(Gekitai(**params))) == 0
