"""A search that proves wins in Gekitai, deeper and deeper; `solving` does so by proof numbers.

`python -m agents.dev gekitai_proof` asks either of them. The draw by `max_plies` is left out of
account: a proof is of the board alone.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.games import require
from agents.games.gekitai.threats import lowest, neighbours, winning_cells, wins_at_once
from agents.search.proofs.bitboards import canonical, turned, turned_back
from agents.search.proofs.result import UNLIMITED
from boardenvs.core.chance import mixed
from boardenvs.core.checks import whole_number
from boardenvs.game import States
from boardenvs.gekitai import Gekitai, rules
from boardenvs.gekitai.rules import cell_bit, count, pushed, satisfied
from boardenvs.kernels.binding import over_rules

__all__ = ["ProofSearch", "forced_win", "forcing_cell", "proof_workspace"]

_ENTRY = [
    ("mover", np.uint64),  # the position, in its canonical turn
    ("other", np.uint64),
    ("hint", np.uint64),  # the cell that settled it, in that turn; 0: none did
    ("attack", np.int16),  # whether the mover is the attacker, whose win is asked about
    ("won", np.int16),  # the fewest plies within which the win is known to be forced; 0: none
    ("refuted", np.int16),  # the most plies within which it is known not to be
]
_LEVEL = [
    ("mover", np.uint64),  # the position, as it is
    ("other", np.uint64),
    ("one", np.uint64),  # in its canonical turn,
    ("two", np.uint64),
    ("turn", np.int64),  # by this symmetry
    ("attack", np.int64),  # 1 or 0, as in the table
    ("todo", np.uint64),  # cells not tried yet,
    ("urgent", np.uint64),  # and which to try before the others
    ("stage", np.int64),  # how often other cells have become urgent
    ("cell", np.uint64),  # the one being tried
    ("killer", np.uint64),  # the one that settled the last position at this level
]
_NOTES = [("left", np.int64)]  # how many positions may still be looked at
_REMEMBERED = 3  # plies to go, from which on the table pays


def proof_workspace(table_bits: int) -> tuple[npt.NDArray[np.void], ...]:
    """What `forced_win` works in: a table of `2**table_bits` positions, and more.

    It holds what is proved, so it may be used again and again for games with the same
    parameters, by one thread at a time.
    """
    shapes = (1 << table_bits, _ENTRY), (100, _LEVEL), (1, _NOTES)
    return tuple(
        np.zeros(shape, np.dtype((np.record, np.dtype(fields, align=True))))
        for shape, fields in shapes
    )


@njit
def forced_win(p, mine, theirs, plies, limit, workspace):
    """Whether the owner of `mine`, who is to move, can force a win; 1 or 0, -1 for unknown.

    Args:
        p: the game's constants.
        mine: cells of the player to move, as in `boardenvs.gekitai.rules`.
        theirs: cells of the other player; the position must not be over.
        plies: within how many plies, an odd number below 100.
        limit: how many positions to look at, at most. What is left of it is in
            `workspace[2][0].left`; -1 is the answer where that did not suffice.
        workspace: as from `proof_workspace`.
    """
    _, levels, notes = workspace
    notes[0].left = limit
    top = plies
    won = begin(p, mine, theirs, plies, 1, workspace)
    while True:
        if notes[0].left < 0:
            return -1
        if won >= 0:  # what the position after `cell` of the level above has come to
            if plies == top:
                return won
            plies += 1
            won = take(p, won, plies, workspace)
            continue
        here = levels[plies]
        here.cell = next_cell(p, here)
        if here.cell == np.uint64(0):  # none of them has settled it
            won = 1 - here.attack
            remember(p, won, plies, workspace)
            continue
        own, others = pushed(p, here.mover, here.other, here.cell)
        if satisfied(p, own):
            won = take(p, here.attack, plies, workspace)
        elif satisfied(p, others):
            won = take(p, 1 - here.attack, plies, workspace)
        else:
            plies -= 1
            won = begin(p, others, own, plies, 1 - here.attack, workspace)


@njit
def forcing_cell(p, mine, theirs, plies, workspace):
    """A cell that keeps the win which `forced_win` has just found within `plies`."""
    cells = winning_cells(p, mine, theirs)
    if cells != np.uint64(0):
        return lowest(cells)
    # What is asked about is the last that enters the table.
    one, two, turn = canonical(p, mine, theirs)
    place, _ = place_of(one, two, 1, workspace[0])
    return turned_back(p, workspace[0][place].hint, turn)


@njit
def begin(p, mover, other, plies, attack, workspace):
    """Take up a position: 1 if the attacker forces a win within `plies`, 0 if not, -1 if open."""
    table, levels, notes = workspace
    notes[0].left -= 1
    if attack:
        if wins_at_once(p, mover, other):
            return 1
        # Each of the attacker's turns brings at most one piece more on the board.
        if plies == 1 or count(mover) + (plies + 1) // 2 < p.line:
            return 0
    here = levels[plies]
    here.urgent = here.killer
    if plies >= _REMEMBERED:
        here.one, here.two, here.turn = canonical(p, mover, other)
        here.urgent = np.uint64(0)
        place, known = place_of(here.one, here.two, attack, table)
        if known:
            entry = table[place]
            if entry.won > 0 and entry.won <= plies:
                return 1
            if entry.refuted >= plies:
                return 0
            here.urgent = turned_back(p, entry.hint, here.turn)
    here.mover = mover
    here.other = other
    here.attack = attack
    here.stage = 3 if attack else 0
    here.todo = p.board & ~(mover | other)
    return -1


@njit
def next_cell(p, here):
    """The next cell to try at a level; 0 if there is none left."""
    while here.stage < 3 and here.todo & here.urgent == np.uint64(0):
        # What settled the last such position does not help here.
        if here.stage == 0:
            here.urgent = winning_cells(p, here.mover, here.other)
        elif here.stage == 1:
            here.urgent = winning_cells(p, here.other, here.mover)
        else:
            here.urgent = neighbours(here.other)
        here.stage += 1
    cells = here.todo & here.urgent
    if cells == np.uint64(0):
        cells = here.todo
    if cells == np.uint64(0):
        return cells
    cell = lowest(cells)
    here.todo ^= cell
    return cell


@njit
def take(p, won, plies, workspace):
    """What a level has come to, after what its cell did: `won`, or -1 if that leaves it open."""
    here = workspace[1][plies]
    if won != here.attack:
        return -1
    remember(p, won, plies, workspace)
    return won


@njit
def remember(p, won, plies, workspace):
    """Put in the table what a level has come to."""
    table, levels, _ = workspace
    here = levels[plies]
    here.killer = here.cell
    if plies >= _REMEMBERED:
        place, known = place_of(here.one, here.two, here.attack, table)
        entry = table[place]
        if not known:
            entry.mover = here.one
            entry.other = here.two
            entry.attack = here.attack
            entry.won = 0
            entry.refuted = 0
        if won:
            entry.won = plies
        else:
            entry.refuted = plies
        entry.hint = turned(p, here.cell, here.turn)


@njit
def place_of(one, two, attack, table):
    """The place of a position in the table, and whether that holds it."""
    key = mixed(mixed(one) ^ two)
    place = np.int64((~key if attack else key) & np.uint64(len(table) - 1))
    entry = table[place]
    return place, entry.mover == one and entry.other == two and entry.attack == attack


@over_rules()
def prove_all(states, params, plies, limit, workspace, fewest, actions):
    """The fewest plies, up to `plies`, within which each player to move can force a win.

    0 where none is forced, -1 where `limit` positions did not suffice to see; and the action
    that forces it, else -1. Returns how many positions it took.
    """
    p = params[0]
    visited = 0
    for i in range(len(states)):
        mine = states[i].pieces[states[i].to_move]
        theirs = states[i].pieces[1 - states[i].to_move]
        left = limit
        fewest[i] = 0
        actions[i] = -1
        for within in range(1, plies + 1, 2):
            won = forced_win(p, mine, theirs, within, left, workspace)
            left = workspace[2][0].left
            if won < 0:
                fewest[i] = -1
            if won > 0:
                fewest[i] = within
                cell = forcing_cell(p, mine, theirs, within, workspace)
                for action in range(p.side * p.side):
                    if cell_bit(p, action) == cell:
                        actions[i] = action
            if won != 0:
                break
        visited += limit - max(left, 0)
    return visited


class ProofSearch:
    """Proofs of one game of Gekitai, with the table of what is proved."""

    def __init__(self, game: Gekitai, table_bits: int = 20) -> None:
        """Prepare a search.

        Args:
            game: what is played.
            table_bits: the table has room for `2**table_bits` positions, of 32 bytes each.

        Raises:
            ValueError: the game is another one, or `table_bits` is not from 4 to 32.
        """
        require(game, "agents.games.gekitai", "the proof search")
        self.game = game
        self.positions = 0
        """How many positions it has looked at so far."""
        self._workspace = proof_workspace(whole_number("table_bits", table_bits, 4, 32))

    def fewest_plies(
        self, states: States, plies: int, limit: int | None = None
    ) -> npt.NDArray[np.int64]:
        """Within how few plies the player to move can force a win: int64 of shape (N,).

        It is the fewest of 1, 3, ... up to `plies`; 0 if none of them suffices, and -1 if
        that was not found out. `max_plies` is left out of account.

        Args:
            states: records of the game, shape (N,), none of them over.
            plies: an odd number from 1 to 99.
            limit: how many positions to look at for each, at most; by default no limit.

        Raises:
            ValueError: these are no such states, plies or limit.
        """
        return self._prove(states, plies, limit)[0]

    def forcing_actions(
        self, states: States, plies: int, limit: int | None = None
    ) -> npt.NDArray[np.int64]:
        """An action that forces the win of `fewest_plies`, else -1: int64 of shape (N,).

        The arguments and errors are those of `fewest_plies`.
        """
        return self._prove(states, plies, limit)[1]

    def _prove(
        self, states: States, plies: int, limit: int | None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        if whole_number("plies", plies, 1, 99) % 2 == 0:
            raise ValueError(f"plies must be odd, since the winner plays the last, got {plies}")
        limit = UNLIMITED if limit is None else whole_number("limit", limit, 0, UNLIMITED)
        states = self.game.arrays.batch(states)
        over = self.game.over(states)
        if over.any():
            raise ValueError(f"state {int(over.argmax())} is over: there is nothing to prove")
        fewest, actions = np.zeros((2, len(states)), np.int64)
        prove = prove_all.bound_to(rules)
        self.positions += prove(
            states, self.game.constants, plies, limit, self._workspace, fewest, actions
        )
        return fewest, actions
