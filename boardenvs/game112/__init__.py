"""The 112 game, in which 1, 1, 2 side by side wins. The README.md here has its rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from boardenvs.core.checks import counted, require_implied, shown, whole_number
from boardenvs.game import Game
from boardenvs.game112 import text as notation
from boardenvs.game112.picture import board_picture
from boardenvs.game112.presentation import Game112Presentation

__all__ = ["Game112"]


class Game112(Game):  # noqa: D101 its docstring begins with `about`
    about = """
    Two players put a 1 or a 2 on the empty positions of a row; 1, 1, 2 side by side wins.

    - Rules: a move that makes three neighbouring positions read 1, 1, 2 wins. A full board
      without 1, 1, 2 is a tie.
    - Arguments: `board_size=9` (1 to 9), `max_plies=9`.
    - Observation: int8 (3, N): ones, twos, empty positions; the same for both seats.
    - Actions: Discrete(2*N): `2 * (position - 1) + (value - 1)`; as text `4 2`.
    - Rewards: +1 and -1 at the end; 0 for a tie.
    - Start and end: empty board; a win or a full board.
    - Hidden and random: nothing.
    """
    __doc__ = f"""{about}
    Version history: v0, first version.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> import boardenvs
        >>> game = boardenvs.make("game112")
        >>> state = game.new(1, seed=0)
        >>> game.play(state, [game.action_from_text("1 1")])
        >>> print(game.to_text(state[0]), end="")
        | 1 - - - - - - - - |
    """

    name = "game112"
    title = "The 112 game"
    presentation_class = Game112Presentation
    seat_names = ("Player 1", "Player 2")

    def __init__(self, board_size: int = 9, max_plies: int = 9) -> None:
        board_size = self.board_size = whole_number("board_size", board_size, 1, 9)
        super().__init__(
            params={"board_size": board_size, "max_plies": max_plies},
            num_players=2,
            num_actions=2 * board_size,
            observation_shape=(3, board_size),
            # Always nine cells, so that one compiled kernel serves every size.
            fields=[("cells", np.int8, (9,))],
            constants={"positions": (np.int64, board_size)},
        )

    def to_text(self, state: np.void) -> str:
        return notation.board_to_text(self.cells(self.arrays.one(state)))

    def from_text(
        self, text: str, *, to_move: int | None = None, ply: int | None = None
    ) -> np.void:
        cells = notation.board_from_text(text, self.board_size)
        return self._from_fields({"board": cells}, to_move, ply)

    def action_to_text(self, action: int, state: np.void | None = None) -> str:
        return notation.action_to_text(whole_number("action", action, 0, self.num_actions - 1))

    def action_from_text(self, text: str, state: np.void | None = None) -> int:
        return notation.action_from_text(text, self.board_size)

    def picture(self, state: np.void) -> str:
        record = self.arrays.one(state)
        if record["returns"].any():
            status = f"player {record['returns'].argmax() + 1} has won"
        elif self.over(record)[0]:
            status = "a tie"
        else:
            status = f"player {record['to_move'] + 1} to move"
        last = int(record["last_action"])
        return board_picture(self.cells(record), -1 if last < 0 else last // 2, status)

    def cells(self, state: np.void) -> list[int]:
        """Return the value of each position, 0 if it is empty."""
        return [int(c) for c in state["cells"][: self.board_size]]

    def _position_to_dict(self, state: np.void) -> dict[str, Any]:
        return {"board": self.cells(state)}

    def _position_from_dict(self, fields: dict[str, Any], state: np.void) -> None:
        cells = fields["board"]
        if (
            not isinstance(cells, list)
            or len(cells) != self.board_size
            or not all(type(c) is int and 0 <= c <= 2 for c in cells)
        ):
            raise ValueError(
                f"board must be {counted(self.board_size, 'number')}, 0 (empty), 1 or 2, "
                f"got {shown(cells)}"
            )
        if "".join(map(str, cells)).count("112") > 1:
            raise ValueError(f"board must have 1, 1, 2 at most once, got {cells}")
        filled = sum(c > 0 for c in cells)
        if filled > self.max_plies:
            raise ValueError(
                f"board must have at most {self.max_plies} filled positions (max_plies), "
                f"got {filled}"
            )
        require_implied(
            fields, f"with {counted(filled, 'filled position')}", ply=filled, to_move=filled % 2
        )
        state["cells"][: self.board_size] = cells
        last = int(state["last_action"])
        if last >= 0 and cells[last // 2] != last % 2 + 1:
            raise ValueError(
                f"last_action must be a value that the board has at its position, got {last}"
            )
        state["ply"] = filled
        state["to_move"] = filled % 2
