"""Gekitai, a game of placing and pushing pieces. The README.md here has its rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from boardenvs.core.checks import symbol_rows, whole_number
from boardenvs.core.symmetries import Symmetries
from boardenvs.game import Game, States
from boardenvs.gekitai import text as notation
from boardenvs.gekitai.picture import board_picture
from boardenvs.gekitai.presentation import GekitaiPresentation

__all__ = ["Gekitai"]


class Gekitai(Game):  # noqa: D101 its docstring begins with `about`
    about = """
    Two players place pieces on an N x N board and push the neighbouring pieces away.

    - Rules: a placed piece pushes each neighbour one cell outward if the cell beyond is
      free or off the board. `line_length` in a row or all `pieces` on the board win. If
      both players fulfil a condition, the mover wins.
    - Arguments: `board_size=6` (6 to 8), `pieces=8` (6 to 12), `line_length=3` (3 to the
      smaller of both), `max_plies=200`.
    - Observation: int8 (3, N, N): own pieces, the other player's, empty cells.
    - Actions: Discrete(N*N): `row * N + column` from the top left; as text `B2`.
    - Rewards: +1 and -1 at the end; 0 when truncated.
    - Start and end: empty board; a win, or truncation after `max_plies`.
    - Hidden and random: nothing.
    """
    __doc__ = f"""{about}
    Version history: v0, first version.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> import boardenvs
        >>> game = boardenvs.make("gekitai", board_size=7)
        >>> states = game.new(2, seed=0)
        >>> game.play(states, [game.action_from_text("D4"), game.action_from_text("A1")])
        >>> game.observe(states, seat=1).shape, game.owners(states)[0, 3, 3].item()
        ((2, 3, 7, 7), 0)
    """

    name = "gekitai"
    title = "Gekitai"
    presentation_class = GekitaiPresentation
    seat_names = ("Player X", "Player O")

    def __init__(
        self,
        board_size: int = 6,
        pieces: int = 8,
        line_length: int = 3,
        max_plies: int = 200,
    ) -> None:
        board_size = self.board_size = whole_number("board_size", board_size, 6, 8)
        pieces = self.pieces = whole_number("pieces", pieces, 6, 12)
        line_length = self.line_length = whole_number(
            "line_length", line_length, 3, min(board_size, pieces)
        )
        row = (1 << board_size) - 1
        bits = [8 * r + c for r in range(board_size) for c in range(board_size)]
        super().__init__(
            params={
                "board_size": board_size,
                "pieces": pieces,
                "line_length": line_length,
                "max_plies": max_plies,
            },
            num_players=2,
            num_actions=board_size**2,
            observation_shape=(3, board_size, board_size),
            fields=[("pieces", np.uint64, (2,))],
            constants={
                "side": (np.int64, board_size),
                "pieces": (np.int64, pieces),
                "line": (np.int64, line_length),
                "board": (np.uint64, sum(row << 8 * r for r in range(board_size))),
                # The bit of each cell; always 64 entries, so one kernel serves every size.
                "bits": ((np.uint64, (64,)), bits + [0] * (64 - len(bits))),
            },
        )

    def owners(self, states: States | np.void) -> npt.NDArray[np.int8]:
        """Return each cell's owner, or -1: int8 of shape (N, board_size, board_size)."""
        states = self.arrays.records(states)
        # Little-endian bytes of a bitboard are its rows, bits of a byte the columns.
        rows = states["pieces"].astype("<u8")[..., None].view(np.uint8)
        bits = np.unpackbits(rows, axis=-1, bitorder="little").reshape(-1, 2, 8, 8)
        bits = bits[:, :, : self.board_size, : self.board_size].astype(np.int8)
        return (bits[:, 0] + 2 * bits[:, 1] - 1).astype(np.int8)

    def symmetries(self) -> Symmetries:
        if self.rules.__name__ != f"{__name__}.rules":  # other rules may not be symmetric
            return super().symmetries()
        return Symmetries.of_square(self.board_size, self.observation_shape[0])

    def to_text(self, state: np.void) -> str:
        return notation.board_to_text(self.rows(self.arrays.one(state)), self.pieces)

    def from_text(
        self, text: str, *, to_move: int | None = None, ply: int | None = None
    ) -> np.void:
        """Return the position that a text shows, as `Game.from_text` does.

        `to_move` or `ply` is required if both players have pieces on the board. Otherwise the
        player who has pieces moved last.
        """
        rows = notation.board_from_text(text, self.board_size, self.pieces)
        if to_move is None and ply is None:
            shown = set("".join(rows))
            if shown >= set(notation.SYMBOLS):
                raise ValueError(
                    "to_move must be 0 (X) or 1 (O) if both players have pieces on the board, "
                    "got None"
                )
            to_move = int("X" in shown)  # the last piece placed is still on the board
        return self._from_fields({"board": rows}, to_move, ply)

    def action_to_text(self, action: int, state: np.void | None = None) -> str:
        action = whole_number("action", action, 0, self.num_actions - 1)
        return notation.action_to_text(action, self.board_size)

    def action_from_text(self, text: str, state: np.void | None = None) -> int:
        return notation.action_from_text(text, self.board_size)

    def picture(self, state: np.void) -> str:
        record = self.arrays.one(state)
        over = self.over(record)[0]
        return board_picture(
            self.rows(record),
            self.pieces,
            self.line_length,
            last=int(record["last_action"]),
            to_move=None if over else int(record["to_move"]),
            winner=int(record["returns"].argmax()) if record["terminated"] else None,
        )

    def rows(self, state: np.void) -> list[str]:
        """Return the rows of the board, strings of `X`, `O` and `.` (empty)."""
        symbols = np.array([*notation.SYMBOLS, "."])  # the last entry is for owner -1
        return ["".join(row) for row in symbols[self.owners(state)[0]]]

    def _position_to_dict(self, state: np.void) -> dict[str, Any]:
        return {"board": self.rows(state)}

    def _position_from_dict(self, fields: dict[str, Any], state: np.void) -> None:
        size = self.board_size
        rows = symbol_rows("board", fields["board"], size, "XO.")
        counts = []
        for seat, symbol in enumerate(notation.SYMBOLS):
            cells = [8 * r + c for r in range(size) for c in range(size) if rows[r][c] == symbol]
            if len(cells) > self.pieces:
                raise ValueError(
                    f"board must have at most {self.pieces} {symbol} pieces, got {len(cells)}"
                )
            state["pieces"][seat] = sum(1 << cell for cell in cells)
            counts.append(len(cells))
        ply = fields.get("ply")
        to_move = fields.get("to_move", 0 if ply is None else ply % 2)
        # Moves alternate: after ply p, X has placed (p + 1) // 2 times and O p // 2 times.
        fewest = max(2 * counts[0] - 1, 2 * counts[1], 0)
        fewest += (fewest - to_move) % 2
        if ply is None:
            ply = fewest
        if ply < fewest or ply > self.max_plies or ply % 2 != to_move:
            raise ValueError(
                f"ply must be {'odd' if to_move else 'even'}, at least {fewest} and at most "
                f"{self.max_plies} (max_plies) with to_move {to_move}, {counts[0]} X and "
                f"{counts[1]} O on the board, got {ply}"
            )
        last = int(state["last_action"])
        mover = notation.SYMBOLS[1 - to_move]
        if last >= 0 and (ply == 0 or rows[last // size][last % size] != mover):
            raise ValueError(
                f"last_action must be a cell with a piece of {mover}, who moved last, got {last}"
            )
        state["to_move"] = to_move
        state["ply"] = ply
