"""The presentation of Gekitai; see `boardenvs.show.presentation`."""

from __future__ import annotations

import numpy as np

from boardenvs.core.checks import whole_number
from boardenvs.gekitai import text as notation
from boardenvs.gekitai.picture import lines, seat_symbol
from boardenvs.show.grid import cell_span
from boardenvs.show.presentation import Presentation, Span
from boardenvs.show.svg import Area, cell_area

__all__ = ["GekitaiPresentation"]


class GekitaiPresentation(Presentation):
    """The presentation of Gekitai."""

    def rules_in_short(self) -> list[str]:
        pieces = self.game.pieces
        return [
            f"X and O take turns. Each places one of their {pieces} pieces on an empty cell.",
            "The placed piece pushes every neighbouring piece of either player one cell straight "
            "away, if the next cell in that direction is free or off the board.",
            "A piece that is pushed off the board returns to its owner. A pushed piece pushes no "
            "other piece.",
            f"A player wins with {self.game.line_length} pieces in an unbroken row, column or "
            f"diagonal, or with all {pieces} pieces on the board.",
            "If one move lets both players win, the player who moved wins.",
        ]

    def what_to_type(self, state: np.void) -> str:
        return f"an empty cell such as {self.example_move(state)}"

    def spans(self, state: np.void) -> list[Span]:
        record = self.game.arrays.one(state)
        spans = [
            cell_span(row, column, self.game.board_size, ("cyan", "red")[owner])
            for (row, column), owner in np.ndenumerate(self.game.owners(record)[0])
            if owner >= 0
        ]
        last = int(record["last_action"])
        if last >= 0 > record["offender"]:
            row, column = divmod(last, self.game.board_size)
            spans.append(cell_span(row, column, self.game.board_size, "last"))
        return spans

    def setting(self) -> str:
        game = self.game
        return (
            f"{game.board_size} by {game.board_size} cells, {game.pieces} pieces each, "
            f"{game.line_length} in a row win"
        )

    def ended_by(self, state: np.void) -> str:
        record = self.game.arrays.one(state)
        symbol = notation.SYMBOLS[record["returns"].argmax()]
        if lines(self.game.rows(record), symbol, self.game.line_length):
            return f"a line of {self.game.line_length}"
        return f"having all {self.game.pieces} pieces on the board"

    def seat_symbol(self, seat: int) -> str:
        whole_number("seat", seat, 0, self.game.num_players - 1)
        return seat_symbol(seat)

    def action_area(self, action: int, state: np.void) -> Area | None:
        whole_number("action", action, 0, self.game.num_actions - 1)
        return cell_area(*divmod(action, self.game.board_size))
