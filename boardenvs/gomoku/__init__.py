"""Gomoku, a game of five stones in a row. The README.md here has its rules."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from boardenvs.core.checks import counted, require_implied, symbol_rows, truth_value, whole_number
from boardenvs.core.symmetries import Symmetries
from boardenvs.game import Game, States
from boardenvs.gomoku import psq, sgf
from boardenvs.gomoku import text as notation
from boardenvs.gomoku.picture import board_picture
from boardenvs.gomoku.presentation import GomokuPresentation

__all__ = ["Gomoku"]

_MOST_CELLS = 26**2  # columns A to Z
_SYMBOLS = "XO"  # black and white in a dictionary


class Gomoku(Game):  # noqa: D101 its docstring begins with `about`
    about = """
    Two players place stones on an N x N board; the first unbroken line of five wins.

    - Rules: black opens. A row, column or diagonal of at least `win_length` stones of one
      colour wins; with `exact`, only a line of exactly `win_length` wins. A full board
      without such a line is a draw.
    - Arguments: `board_size=15` (5 to 26), `win_length=5` (1 to `board_size`),
      `exact=False`, `max_plies=225` (default and `None`: the number of intersections).
    - Observation: int8 (3, N, N): own stones, the other player's, empty intersections.
    - Actions: Discrete(N*N): `row * N + column` from the top left; as text `2 F`.
    - Rewards: +1 and -1 at the end; 0 for a draw or when truncated.
    - Start and end: empty board; a win, a full board, or truncation after `max_plies`.
    - Hidden and random: nothing.
    """
    __doc__ = f"""{about}
    Version history: v0, first version.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> import boardenvs
        >>> game = boardenvs.make("gomoku", board_size=9)
        >>> states = game.new(2, seed=0)
        >>> game.play(states, [game.action_from_text("4 E"), game.action_from_text("0 A")])
        >>> game.observe(states, seat=1).shape, game.legal(states).sum(1).tolist()
        ((2, 3, 9, 9), [80, 80])
    """

    name = "gomoku"
    title = "Gomoku"
    presentation_class = GomokuPresentation
    seat_names = ("Player ●", "Player ○")
    file_formats: ClassVar = {".psq": (psq.read, psq.write), ".sgf": (sgf.read, sgf.write)}

    def __init__(
        self,
        board_size: int = 15,
        win_length: int = 5,
        exact: bool = False,
        max_plies: int | None = None,
    ) -> None:
        board_size = self.board_size = whole_number("board_size", board_size, 5, 26)
        win_length = self.win_length = whole_number("win_length", win_length, 1, board_size)
        self.exact = truth_value("exact", exact)
        super().__init__(
            params={
                "board_size": board_size,
                "win_length": win_length,
                "exact": self.exact,
                "max_plies": board_size**2 if max_plies is None else max_plies,
            },
            num_players=2,
            num_actions=board_size**2,
            observation_shape=(3, board_size, board_size),
            # Always the largest board, so that one compiled kernel serves every size.
            fields=[("cells", np.int8, (_MOST_CELLS,))],
            constants={
                "side": (np.int64, board_size),
                "line": (np.int64, win_length),
                "exact": (np.bool_, self.exact),
            },
        )

    def owners(self, states: States | np.void) -> npt.NDArray[np.int8]:
        """Return each cell's owner, or -1: int8 of shape (N, board_size, board_size)."""
        cells = self.arrays.batch(states)["cells"][:, : self.num_actions] - np.int8(1)
        owners: npt.NDArray[np.int8] = cells.reshape(-1, self.board_size, self.board_size)
        return owners

    def near_last(self, states: States | np.void) -> npt.NDArray[np.bool_]:
        """Return the legal actions in the 3 x 3 square around the last stone.

        If there is no last stone or the square is full, all legal actions are returned.

        Args:
            states: records, shape (N,).

        Returns:
            Mask, bool of shape (N, num_actions).
        """
        states = self.arrays.batch(states)
        legal = self.legal(states)
        row, column = np.divmod(np.arange(self.num_actions), self.board_size)
        last = states["last_action"][:, None]
        near = legal & (last >= 0)
        near &= np.abs(row - last // self.board_size) <= 1
        near &= np.abs(column - last % self.board_size) <= 1
        return np.where(near.any(1, keepdims=True), near, legal)

    def symmetries(self) -> Symmetries:
        if self.rules.__name__ != f"{__name__}.rules":  # other rules may not be symmetric
            return super().symmetries()
        return Symmetries.of_square(self.board_size, self.observation_shape[0])

    def to_text(self, state: np.void) -> str:
        return notation.board_to_text(self._rows(self.arrays.one(state), " " + notation.STONES))

    def from_text(
        self, text: str, *, to_move: int | None = None, ply: int | None = None
    ) -> np.void:
        rows = notation.board_from_text(text, self.board_size)
        symbols = str.maketrans(" " + notation.STONES, "." + _SYMBOLS)
        return self._from_fields({"board": [row.translate(symbols) for row in rows]}, to_move, ply)

    def action_to_text(self, action: int, state: np.void | None = None) -> str:
        action = whole_number("action", action, 0, self.num_actions - 1)
        return notation.action_to_text(action, self.board_size)

    def action_from_text(self, text: str, state: np.void | None = None) -> int:
        return notation.action_from_text(text, self.board_size)

    def picture(self, state: np.void) -> str:
        record = self.arrays.one(state)
        won = bool(record["returns"].any())
        over = self.over(record)[0]
        return board_picture(
            self.owners(record)[0],
            self.win_length,
            self.exact,
            last=int(record["last_action"]),
            to_move=None if over else int(record["to_move"]),
            winner=int(record["returns"].argmax()) if won else None,
        )

    def _rows(self, state: np.void, symbols: str) -> list[str]:
        """Return a string for each row, of the `symbols` for an empty cell, black and white."""
        cells = state["cells"][: self.num_actions].reshape(-1, self.board_size)
        letters = np.array([*symbols, "?"])  # `restore` reports other values as "?"
        return ["".join(row) for row in letters[cells.clip(-1, 3)]]

    def _position_to_dict(self, state: np.void) -> dict[str, Any]:
        return {"board": self._rows(state, "." + _SYMBOLS)}

    def _position_from_dict(self, fields: dict[str, Any], state: np.void) -> None:
        rows = symbol_rows("board", fields["board"], self.board_size, f".{_SYMBOLS}")
        cells = np.array([".XO".index(symbol) for symbol in "".join(rows)], np.int8)
        black, white = ((cells == stone).sum() for stone in (1, 2))
        if black - white not in (0, 1):
            raise ValueError(
                f"board must have as many X as O, or one X more, got {black} X and {white} O"
            )
        stones = int(black + white)
        if stones > self.max_plies:
            raise ValueError(
                f"board must have at most {self.max_plies} stones (max_plies), got {stones}"
            )
        to_move = stones % 2
        found = f"with {counted(stones, 'stone')} on the board"
        require_implied(fields, found, ply=stones, to_move=to_move)
        mover = 1 - to_move
        last = int(state["last_action"])
        if last >= 0 and cells[last] != mover + 1:
            raise ValueError(
                f"last_action must be a cell with a stone of {_SYMBOLS[mover]}, who moved last, "
                f"got {last}"
            )
        self._check_lines(cells, mover, last)
        state["cells"][: cells.size] = cells
        state["ply"] = stones
        state["to_move"] = to_move

    def _check_lines(self, cells: npt.NDArray[np.int8], mover: int, last: int) -> None:
        """Raise `ValueError` unless one last stone completed every line.

        A game ends at its first line.
        """
        theirs, mine = (np.where(cells == seat + 1, cells, 0) for seat in (1 - mover, mover))
        if self._wins(theirs[None])[0]:
            raise ValueError(
                f"board must have no line of {_SYMBOLS[1 - mover]}, since {_SYMBOLS[mover]} moved "
                f"last, got such a line"
            )
        if not self._wins(mine[None])[0]:
            return
        candidates = np.flatnonzero(mine) if last < 0 else np.array([last])
        before = np.repeat(mine[None], len(candidates), 0)
        before[np.arange(len(candidates)), candidates] = 0
        if self._wins(before).all():
            which = "one last stone" if last < 0 else f"last_action {last}"
            raise ValueError(
                f"board must have only lines of {_SYMBOLS[mover]} through {which}, got other lines"
            )

    def _wins(self, boards: npt.NDArray[np.int8]) -> npt.NDArray[np.bool_]:
        """Return whether each board, shape (N, num_actions), has a line that wins."""
        states = np.repeat(self.start, len(boards))
        states["cells"][:, : self.num_actions] = boards
        self.kernels.judge_games(states, self.constants)
        found: npt.NDArray[np.bool_] = (states["returns"] != 0).any(axis=1)
        return found
