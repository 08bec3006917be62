"""A solver of Gomoku, which proves a win of either player or a draw.

`python -m agents.dev gomoku_proof` solves boards of up to 8 x 8 by depth-first proof-number search.
Draws by `max_plies` are ignored.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from agents.games.gomoku.lines.open_lines import count, lowest, winning_cells
from agents.games.gomoku.proofs import gomoku_search
from agents.naming.game_folders import require
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

__all__ = ["LARGEST", "Solver"]

LARGEST = 8
"""Cells of a side of the largest board, which is one uint64."""


@over_rules(plies=1_000_000)
def ask(params, mine, theirs, attack, limit, table, workspace, answer):
    """Search whether the attacker forces a win.

    `mine` are the cells of the player to move, who is the attacker if `attack` is 1.
    """
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
    """Return the action that places a stone on a cell."""
    bit = count(cell - np.uint64(1))
    return bit // 8 * p.side + bit % 8


class Solver:
    """A depth-first proof-number search of Gomoku with its table."""

    def __init__(self, game: Gomoku, table_bits: int = 22) -> None:
        """Prepare a search.

        Args:
            game: Gomoku with a `board_size` of at most 8.
            table_bits: the table has room for `2**table_bits` positions of 24 bytes, 4 to 32.

        Raises:
            ValueError: the game is not supported, or `table_bits` is out of range.
        """
        require(game, "agents.games.gomoku", "the proof-number search")
        if game.board_size > LARGEST:
            raise ValueError(
                f"board_size must be at most {LARGEST} for the proof-number search, "
                f"got {game.board_size}"
            )
        self.game = game
        self.table = entries(whole_number("table_bits", table_bits, 4, 32))
        """Table of the search; see `agents.search.proofs.proof_numbers`."""
        self._workspace = make_workspace([("left", np.int64)])
        self._answer = result_record()

    @property
    def memory(self) -> int:
        """Size of the table in bytes."""
        return int(self.table.nbytes)

    def clear(self) -> None:
        """Clear the table."""
        self.table.fill(0)

    def search(self, state: np.void, limit: int = UNLIMITED, *, attack: bool = True) -> ProofResult:
        """Search whether the attacker forces a win.

        The results stay in the table, so the next call continues a search that reached its limit.

        Args:
            state: a record of the game that is not over. `max_plies` is ignored.
            limit: maximum number of positions to search, at least 0.
            attack: whether the attacker is the player to move or the other player.

        Raises:
            ValueError: `state` is not such a record, or `limit` is negative.
        """
        whole_number("limit", limit, 0)
        states = self.game.arrays.batch(state)
        if self.game.over(states)[0]:
            raise ValueError("state must not be over")
        seat = int(states["to_move"][0])
        owners = self.game.owners(states)[0]
        mine, theirs = (
            sum(np.uint64(1) << np.uint64(8 * r + c) for r, c in np.argwhere(owners == one))
            for one in (seat, 1 - seat)
        )
        ask.bound_to(rules, gomoku_search)(
            self.game.constants,
            np.uint64(mine),
            np.uint64(theirs),
            int(attack),
            limit,
            self.table,
            self._workspace,
            self._answer,
        )
        return ProofResult.read(self._answer)
