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

import boardenvs
from agents.arguments import add_parameters, parameters
from agents.dev.values.proving import add_both_lines, search_on
from agents.dev.values.saved_table import SavedTable, add_file, saved_table
from agents.games.gekitai.proofs import check_strategy as checker
from agents.games.gekitai.proofs.check_strategy import FORMAT, Strategy, check_strategy
from agents.games.gekitai.proofs.gekitai_search import attacker_wins
from agents.games.gekitai.proofs.solving import Solver
from agents.games.gekitai.proofs.strategy import file_name
from agents.games.gekitai.threats import lowest, wins_at_once
from agents.search.proofs.bitboards import canonical
from agents.search.proofs.proof_numbers import ANY_LENGTH, NEVER, find, write
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
_MOST = 1 << 20  # maximum number of positions of a strategy

_Bitboards = npt.NDArray[np.uint64]


# -- Finding --------------------------------------------------------------------------------


def find_strategy(
    solver: Solver, plies: int, both_draw: bool, saved: SavedTable | None = None
) -> Strategy:
    """Return a strategy that wins the game from the empty board.

    Progress lines go to standard error.

    Args:
        solver: search of the game, with lines of three.
        plies: number of plies within which the strategy must win.
        both_draw: whether a placement that satisfies both players is a draw, as for the solver.
        saved: file of the solver's table.

    Raises:
        ValueError: no strategy wins within `plies`, or an argument is out of range.
    """
    game = solver.game
    states = game.new(1, 0)
    todo = [(np.uint64(0), np.uint64(0), plies)]
    proved = np.zeros_like(solver.table)
    positions = np.zeros((_MOST, 2), np.uint64)
    holes = np.zeros((_MOST, 3), np.uint64)
    rounds = 0
    while todo:
        for mine, theirs, within in todo:
            states["to_move"] = 0
            states["pieces"] = mine, theirs
            search = functools.partial(solver.search, states[0], plies=int(within))
            if not search_on(search, _STEP, saved=saved).result.won:
                raise ValueError(f"plies must be large enough for a forced win, got {within}")
        collect(solver.table, proved)
        while shorten.bound_to(rules)(game.constants, proved, both_draw):
            pass
        rounds += 1
        num, num_holes = lay_out.bound_to(rules)(
            game.constants, proved, both_draw, rounds, positions, holes
        )
        found = f"{num:,} positions in the strategy, {num_holes:,} still to be proved"
        print(found, file=sys.stderr, flush=True)
        todo = [tuple(hole) for hole in holes[:num_holes]]
    records = _records(game, positions[:num], proved)
    return Strategy(game.board_size, game.pieces, both_draw, records)


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
def shorten(params, proved, alone):
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
            rank = rank_of_move(p, others, own, entry.rank, proved, alone)
            if rank < entry.rank:
                entry.rank = rank
                entry.cell = count(cell - np.uint64(1))
                shorter += 1
    return shorter


@over_rules()
def open_after(p, mover, other, cell, alone):
    """Return the canonical position after a reply, and whether it needs an answer.

    It needs none if the reply has lost, or if the winner can win at once.
    """
    own, others = pushed(p, mover, other, cell)
    if satisfied(p, others) or attacker_wins(p, others, own, alone):
        return np.uint64(0), np.uint64(0), False
    one, two, _ = canonical(p, others, own)
    return one, two, True


@over_rules()
def rank_of_move(p, mover, other, enough, proved, alone):
    """Return the rank of the move before `mover` replies, at most `enough`."""
    rank = 3
    todo = p.board & ~(mover | other)
    while todo != np.uint64(0) and rank < enough:
        cell = lowest(todo)
        todo ^= cell
        one, two, is_open = open_after(p, mover, other, cell, alone)
        if not is_open:
            continue
        place = find(proved, one, two, ANY_LENGTH)
        if place < 0:
            return enough
        rank = max(rank, proved[place].rank + 2)
    return min(rank, enough)


