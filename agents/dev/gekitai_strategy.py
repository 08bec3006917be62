"""A program that finds a strategy that wins Gekitai for the first player, and writes its file.

`agents.games.gekitai.proofs.check_strategy` defines and checks such a strategy.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import argparse
import functools
import hashlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.dev.proving import search_on
from agents.games.gekitai.proofs.check_strategy import FILE, FORMAT, check_strategy
from agents.games.gekitai.proofs.solving import Solver
from agents.games.gekitai.proofs.strategy import BITS, POWERS
from agents.games.gekitai.threats import lowest, wins_at_once
from agents.search.proofs.bitboards import canonical
from agents.search.proofs.proof_numbers import ANY_LENGTH, NEVER, entries, find, write
from boardenvs.files import check_place, write_atomically
from boardenvs.gekitai import Gekitai, rules
from boardenvs.gekitai.rules import count, pushed, satisfied
from boardenvs.kernels.binding import over_rules

__all__ = ["DESCRIPTION", "add_arguments", "find_strategy", "run"]

DESCRIPTION = "Find a strategy that wins Gekitai for the first player, check it and write it."
_PLIES = 25
"""Number of plies within which the shipped strategy wins from the empty board."""
_TABLE_BITS = 24
_STEP = 1_000_000  # positions between two progress lines
_GRID = np.arange(36).reshape(6, 6)
_TURNS = [np.rot90(grid, k).ravel() for grid in (_GRID, _GRID.T) for k in range(4)]
_MOST = 1 << 20  # maximum number of positions of a strategy

_Bitboards = npt.NDArray[np.uint64]


# -- Finding --------------------------------------------------------------------------------


def find_strategy(plies: int = _PLIES, table_bits: int = _TABLE_BITS) -> npt.NDArray[Any]:
    """Return a strategy that wins the game on 6 x 6 cells from the empty board.

    Progress lines go to standard error.

    Args:
        plies: number of plies within which the strategy must win.
        table_bits: size of the search's table, see `Solver`.

    Returns:
        Records of dtype `FORMAT`, ready to be written.

    Raises:
        ValueError: no strategy wins within `plies`, or an argument is out of range.
    """
    game = Gekitai()
    solver = Solver(game, table_bits)
    states = game.new(1, 0)
    todo = [(np.uint64(0), np.uint64(0), plies)]
    proved = entries(table_bits)
    positions = np.zeros((_MOST, 2), np.uint64)
    holes = np.zeros((_MOST, 3), np.uint64)
    rounds = 0
    while todo:
        for mine, theirs, within in todo:
            states["to_move"] = 0
            states["pieces"] = mine, theirs
            search = functools.partial(solver.search, states[0], plies=int(within))
            if not search_on(search, _STEP).result.won:
                raise ValueError(f"plies must be large enough for a forced win, got {within}")
        collect(solver.table, proved)
        while shorten.bound_to(rules)(game.constants, proved):
            pass
        rounds += 1
        num, num_holes = lay_out.bound_to(rules)(game.constants, proved, rounds, positions, holes)
        found = f"{num:,} positions in the strategy, {num_holes:,} still to be proved"
        print(found, file=sys.stderr, flush=True)
        todo = [tuple(hole) for hole in holes[:num_holes]]
    return _records(positions[:num], proved)


@njit
def collect(table, proved):
    """Add the attacker's proved positions in a search's table, of all questions, to `proved`."""
    for entry in table:
        if entry.kind % 2 == 1 and entry.proof == 0:
            write(
                proved,
                entry.mover,
                entry.other,
                ANY_LENGTH,
                0,
                NEVER,
                entry.rank,
                entry.cell,
                entry.worth,
            )


@over_rules(plies=1_000_000)
def shorten(params, proved):
    """Pass once over proved positions, shorten their wins, and return the number of changes."""
    p = params[0]
    shorter = 0
    for i in range(len(proved)):
        entry = proved[i]
        if entry.kind == 0:
            continue
        todo = p.board & ~(entry.mover | entry.other)
        while todo != np.uint64(0):
            cell = lowest(todo)
            todo ^= cell
            own, others = pushed(p, entry.mover, entry.other, cell)
            if satisfied(p, others) or wins_at_once(p, others, own):
                continue
            rank = rank_of_move(p, others, own, entry.rank, proved)
            if rank < entry.rank:
                entry.rank = rank
                entry.cell = count(cell - np.uint64(1))
                shorter += 1
    return shorter


@over_rules()
def open_after(p, mover, other, cell):
    """Return the canonical position after a reply, and whether it needs an answer.

    It needs none if the reply has lost, or if the winner can win at once.
    """
    own, others = pushed(p, mover, other, cell)
    if satisfied(p, others) or wins_at_once(p, others, own):
        return np.uint64(0), np.uint64(0), False
    one, two, _ = canonical(p, others, own)
    return one, two, True


@over_rules()
def rank_of_move(p, mover, other, enough, proved):
    """Return the rank of the move before `mover` replies, at most `enough`."""
    rank = 3
    todo = p.board & ~(mover | other)
    while todo != np.uint64(0) and rank < enough:
        cell = lowest(todo)
        todo ^= cell
        one, two, is_open = open_after(p, mover, other, cell)
        if not is_open:
            continue
        place = find(proved, one, two, ANY_LENGTH)
        if place < 0:
            return enough
        rank = max(rank, proved[place].rank + 2)
    return min(rank, enough)


@over_rules(plies=1_000_000)
def lay_out(params, proved, mark, positions, holes):
    """Follow the strategy of a table of proved positions from the empty board.

    Args:
        params: the game's constants.
        proved: table of positions, with a cell and a rank each.
        mark: number of the call, at least 1, which marks positions as visited.
        positions: output for the strategy's positions, uint64 of shape (N, 2).
        holes: output for positions without a proof, and the number of plies within which they must
            be won, uint64 of shape (N, 3).

    Returns:
        The numbers of positions and of holes.
    """
    p = params[0]
    num = 1
    num_holes = 0
    positions[0, 0] = 0
    positions[0, 1] = 0
    k = 0
    while k < num:
        place = find(proved, positions[k, 0], positions[k, 1], ANY_LENGTH)
        entry = proved[place]
        cell = np.uint64(1) << np.uint64(entry.cell)
        other, mover = pushed(p, entry.mover, entry.other, cell)
        todo = p.board & ~(mover | other)
        while todo != np.uint64(0):
            cell = lowest(todo)
            todo ^= cell
            one, two, is_open = open_after(p, mover, other, cell)
            if not is_open:
                continue
            place = find(proved, one, two, ANY_LENGTH)
            if place < 0 or proved[place].rank + 2 > entry.rank:
                holes[num_holes, 0] = one
                holes[num_holes, 1] = two
                holes[num_holes, 2] = entry.rank - 2
                num_holes += 1
            elif proved[place].disproof != mark:
                proved[place].disproof = mark
                positions[num, 0] = one
                positions[num, 1] = two
                num += 1
        k += 1
    return num, num_holes


@over_rules(plies=1_000_000)
def read_off(params, proved, positions, cells, ranks):
    """Write the cells, as indices of bits, and the ranks of proved positions to the outputs."""
    for k in range(len(positions)):
        entry = proved[find(proved, positions[k, 0], positions[k, 1], ANY_LENGTH)]
        cells[k] = entry.cell
        ranks[k] = entry.rank


# -- Writing --------------------------------------------------------------------------------


def _records(positions: _Bitboards, proved: npt.NDArray[np.void]) -> npt.NDArray[Any]:
    """Return the file's records of proved positions, sorted by position."""
    bits, ranks = np.zeros((2, len(positions)), np.int64)
    read_off.bound_to(rules)(Gekitai().constants, proved, positions, bits, ranks)
    digits = positions[:, 0, None] >> BITS & np.uint64(1)
    digits += (positions[:, 1, None] >> BITS & np.uint64(1)) * np.uint64(2)
    numbers = np.stack([digits[:, turn] @ POWERS for turn in _TURNS])
    best = numbers.argmin(axis=0)
    goes_to = np.argsort(_TURNS, axis=1)  # index of each cell after each turn
    records = np.zeros(len(positions), FORMAT)
    records["position"] = numbers.min(axis=0)
    records["cell"] = goes_to[best, bits // 8 * 6 + bits % 8]
    records["rank"] = ranks
    return np.sort(records, order="position")


def _card(strategy: npt.NDArray[Any], file: Path, command: str) -> dict[str, Any]:
    """Return the card of a strategy's file."""
    return {
        "game": "gekitai",
        "params": {"board_size": 6, "pieces": 8, "line_length": 3},
        "command": command,
        "plies": int(strategy["rank"][0]),
        "positions": len(strategy),
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    parser.add_argument(
        "--out", type=Path, default=FILE, help="file to write (default: the shipped one)"
    )
    parser.add_argument(
        "--plies",
        type=int,
        default=_PLIES,
        help=f"plies within which the strategy must win (default {_PLIES})",
    )
    parser.add_argument(
        "--table-bits",
        type=int,
        default=_TABLE_BITS,
        help=f"size of the tables, 2**BITS times 48 bytes (default {_TABLE_BITS})",
    )


def run(options: argparse.Namespace) -> None:
    """Find the strategy, check it, and write it with its card.

    Raises:
        ValueError: no strategy wins within `--plies`, or an argument is out of range.
        OSError: a file cannot be written.
    """
    check_place("--out", options.out, ".npy")
    strategy = find_strategy(options.plies, options.table_bits)
    checked = check_strategy(strategy)
    packed = io.BytesIO()
    np.save(packed, strategy)
    write_atomically(options.out, packed.getvalue())
    command = (
        f"python -m agents.dev gekitai_strategy --plies {options.plies} "
        f"--table-bits {options.table_bits}"
    )
    text = json.dumps(_card(strategy, options.out, command), indent=2)
    write_atomically(options.out.with_suffix(".json"), f"{text}\n".encode())
    print(f"{options.out}: {checked.positions:,} positions, a win within {checked.plies} plies")
