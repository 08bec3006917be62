"""The presentation of Gomoku; see `boardenvs.show.presentation`."""

from __future__ import annotations

import numpy as np

from boardenvs.core.checks import counted, whole_number
from boardenvs.gomoku import text as notation
from boardenvs.gomoku.picture import seat_symbol
from boardenvs.show.presentation import Presentation, Span
from boardenvs.show.svg import Area, cell_area

__all__ = ["GomokuPresentation"]


class GomokuPresentation(Presentation):
    """The presentation of Gomoku."""

    seat_colors = ("#26282c", "#ffffff")

    def rules_in_short(self) -> list[str]:
        length = counted(self.game.win_length, "stone")
        wins = (
            f"Exactly {length} in an unbroken row, column or diagonal win. A longer line "
            "does not win."
            if self.game.exact
            else f"At least {length} in an unbroken row, column or diagonal win."
        )
        return [
            "The players take turns to place a stone on an empty intersection. Black ● begins.",
            "Stones do not move and are not removed.",
            wins,
            "A full board without such a line is a draw.",
            "Rows are numbered from 0 at the top. Columns have letters from A at the left.",
        ]

    def what_to_type(self, state: np.void) -> str:
        return f"row and column of an empty place, such as {self.example_move(state)}"

    def spans(self, state: np.void) -> list[Span]:
        record = self.game.arrays.one(state)
        spans = [
            notation.stone_span(row, column, ("cyan", "red")[owner])
            for (row, column), owner in np.ndenumerate(self.game.owners(record)[0])
            if owner >= 0
        ]
        last = int(record["last_action"])
        if last >= 0 > record["offender"]:
            row, column = divmod(last, self.game.board_size)
            spans.append(notation.stone_span(row, column, "last"))
        return spans

    def setting(self) -> str:
        game = self.game
        just = "just " if game.exact else ""
        return f"{game.board_size} by {game.board_size} lines, {just}{game.win_length} in a row win"

    def ended_by(self, state: np.void) -> str:
        if not self.game.arrays.one(state)["returns"].any():
            return "the board is full"
        return f"a line of {'just ' if self.game.exact else ''}{self.game.win_length}"

    def seat_symbol(self, seat: int) -> str:
        whole_number("seat", seat, 0, self.game.num_players - 1)
        return seat_symbol(seat)

    def action_area(self, action: int, state: np.void) -> Area | None:
        whole_number("action", action, 0, self.game.num_actions - 1)
        return cell_area(*divmod(action, self.game.board_size))
