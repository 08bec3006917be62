"""Proven values of Gomoku positions: a win of either player or a draw.

`python -m agents.dev gomoku_proof` settles it for boards of up to 8 x 8, by depth-first
proof-number search. The draw by `max_plies` is left out of account: a proof is of the board alone.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from agents.games import require
from agents.games.gomoku.lines.open_lines import count, lowest, winning_cells
from agents.games.gomoku.proofs import proof_numbers
from agents.search.proofs.bitboards import canonical, turned_back
from agents.search.proofs.proof_numbers import (
    ANY_LENGTH,
    NEVER,
    entries,
    make_workspace,
    prove,
)
from agents.search.proofs.result import UNLIMITED, ProofResult, result_record
from boardenvs.core.checks import whole_number
from boardenvs.gomoku import Gomoku, rules
from boardenvs.kernels.binding import over_rules

__all__ = ["Solver"]

_LARGEST = 8  # cells a side: a board is one uint64


@over_rules(plies=1_000_000)
def ask(params, mine, theirs, attack, limit, table, workspace, answer):
    """Settle whether the attacker forces a win: the owner of `mine`, who is to move, or not."""
    p = params[0]
    answer[0].won = -1
    answer[0].rank = 0
    answer[0].action = -1
    answer[0].positions = 0
    answer[0].proof = NEVER
    answer[0].disproof = 0
    cells = winning_cells(p, mine, theirs)
    if cells != np.uint64(0):  # the player to move wins
        answer[0].won = attack
        if attack:
            answer[0].rank = 1
            answer[0].action = action_of(p, lowest(cells))
            answer[0].proof = 0
            answer[0].disproof = NEVER
        return
    one, two, turn = canonical(p, mine, theirs)
    kind = ANY_LENGTH - 1 + attack
    answer[0].positions = prove(p, one, two, kind, limit, table[:0], table, workspace)
    here = workspace[0][0]
    answer[0].proof = here.proof
    answer[0].disproof = here.disproof
    if here.disproof == 0:
        answer[0].won = 0
    elif here.proof == 0:
        answer[0].won = 1
        answer[0].rank = here.rank
        if attack:
            cell = turned_back(p, np.uint64(1) << np.uint64(here.cell), turn)
            answer[0].action = action_of(p, cell)


@njit
def action_of(p, cell):
    """Return the action that places on a cell."""
    bit = count(cell - np.uint64(1))
    return bit // 8 * p.side + bit % 8


class Solver:
    """Depth-first proof-number search in one game of Gomoku, with its table."""

    def __init__(self, game: Gomoku, table_bits: int = 22) -> None:
        """Prepare a search.

        Args:
            game: what is played, on at most 8 x 8 intersections.
            table_bits: the table has room for `2**table_bits` positions, of 24 bytes each.

        Raises:
            ValueError: the game is another one or its board larger, or `table_bits` is not from 4
                to 32.
        """
        require(game, "agents.games.gomoku", "the proof-number search")
        if game.board_size > _LARGEST:
            raise ValueError(
                f"the proof-number search takes boards of at most {_LARGEST} x {_LARGEST}, "
                f"got board_size={game.board_size}"
            )
        self.game = game
        self._table = entries(whole_number("table_bits", table_bits, 4, 32))
        self._workspace = make_workspace([("left", np.int64)])
        self._answer = result_record()

    def search(self, state: np.void, limit: int = UNLIMITED, *, attack: bool = True) -> ProofResult:
        """Search until it is proven whether the attacker forces a win.

        What has been found out is in the table, so a search that came to its limit goes on with
        the next call.

        Args:
            state: a record of the game that is not over. `max_plies` is left out of account.
            limit: how many positions to look at, at most.
            attack: whether the player to move is the attacker; else the other one is.

        Raises:
            ValueError: it is no such record, or the limit is negative.
        """
        whole_number("limit", limit, 0)
        states = self.game.arrays.batch(state)
        if self.game.over(states)[0]:
            raise ValueError("the game is over: there is nothing to prove")
        seat = int(states["to_move"][0])
        owners = self.game.owners(states)[0]
        mine, theirs = (
            sum(np.uint64(1) << np.uint64(8 * r + c) for r, c in np.argwhere(owners == one))
            for one in (seat, 1 - seat)
        )
        ask.bound_to(rules, proof_numbers)(
            self.game.constants,
            np.uint64(mine),
            np.uint64(theirs),
            int(attack),
            limit,
            self._table,
            self._workspace,
            self._answer,
        )
        return ProofResult.read(self._answer)
