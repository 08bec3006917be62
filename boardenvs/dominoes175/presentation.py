"""The presentation of Dominoes 175; see `boardenvs.show.presentation`."""

from __future__ import annotations

from typing import Any

import numpy as np

from boardenvs.core.checks import whole_number
from boardenvs.dominoes175 import text as notation
from boardenvs.dominoes175.picture import place_area
from boardenvs.dominoes175.rules import CELLS, GOAL, STACKS
from boardenvs.show.presentation import Presentation, Span
from boardenvs.show.svg import Area

__all__ = ["Dominoes175Presentation"]


class Dominoes175Presentation(Presentation):
    """The presentation of Dominoes 175."""

    def turn_line(self, state: np.void) -> str:
        hand = self.game.hand_of(self.game.arrays.one(state))
        return "" if hand is None else f"Tile in hand: {notation.tile_to_text(*hand)}"

    def from_turn_line(self, line: str) -> dict[str, Any]:
        return {"hand": notation.tile_from_turn_line(line)} if line else {}

    def rules_in_short(self) -> list[str]:
        return [
            f"{CELLS} tiles lie face down, one for each pair of numbers from 0 to 6.",
            f"You turn a tile over and place it on one of {STACKS} stacks.",
            "Every tile fits on an empty stack. On other stacks, one number of the tile must "
            "equal the number on top. The tile's other number is then on top.",
            f"You win as soon as a stack has {GOAL} tiles.",
            "You lose as soon as you turn over a tile that fits on no stack.",
        ]

    def what_to_type(self, state: np.void) -> str:
        record = self.game.arrays.one(state)
        hand, example = self.game.hand_of(record), self.example_move(record)
        if hand is None:
            return f"row,column of a tile to turn over, such as {example}"
        held = notation.tile_to_text(*hand)
        return f"for {held}, a stack and the end to be on top, such as {example}"

    def spans(self, state: np.void) -> list[Span]:
        record = self.game.arrays.one(state)
        spans = [notation.cell_span(int(k), "faint") for k in np.flatnonzero(record["taken"])]
        heights = record["heights"].tolist()
        spans += [notation.tile_span(k, high - 1, "cyan") for k, high in enumerate(heights) if high]
        last = int(record["last_action"])
        if last >= 0 > record["offender"]:
            stack = (last - CELLS) // 2
            spans.append(
                notation.cell_span(last, "last")
                if last < CELLS
                else notation.tile_span(stack, heights[stack] - 1, "last")
            )
        return spans

    def setting(self) -> str:
        known = ", a deal that is known" if self.game.deck else ""
        return f"{CELLS} tiles face down, {STACKS} stacks, {GOAL} tiles in one win{known}"

    def ended_by(self, state: np.void) -> str:
        record = self.game.arrays.one(state)
        if record["returns"][0] > 0:
            return f"Won: a stack of {GOAL} tiles."
        tile = "-".join(map(str, self.game.hand_of(record) or ()))
        return f"Lost: the tile {tile} fits on no stack."

    def action_area(self, action: int, state: np.void) -> Area | None:
        whole_number("action", action, 0, self.game.num_actions - 1)
        return place_area(action)
