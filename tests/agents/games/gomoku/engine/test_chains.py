"""Victory by threats: plain Python checks the engine's claims against every reply."""

import numpy as np
import pytest
from by_fours import board_of, fives, wins_by_fours

import boardenvs
from agents.games.gomoku.engine.chains import find_chain, proofs
from agents.games.gomoku.engine.fours import known_facts
from agents.games.gomoku.engine.position import cell_of, empty_position, set_up

GAME = boardenvs.make("gomoku", board_size=9)
SIDE = 9


class Engine:
    """The engine's search for chains of threats, on boards of `by_fours`."""

    def __init__(self, game=GAME):
        self.game = game
        self.start, self.codes = empty_position(game)
        self.cells = [int(cell_of(self.start[0], action)) for action in range(game.num_actions)]
        self.facts, self.known = known_facts(14), proofs(16)

    def ask(self, board, colour, most=20_000):
        """Return the answer 1, 0 or -1, the cell and the number of plies."""
        records = self.start.copy()
        s = records[0]
        set_up(s, self.codes, np.array([".XO".index(stone) for stone in board.values()], np.int8))
        s["mover"] = "XO".index(colour)
        before = records.copy()
        found = find_chain(s, self.codes, self.facts, self.known, most)
        for field in ("hash", "mover", "stones", "windows", "counts", "marks", "total"):
            np.testing.assert_array_equal(s[field], before[field][0])
        if found != 1:
            return found, None, 0
        action = self.cells.index(int(s["chain_cell"]))
        return found, divmod(action, self.game.board_size), int(s["chain_plies"])


def holds(engine, board, colour, cell, plies):
    """Return whether a move wins within `plies` against all replies."""
    other = "O" if colour == "X" else "X"
    game = engine.game
    if cell in fives(board, colour, game):
        return plies >= 1
    board[cell] = colour
    made = fives(board, colour, game)
    against = fives(board, other, game)
    good = plies >= 3 and not against
    # A reply that does not stop a five loses to it.
    replies = made or [one for one, stone in board.items() if stone == "."]
    if good and len(made) < 2:
        for reply in replies:
            board[reply] = other
            line = wins_by_fours(board, colour, game)
            won = line is not None and len(line) <= plies - 2
            if not won:
                found, then, length = engine.ask(board, colour)
                won = found == 1 and length <= plies - 2
                won = won and holds(engine, board, colour, then, plies - 2)
            board[reply] = "."
            if not won:
                good = False
                break
    board[cell] = "."
    return good


def sparse(num, stones, seed):
    """Return boards with a few stones in the middle."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < num:
        cells = np.clip(rng.normal(4, 1.7, (60, 2)).round(), 0, 8).astype(int).tolist()
        rows = [["."] * SIDE for _ in range(SIDE)]
        for number, (r, c) in enumerate(list(dict.fromkeys(map(tuple, cells)))[:stones]):
            rows[r][c] = "XO"[number % 2]
        board = board_of(["".join(row) for row in rows])
        if not fives(board, "X", GAME) and not fives(board, "O", GAME):
            found.append(board)
    return found


def test_a_found_chain_wins_against_every_reply():
    engine = Engine()
    checked = 0
    for board in sparse(60, 10, 1):
        found, cell, plies = engine.ask(board, "X")
        if found == 1 and 5 <= plies <= 7 and wins_by_fours(board, "X", GAME) is None:
            assert holds(engine, board, "X", cell, plies)
            checked += 1
        if checked == 3:
            break
    assert checked == 3


def test_the_chain_search_finds_every_win_by_fours():
    engine = Engine()
    for board in sparse(25, 14, 2):
        if wins_by_fours(board, "O", GAME):
            assert engine.ask(board, "O")[0] == 1


def test_two_open_threes_win_if_the_opponent_has_no_four():
    rows = [
        ".........",
        "......O..",
        ".........",
        "...XX....",
        ".....X...",
        ".O...X...",
        ".........",
        ".O.....O.",
        ".........",
    ]
    engine = Engine()
    board = board_of(rows)
    found, cell, plies = engine.ask(board, "X")
    assert found == 1
    assert holds(engine, board, "X", cell, plies)
    # White could answer each three with an open four.
    for r in (2, 3, 4):
        board[r, 1] = "."
    for cell in ((4, 0), (5, 0), (6, 0), (5, 1), (7, 1)):
        board[cell] = "."
    for r in (5, 6, 7):
        board[r, 1] = "O"
    assert fives(board, "O", GAME) == []
    assert engine.ask(board, "X")[0] == 0


@pytest.mark.parametrize("most", [100, 500])
def test_the_chain_search_stops_at_its_limit_and_continues(most):
    [board] = [one for one in sparse(40, 10, 1) if Engine().ask(one, "X")[2] > 6][:1]
    engine = Engine()
    answers = [engine.ask(board, "X", most)[0] for _ in range(3000 // most)]
    assert answers[0] in (-1, 1)
    assert answers[-1] == 1