@over_rules(plies=1_000_000)
def lay_out(params, proved, alone, mark, positions, holes):
    """Follow the strategy of a table of proved positions from the empty board.

    Args:
        params: the game's constants.
        proved: table of positions, with a cell and a rank each.
        alone: as in the notes of `gekitai_search`.
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
            one, two, is_open = open_after(p, mover, other, cell, alone)
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


def _records(
    game: Gekitai, positions: _Bitboards, proved: npt.NDArray[np.void]
) -> npt.NDArray[Any]:
    """Return the file's records of proved positions, in ascending order."""
    cells, ranks = np.zeros((2, len(positions)), np.int64)
    read_off.bound_to(rules)(game.constants, proved, positions, cells, ranks)
    records = np.zeros(len(positions), FORMAT)
    records["rank"] = ranks
    square = np.arange(64).reshape(8, 8)[: game.board_size, : game.board_size]
    for k, turn in enumerate(
        np.rot90(one, j).ravel() for one in (square, square.T) for j in range(4)
    ):
        turned = np.zeros_like(records)
        for cell, bit in enumerate(turn.astype(np.uint64)):
            for name, pieces in zip(("mine", "theirs"), positions.T, strict=True):
                turned[name] |= (pieces >> bit & np.uint64(1)) << np.uint64(cell)
        turned["cell"] = np.argsort(turn)[np.searchsorted(np.sort(turn), cells)]
        less = turned["mine"] < records["mine"]
        less |= (turned["mine"] == records["mine"]) & (turned["theirs"] < records["theirs"])
        for name in ("mine", "theirs", "cell"):
            records[name] = np.where(less | (k == 0), turned[name], records[name])
    return records[np.lexsort((records["theirs"], records["mine"]))]


def _packed(strategy: Strategy) -> bytes:
    """Return the bytes of a strategy's file."""
    columns: dict[str, Any] = {name: strategy.records[name] for name in FORMAT.names or ()}
    packed = io.BytesIO()
    np.savez_compressed(
        packed,
        side=strategy.side,
        pieces=strategy.pieces,
        both_draw=strategy.both_draw,
        **columns,
    )
    return packed.getvalue()


def _card(game: Gekitai, strategy: Strategy, file: Path, command: str) -> dict[str, Any]:
    """Return the card of a strategy's file."""
    return {
        "game": "gekitai",
        "params": {
            "board_size": game.board_size,
            "pieces": game.pieces,
            "line_length": game.line_length,
        },
        "command": command,
        "plies": int(strategy.records["rank"][0]),
        "positions": len(strategy.records),
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    add_parameters(parser)
    parser.add_argument("--out", type=Path, help="file to write (default: the shipped one)")
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
    add_both_lines(parser)
    add_file(parser)


def run(options: argparse.Namespace) -> None:
    """Find the strategy, check it, and write it with its card.

    Raises:
        ValueError: no strategy wins within `--plies`, or an argument is out of range.
        OSError: a file cannot be written.
    """
    given = parameters(options)
    game = boardenvs.make("gekitai", **given)
    assert isinstance(game, Gekitai)
    if game.line_length != 3:
        raise ValueError(f"line_length must be 3, got {game.line_length}")
    both_draw = options.both_lines == "draw"
    name = file_name(game, both_draw)
    out = options.out or Path(checker.__file__).with_name(name)
    check_place("--out", out, ".npz")
    solver = Solver(game, options.table_bits, both_draw=both_draw)
    question = {"game": game.name, "params": game.params, "strategy": True}
    saved = saved_table(options, question | {"both_lines": options.both_lines}, solver.table)
    strategy = find_strategy(solver, options.plies, both_draw, saved)
    checked = check_strategy(strategy)
    write_atomically(out, _packed(strategy))
    words = [f"-p {name}={value}" for name, value in given.items()]
    words += [f"--plies {options.plies} --table-bits {options.table_bits}"]
    words += ["--both-lines draw"] * both_draw
    command = " ".join(["python -m agents.dev gekitai_strategy", *words])
    text = json.dumps(_card(game, strategy, out, command), indent=2)
    write_atomically(out.with_suffix(".json"), f"{text}\n".encode())
    print(f"{out}: {checked.positions:,} positions, a win within {checked.plies} plies")
