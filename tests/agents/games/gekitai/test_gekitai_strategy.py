"""The shipped winning strategy of Gekitai and its check."""

import hashlib
import json

import numpy as np
import pytest
from numba import njit

from agents.games.gekitai.proofs import check_strategy as checker
from agents.games.gekitai.proofs.solving import Solver
from agents.games.gekitai.proofs.strategy import known_wins
from agents.search.proofs.bitboards import canonical
from agents.search.proofs.proof_numbers import ANY_LENGTH, find
from boardenvs.gekitai import Gekitai


@pytest.fixture(scope="module")
def shipped():
    return np.load(checker.FILE)


def test_the_shipped_strategy_wins(shipped):
    checked = checker.check_strategy(shipped)
    card = json.loads(checker.FILE.with_suffix(".json").read_text(encoding="utf-8"))
    assert (checked.positions, checked.plies) == (card["positions"], card["plies"])
    assert checked.replies > 20 * checked.positions
    assert checker.FILE.stat().st_size < 1_000_000
    assert hashlib.sha256(checker.FILE.read_bytes()).hexdigest() == card["sha256"]


# -- The check finds every error. -----------------------------------------------------------


def test_a_strategy_with_a_missing_position_is_refused(shipped, refused):
    for k in np.random.default_rng(1).choice(np.arange(1, len(shipped)), 2, replace=False):
        with refused("position .*answer to cell"):
            checker.check_strategy(np.delete(shipped, k))


def test_a_rank_that_is_too_low_is_refused(shipped, refused):
    # Each rank is the lowest possible one, so a lower rank is too low for some reply.
    highest = np.flatnonzero(shipped["rank"] > 3)
    for k in np.random.default_rng(1).choice(highest, 2, replace=False):
        records = shipped.copy()
        records["rank"][k] -= 1
        with refused(f"position {records['position'][k]} .*rank"):
            checker.check_strategy(records)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda r: r[::-1], "positions .*ascending"),
        (lambda r: r[1:], "positions .*empty board"),
        (lambda r: r[:0], "positions .*empty board"),
        (lambda r: r["rank"], "strategy .*got uint8 "),
        (lambda r: r[:1], "position 0 .*answer to cell"),
    ],
)
def test_invalid_strategies_are_refused(shipped, fault, message, refused):
    with refused(message):
        checker.check_strategy(fault(shipped))


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
    records = shipped.copy()
    records[field][0] = value
    with refused(f"position 0 .*{message}"):
        checker.check_strategy(records)


def test_the_rules_of_the_check_agree_with_the_game(gekitai, live_positions):
    # The check has its own rules, which must agree with the package on all kinds of boards.
    states = live_positions(gekitai, 60, 4)
    rows = np.array([8 * r + c for r in range(6) for c in range(6)], np.uint64)
    bits = np.uint64(1) << np.arange(36, dtype=np.uint64)

    def words(records):
        return [(records["pieces"][:, seat, None] >> rows & np.uint64(1)) @ bits for seat in (0, 1)]

    for cell in range(36):
        after = states[gekitai.legal(states)[:, cell]]
        seats = after["to_move"].astype(np.int64)
        both = np.stack(words(after))
        every = np.arange(len(after))
        placed = checker._placed(cell, both[seats, every], both[1 - seats, every])
        won = [checker._has_won(pieces) for pieces in placed]
        gekitai.play(after, np.full(len(after), cell))
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


def test_known_wins_have_every_position_of_the_strategy(gekitai, shipped):
    table = known_wins(gekitai)
    assert (table["kind"] != 0).sum() == len(shipped)
    digits = shipped["position"][:, None] // np.uint64(3) ** np.arange(36, dtype=np.uint64)
    rows = np.uint64(1) << np.array([8 * r + c for r in range(6) for c in range(6)], np.uint64)
    pairs = np.stack([(digits % np.uint64(3) == np.uint64(k)) @ rows for k in (1, 2)], axis=1)
    ranks = np.zeros(len(shipped), np.int64)
    ranks_of(gekitai.constants, pairs, table, ANY_LENGTH, ranks)
    np.testing.assert_array_equal(ranks, shipped["rank"])


def test_the_strategy_wins_the_empty_board_without_a_search(gekitai):
    found = Solver(gekitai, 4, known_wins(gekitai)).search(gekitai.new(1)[0], 1000)
    assert found.won
    assert found.plies == np.load(checker.FILE)["rank"][0]
    assert found.positions == 0  # no search is needed


def test_other_parameters_have_no_known_wins():
    game = Gekitai(pieces=9)
    assert len(known_wins(game)) == 0
