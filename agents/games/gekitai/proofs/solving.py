"""The interface of the proof-number search, which finds forced wins of Gekitai."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.games.gekitai.proofs import gekitai_search
from agents.games.gekitai.proofs.gekitai_search import attacking_cells, gekitai_workspace, replies
from agents.games.gekitai.threats import lowest, wins_at_once
from agents.naming.game_folders import require
from agents.search.proofs.bitboards import canonical, turned_back
from agents.search.proofs.proof_numbers import (
    ANY_LENGTH,
    LONGEST,
    NEVER,
    entries,
    find,
    prove,
)
from agents.search.proofs.result import ProofResult, result_record
from boardenvs.core.checks import whole_number
from boardenvs.gekitai import Gekitai, rules
from boardenvs.gekitai.rules import cell_bit
from boardenvs.kernels.binding import over_rules

__all__ = ["NO_TABLE", "Solver"]

NO_TABLE = entries(2)[:0]


@over_rules(plies=1_000_000)
def ask(params, mine, theirs, attack, plies, limit, known, table, workspace, answer):
    """Search for a forced win of the attacker within `plies`, 0 for no limit.

    `mine` are the cells of the player to move, who is the attacker if `attack` is 1.
    """
    p = params[0]
    answer[0].won = -1
    answer[0].rank = 0
    answer[0].action = -1
    answer[0].positions = 0
    answer[0].proof = NEVER
    answer[0].disproof = 0
    if attack:
        cells = attacking_cells(p, mine, theirs, workspace[2][0].alone)
        if cells != np.uint64(0):
            answer[0].won = 1
            answer[0].proof = 0
            answer[0].disproof = NEVER
            answer[0].rank = 1
            answer[0].action = action_of(p, lowest(cells))
            return
        if plies == 1:
            answer[0].won = 0
            return
    elif wins_at_once(p, mine, theirs):
        answer[0].won = 0
        return
    elif plies == 1:
        answer[0].disproof = 1
        return
    one, two, turn = canonical(p, mine, theirs)
    kind = ANY_LENGTH - 1 + attack
    if plies > 0:
        # The attacker plays the last ply, so the number is odd if the attacker is to move.
        kind = plies - (plies + attack) % 2
    place = find(known, one, two, ANY_LENGTH) if attack and len(known) > 0 else -1
    if place >= 0 and known[place].rank <= kind:
        answer[0].won = 1
        answer[0].proof = 0
        answer[0].disproof = NEVER
        answer[0].rank = known[place].rank
        cell = turned_back(p, np.uint64(1) << np.uint64(known[place].cell), turn)
        answer[0].action = action_of(p, cell)
        return
    answer[0].positions = prove(p, one, two, kind, limit, known, table, workspace)
    here = workspace[0][0]
    answer[0].proof = here.proof
    answer[0].disproof = here.disproof
    if here.proof == 0:
        answer[0].won = 1
        answer[0].rank = here.rank
        if attack:
            cell = turned_back(p, np.uint64(1) << np.uint64(here.cell), turn)
            answer[0].action = action_of(p, cell)
    elif here.disproof == 0 and kind == plies:
        answer[0].won = 0


@over_rules()
def action_of(p, cell):
    """Return the action that places on a cell."""
    for action in range(p.side * p.side):
        if cell_bit(p, action) == cell:
            return action
    return -1


@over_rules(plies=1_000_000)
def ask_replies(params, mine, theirs, plies, known, table, workspace, proofs, ranks):
    """Write the known facts about the replies of the defender, who is to move and owns `mine`."""
    kind = ANY_LENGTH if plies == 0 else plies - 1 - plies % 2
    replies(params[0], mine, theirs, kind, known, table, workspace, proofs, ranks)


class Solver:
    """A depth-first proof-number search for one game of Gekitai, with its table."""

    def __init__(
        self,
        game: Gekitai,
        table_bits: int = 22,
        known: npt.NDArray[np.void] = NO_TABLE,
        *,
        both_draw: bool = False,
    ) -> None:
        """Create the search.

        Args:
            game: the game to search.
            table_bits: the table has room for `2**table_bits` positions of 24 bytes, 4 to 32.
            known: read-only table of proved positions.
            both_draw: whether a placement that satisfies both players is a draw, rather than a win
                of the player who placed as in the rules of the game.

        Raises:
            ValueError: `game` is not Gekitai, or `table_bits` is not from 4 to 32.
        """
        require(game, "agents.games.gekitai", "the proof-number search")
        self.game = game
        self.table = entries(whole_number("table_bits", table_bits, 4, 32))
        """Table of the search; see `agents.search.proofs.proof_numbers`."""
        self.known = known
        self._workspace = gekitai_workspace(both_draw)
        self._answer = result_record()
        self._is_clear = True

    def clear(self) -> None:
        """Clear the table."""
        if not self._is_clear:
            self.table.fill(0)
            self._is_clear = True

    def search(
        self, state: np.void, limit: int, *, attack: bool = True, plies: int | None = None
    ) -> ProofResult:
        """Return whether the attacker can force a win.

        The table keeps the results, so the next call continues a search that reached its limit.

        Args:
            state: a record of a game that is not over.
            limit: maximum number of searched positions, at least 0.
            attack: whether the player to move is the attacker, rather than the other player.
            plies: maximum number of plies of the win, 1 to 199; `None` for no limit, which can only
                prove wins. The search ignores `max_plies` of the game.
        """
        whole_number("limit", limit, 0)
        plies = 0 if plies is None else whole_number("plies", plies, 1, LONGEST)
        mine, theirs = self._cells(state)
        ask.bound_to(rules, gekitai_search)(
            self.game.constants,
            mine,
            theirs,
            int(attack),
            plies,
            limit,
            self.known,
            self.table,
            self._workspace,
            self._answer,
        )
        # Without a search, as for a known position, nothing has been written.
        self._is_clear = self._is_clear and self._answer["positions"][0] == 0
        return ProofResult.read(self._answer)

    def replies(
        self, state: np.void, plies: int | None = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the proof numbers of the other player's win after each action.

        Args:
            state: a record of a game that is not over, in which no action wins at once.
            plies: maximum number of plies of the win, as for `search`.

        Returns:
            Proof numbers and plies, each int64 of shape (num_actions,). A proof number is 0 for a
            proven loss and -1 for an illegal action. Plies are the maximum number of plies to the
            end after a proven loss.
        """
        plies = 0 if plies is None else whole_number("plies", plies, 1, LONGEST)
        mine, theirs = self._cells(state)
        proofs, ranks = np.zeros((2, 64), np.int64)
        ask_replies.bound_to(rules)(
            self.game.constants,
            mine,
            theirs,
            plies,
            self.known,
            self.table,
            self._workspace,
            proofs,
            ranks,
        )
        bits = self.game.constants["bits"][0, : self.game.num_actions].astype(np.int64)
        return proofs[bits], ranks[bits]

    def _cells(self, state: np.void) -> tuple[Any, Any]:
        seat = int(state["to_move"])
        return state["pieces"][seat], state["pieces"][1 - seat]
