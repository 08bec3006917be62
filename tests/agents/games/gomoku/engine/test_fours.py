"""Victory by fours: the engine finds the same as plain Python."""

import numpy as np
import pytest
from by_fours import board_of, fives, wins_by_fours

import boardenvs
from agents.games.gomoku.engine.fours import find_fours, known_facts
from agents.games.gomoku.engine.position import cell_of, empty_position, set_up

VARIANTS = {
    "9": {"board_size": 9},
    "8, exact": {"board_size": 8, "exact": True},
    "6, four": {"board_size": 6, "win_length": 4},
}


def searched(game, state, most=100_000):
    """Return the engine's answer 1, 0 or -1, the first action and the number of plies."""
    records, codes = empty_position(game)
    s = records[0]
    set_up(s, codes, state["cells"])
    before = records.copy()
    found = find_fours(s, codes, known_facts(14), most)
    assert s["hash"] == before["hash"][0]
    for field in ("stones", "windows", "counts", "marks", "total"):
        np.testing.assert_array_equal(s[field], before[field][0])
    cell = int(s["four_cells"][0])
    actions = [int(cell_of(s, action)) for action in range(game.num_actions)]
    return found, actions.index(cell) if found == 1 else -1, int(s["four_plies"])


def crowded(game, num, stones, seed):
    """Return unfinished positions with `stones` stones, dense in the middle."""
    rng = np.random.default_rng(seed)
    side = game.board_size
    found = []
    while len(found) < num:
        rows = [["."] * side for _ in range(side)]
        cells = np.clip(rng.normal(side / 2 - 0.5, side / 4, (200, 2)).round(), 0, side - 1)
        cells = list(dict.fromkeys(map(tuple, cells.astype(int).tolist())))[:stones]
        for number, (r, c) in enumerate(cells):
            rows[r][c] = "XO"[number % 2]
        try:
            found.append(game.from_dict({"board": ["".join(row) for row in rows]}))
        except ValueError:
            continue
        if game.over(found[-1])[0]:
            found.pop()
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_search_of_fours_agrees_with_plain_python(variant):
    game = boardenvs.make("gomoku", **VARIANTS[variant])
    outcomes = []
    for stones in (10, 15, 20):
        for state in crowded(game, 12, stones, stones):
            board = board_of(game.to_dict(state)["board"])
            colour = "XO"[int(state["to_move"])]
            line = wins_by_fours(board, colour, game)
            found, action, plies = searched(game, state)
            assert found == (line is not None), game.to_text(state)
            outcomes.append(plies if found else 0)
            if found and plies > 1:
                # The first move keeps the win.
                cell = divmod(action, game.board_size)
                board[cell] = colour
                made = fives(board, colour, game)
                assert made
                if len(made) == 1:
                    board[made[0]] = "XO"[1 - int(state["to_move"])]
                    assert wins_by_fours(board, colour, game)
    assert min(outcomes) == 0
    assert max(outcomes) > (1 if game.win_length == 4 else 3)


def test_a_search_at_its_limit_returns_unknown():
    game = boardenvs.make("gomoku", board_size=9)
    unsettled = [searched(game, state, 1)[0] for state in crowded(game, 30, 20, 1)]
    settled = [searched(game, state)[0] for state in crowded(game, 30, 20, 1)]
    assert -1 in unsettled
    assert -1 not in settled
    assert all(a in (-1, b) for a, b in zip(unsettled, settled, strict=True))


def position(drawing, **params):
    rows = drawing.split()
    game = boardenvs.make("gomoku", board_size=len(rows), **params)
    return game, game.from_dict({"board": rows})


def test_a_four_of_the_defender_refutes_the_attack():
    drawing = """
        O.......O
        .........
        .........
        .........
        OXXX.....
        ....XO...
        ....XO...
        .........
        .........
    """
    game, state = position(drawing)
    assert searched(game, state) == (1, game.action_from_text("4 E"), 5)
    rows = drawing.split()
    # White's reply on 4 F now makes a four, which Black must stop elsewhere.
    rows[0], rows[7] = "O........", ".....O..."
    game, state = position(" ".join(rows))
    assert searched(game, state)[0] == 0


def test_a_win_must_fit_into_max_plies():
    rows = ".........", "..XXX....", "OO.O....."
    drawing = " ".join(rows + (".........",) * 6)
    game, state = position(drawing)
    assert searched(game, state)[0] == 1
    game, state = position(drawing, max_plies=8)
    assert searched(game, state)[0] == 0
    game, state = position(drawing, max_plies=9)
    assert searched(game, state) == (1, game.action_from_text("1 B"), 3)
