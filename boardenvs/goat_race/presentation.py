"""The presentation of Goat Race; see `boardenvs.show.presentation`."""

from __future__ import annotations

from string import ascii_uppercase
from typing import Any

import numpy as np

from boardenvs.core.checks import counted, whole_number
from boardenvs.goat_race import text as notation
from boardenvs.goat_race.picture import FILLS, seat_symbol
from boardenvs.goat_race.positions import ARRIVALS, GOATS, last_cells, tops
from boardenvs.goat_race.text import DECISIONS, LETTERS, LOOK_OF
from boardenvs.show.grid import cell_span
from boardenvs.show.presentation import Presentation, Span
from boardenvs.show.svg import Area, cell_area

__all__ = ["GoatRacePresentation"]


class GoatRacePresentation(Presentation):
    """The presentation of Goat Race."""

    seat_colors = FILLS

    def turn_line(self, state: np.void) -> str:
        record = self.game.arrays.one(state)
        order = ", ".join(self.game.seat_names[seat] for seat in record["order"])
        decision = DECISIONS[record["decision"]]
        if decision == "place":
            return f"Order: {order}; place a goat: type a row of the gate"
        asked = {
            "sideways": "move sideways, or s to stay",
            "forward": f"move a goat of row {record['die']} forward",
        }
        return f"Order: {order}; die: {record['die']}; {asked[decision]}"

    def from_turn_line(self, line: str) -> dict[str, Any]:
        return notation.parse_turn_line(line, self.game.seat_names) if line else {}

    def rules_in_short(self) -> list[str]:
        last = ascii_uppercase[self.game.width - 1]
        jump = self.game.params["draw_rule"] == "jump"
        way = "forward or sideways" if jump else "forward"
        return [
            f"The player with {ARRIVALS} of {GOATS} goats in column {last} wins. It does not "
            "matter who moved them there.",
            "First the players take turns to place their goats in column A, always in a row with "
            "the lowest stack.",
            "Then every turn begins with a throw of the die. You may first move one of your goats "
            "one row up or down.",
            "You must then move one goat of any colour one column forward, in the row that the "
            "die shows, if a goat in that row can move.",
            "Only the top goat of a stack can move. It may enter a cell with other goats, but not "
            f"an obstacle X. If no goat can move {way}, the game is a draw.",
        ]

    def what_to_type(self, state: np.void) -> str:
        record = self.game.arrays.one(state)
        decision, example = DECISIONS[record["decision"]], self.example_move(record)
        if decision == "place":
            return f"a row to place a goat in, such as {example}"
        if decision == "sideways":
            return f"a goat of yours one row up or down, such as {example}, or s to stay"
        return f"a goat of row {record['die']} one column forward, such as {example}"

    def spans(self, state: np.void) -> list[Span]:
        record = self.game.arrays.one(state)
        spans = [
            cell_span(row, column, self.game.height, LOOK_OF[letter])
            for row, letters in enumerate(tops(record))
            for column, letter in enumerate(letters)
            if letter in LOOK_OF
        ]
        if record["offender"] < 0:
            for row, column in last_cells(record):
                spans.append(cell_span(row, column, self.game.height, "last"))
        return spans

    def setting(self) -> str:
        jump = self.game.params["draw_rule"] == "jump"
        more = ", drawn when no goat can move at all" if jump else ""
        game = self.game
        return (
            f"{game.num_players} players, {counted(game.height, 'row')} and {game.width} columns, "
            f"{ARRIVALS} goats in column {ascii_uppercase[self.game.width - 1]} win{more}"
        )

    def ended_by(self, state: np.void) -> str:
        if self.game.arrays.one(state)["returns"].any():
            return f"{ARRIVALS} goats in the Destination"
        jump = self.game.params["draw_rule"] == "jump"
        return "no goat can move" if jump else "no goat can move forward"

    def seat_symbol(self, seat: int) -> str:
        whole_number("seat", seat, 0, self.game.num_players - 1)
        return seat_symbol(LETTERS[seat])

    def action_area(self, action: int, state: np.void) -> Area | None:
        cells = self._cells_of(action, state)
        return cell_area(*cells[0]) if cells else None

    def action_target(self, action: int, state: np.void) -> Area | None:
        cells = self._cells_of(action, state)
        return cell_area(*cells[1]) if len(cells) == 2 else None

    def _cells_of(self, action: int, state: np.void) -> list[tuple[int, int]]:
        action = whole_number("action", action, 0, self.game.num_actions - 1)
        die = self.game.die_of(state)
        return notation.cells_of_action(action, self.game.height, self.game.width, die)
