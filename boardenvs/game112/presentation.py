"""The presentation of the 112 game; see `boardenvs.show.presentation`."""

from __future__ import annotations

import numpy as np

from boardenvs.core.checks import counted, whole_number
from boardenvs.game112 import text as notation
from boardenvs.show.presentation import Presentation, Span
from boardenvs.show.svg import Area, cell_area

__all__ = ["Game112Presentation"]


class Game112Presentation(Presentation):
    """The presentation of the 112 game."""

    def rules_in_short(self) -> list[str]:
        return [
            f"Two players take turns to fill one row of {counted(self.game.board_size, 'place')}.",
            "The player to move writes a 1 or a 2 in an empty place.",
            "A move wins if three neighbouring places then read 1, 1, 2 from left to right. It "
            "does not matter who wrote the other two numbers.",
            "The order 2, 1, 1 does not win.",
            "A full row without 1, 1, 2 is a draw.",
        ]

    def what_to_type(self, state: np.void) -> str:
        example = self.example_move(state)
        return f"a place from 1 to {self.game.board_size} and a 1 or a 2, such as {example}"

    def spans(self, state: np.void) -> list[Span]:
        record = self.game.arrays.one(state)
        cells = enumerate(self.game.cells(record))
        spans = [notation.cell_span(k, ("cyan", "yellow")[c - 1]) for k, c in cells if c]
        last = int(record["last_action"])
        if last >= 0 > record["offender"]:
            spans.append(notation.cell_span(last // 2, "last"))
        return spans

    def setting(self) -> str:
        return f"a row of {self.game.board_size}; 1, 1, 2 from left to right wins"

    def ended_by(self, state: np.void) -> str:
        won = self.game.arrays.one(state)["returns"].any()
        return "1, 1, 2 in a row" if won else "the row is full"

    def action_area(self, action: int, state: np.void) -> Area | None:
        whole_number("action", action, 0, self.game.num_actions - 1)
        return cell_area(0, action // 2)
