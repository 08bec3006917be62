"""Connect four."""

import numpy as np

import boardenvs
from boardenvs.core.checks import whole_number
from boardenvs.core.symmetries import Symmetries
from boardenvs.game import Game


@boardenvs.register
class ConnectFour(Game):
    about = """
    Two players drop pieces into columns; four in a line win.

    - Rules: a piece falls to the lowest empty cell of its column. Four in a row, column or
      diagonal win; a full board is a draw.
    - Arguments: `rows=6`, `columns=7` (4 to 9 each), `max_plies=81`.
    - Observation: int8 (3, rows, columns): own pieces, the other's, empty cells.
    - Actions: Discrete(columns); as text `A`.
    """

    name = "connect_four"
    seat_names = ("X", "O")

    def __init__(self, rows=6, columns=7, max_plies=81):
        self.rows = whole_number("rows", rows, 4, 9)
        self.columns = whole_number("columns", columns, 4, 9)
        super().__init__(
            params={"rows": self.rows, "columns": self.columns, "max_plies": max_plies},
            num_players=2,
            num_actions=self.columns,
            observation_shape=(3, self.rows, self.columns),
            fields=[("cells", np.int8, (81,))],  # one compiled kernel for every size
            constants={"rows": (np.int64, self.rows), "columns": (np.int64, self.columns)},
        )

    def symmetries(self):
        columns = np.arange(self.columns)
        seen = np.arange(self.observation_size).reshape(self.observation_shape)
        return Symmetries([columns, columns[::-1]], [seen.ravel(), seen[..., ::-1].ravel()])

    def board(self, state):
        cells = self.one(state)["cells"][: self.rows * self.columns]
        letters = np.array([*".XO?"])[cells.clip(-1, 3)]  # the last one for what is no piece
        return ["".join(row) for row in letters.reshape(self.rows, self.columns)]

    def to_text(self, state):
        letters = "ABCDEFGHI"[: self.columns]
        return "\n".join([" ".join(line) for line in (letters, *self.board(state))]) + "\n"

    def from_text(self, text, *, to_move=None, ply=None):
        given = {"to_move": to_move, "ply": ply}
        board = [line.replace(" ", "") for line in text.strip().split("\n")[1:]]
        given = {"board": board} | {k: v for k, v in given.items() if v is not None}
        state = self.from_dict(given)
        if self.to_text(state).strip() != text.strip():
            raise ValueError(f"expected a board as to_text writes it, got {text!r}")
        return state

    def action_to_text(self, action, state=None):
        return "ABCDEFGHI"[whole_number("action", action, 0, self.num_actions - 1)]

    def action_from_text(self, text, state=None):
        column = "ABCDEFGHI"[: self.columns].find(text.strip().upper() or "?")
        if column < 0:
            raise ValueError(
                f"expected a column, A to {'ABCDEFGHI'[self.columns - 1]}, got {text!r}"
            )
        return column

    def _position_to_dict(self, state):
        return {"board": self.board(state)}

    def _position_from_dict(self, fields, state):
        board = fields["board"]
        rows = board if isinstance(board, list) else []
        if [isinstance(r, str) and len(r) for r in rows] != [self.columns] * self.rows:
            raise ValueError(f"board must be {self.rows} strings of {self.columns}, got {board!r}")
        if set("".join(board)) - set(".XO"):
            raise ValueError(f"board must consist of X, O and ., got {board!r}")
        if any("X." in column or "O." in column for column in map("".join, zip(*board))):
            raise ValueError(f"a piece hangs in the air: {board!r}")
        count = [sum(row.count(symbol) for row in board) for symbol in "XO"]
        if count[0] - count[1] not in (0, 1):
            raise ValueError(f"X begins, so it cannot have {count[0]} pieces against {count[1]}")
        for key, implied in (("ply", sum(count)), ("to_move", sum(count) % 2)):
            if fields.get(key, implied) != implied:
                raise ValueError(f"{key} must be {implied} on this board, got {fields[key]}")
            state[key] = implied
        state["cells"][: self.rows * self.columns] = [".XO".index(s) for s in "".join(board)]
