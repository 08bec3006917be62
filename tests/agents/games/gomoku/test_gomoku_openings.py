"""Gomoku's balanced openings, and lists of openings."""

import numpy as np
import pytest

import agents
import boardenvs
from agents.arena import play_match, round_robin
from agents.arena.named_openings import named_openings
from agents.arena.storage.store import Store
from agents.games.gomoku.balance import MOST, drawable, is_balanced


@pytest.fixture(params=[9, 15])
def board(request):
    return boardenvs.make("gomoku", board_size=request.param)


def after(game, moves):
    """Return the positions after openings."""
    states = game.new(len(moves), 0)
    for actions in moves.T:
        game.play(states, actions, illegal="raise")
    return states


def test_no_two_openings_are_symmetric(board):
    states = after(board, named_openings(board, "balanced").moves)
    assert len(states) >= 100
    assert not board.over(states).any()
    seen = set()
    for owners in board.owners(states):
        turns = [np.rot90(one, k) for one in (owners, owners.T) for k in range(4)]
        seen.add(frozenset(turn.tobytes() for turn in turns))
    assert len(seen) == len(states)


def test_the_engine_evaluates_the_openings_as_even(board):
    states = after(board, named_openings(board, "balanced").moves[::40])
    for thought in agents.make("threats:20000", board).think(states):
        assert not thought.proven
        assert abs(thought.value) < 0.5  # they were judged with more nodes


def test_drawn_stones_are_near_other_stones():
    game = boardenvs.make("gomoku", board_size=7)
    states = game.new(1, 0)
    near = drawable(game, states)[0].reshape(7, 7)
    assert near[1:6, 1:6].all()
    assert near.sum() == 25
    game.play(states, [0])
    near = drawable(game, states)[0].reshape(7, 7)
    assert np.flatnonzero(near).tolist() == [1, 2, 7, 8, 9, 14, 15, 16]


def test_uneven_positions_are_not_balanced():
    game = boardenvs.make("gomoku", board_size=9)
    engine = agents.make("threats:2000", game)
    won = game.restore({"board": ["....XX.X.", "OOO......", *["." * 9] * 7]})
    assert not is_balanced(engine, won[0])
    (thought,) = engine.think(game.new(1))
    assert is_balanced(engine, game.new(1)[0]) == (abs(thought.value) <= MOST)


def test_matches_start_from_the_openings():
    game = boardenvs.make("gomoku", board_size=9)
    scores = play_match(game, ["greedy", "random"], 8, seed=0, openings="balanced")
    assert scores.games == 8
    assert scores.plies.min() > 6


# In the format of Gomocup, with and without blanks after the commas of a stone.
LISTED = """-7,-8, -6,-9, -3,-9

6,6, 4,6, 6,4, 4,4, 6,2, 4,2\r
-6,1,-6,0,-9,1,-3,2
"""


@pytest.fixture
def listed(tmp_path):
    """Return the function that writes a list and returns its path."""

    def written(content, name="openings_20.txt"):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8", newline="")
        return str(path)

    return written


def test_a_list_counts_columns_and_rows_from_the_middle(listed):
    game = boardenvs.make("gomoku", board_size=20)
    found = named_openings(game, listed(LISTED))
    rows = [[game.action_to_text(a) for a in row if a >= 0] for row in found.moves.tolist()]
    assert rows[0] == ["2 D", "1 E", "1 H"]
    assert [len(row) for row in rows] == [3, 6, 4]
    assert found.version.startswith("openings_20.txt ")
    small = boardenvs.make("gomoku", board_size=5)
    assert named_openings(small, listed("-2,2, 0,0")).moves.tolist() == [[20, 12]]


def test_a_list_of_c_gomoku_cli_counts_rows_from_the_top(listed):
    game = boardenvs.make("gomoku", board_size=20)
    found = named_openings(game, listed("d3e5f6d7\n k10j10t20\r\n\na1\n-10,-10\n"))
    assert found.moves.tolist() == [
        [43, 84, 105, 123],
        [190, 189, 399, -1],
        [0, -1, -1, -1],
        [0, -1, -1, -1],
    ]


def test_games_start_from_the_openings_of_a_list(listed, tmp_path):
    game = boardenvs.make("gomoku", board_size=20)
    path, store = listed(LISTED), tmp_path / "games.db"
    arguments = {"openings": path, "store": store}
    [result] = round_robin(game, ["random", "greedy"], 6, 5, **arguments)
    rows = [tuple(a for a in row if a >= 0) for row in named_openings(game, path).moves.tolist()]
    with Store.read(store) as held:
        games = [held.game_of(result.agents, number) for number in range(6)]
    begun = [next(row for row in rows if row == tuple(game.actions[: len(row)])) for game in games]
    assert begun[::2] == begun[1::2]
    assert sorted(begun[::2]) == sorted(rows)
    assert result.scores.plies.tolist() == [len(game) for game in games]
    scores = play_match(game, ["random", "greedy"], 6, 5, openings=path)
    np.testing.assert_array_equal(scores.plies, result.scores.plies)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0,0\n1,2,3", r"openings_20\.txt, line 2: .*x,y.*, got '1,2,3'"),
        ("0,0, a,1", "line 1: .*x,y.*, got '0,0, a,1'"),
        ("0,0 1,1", "line 1: .*x,y.*, got '0,0 1,1'"),
        ("0,0, 8,0", "line 1: .*board.* 8,0"),
        ("h8\nh8p1", "line 2: .*a1 to o15, got p1"),
        ("h8a16", "line 1: .*a1 to o15, got a16"),
        ("h8a0", "line 1: .*a1 to o15, got a0"),
        ("h8h8", "line 1: .*illegal"),
        ("h8 h9", "line 1: .*x,y.*d3e5, got 'h8 h9'"),
        ("0,0, 1,1, 0,0", "line 1: .*illegal"),
        ("0,0, 0,1, 1,0, 1,1, 2,0, 2,1, 3,0, 3,1, 4,0", "line 1: .*opening"),
        ("\n \n", r"openings_20\.txt has no openings"),
    ],
)
def test_a_list_that_does_not_fit_the_game_is_refused(listed, refused, content, message):
    with refused(message):
        named_openings(boardenvs.make("gomoku"), listed(content))


def test_unreadable_lists_are_refused(tmp_path, refused):
    with refused("none.txt cannot be read: No such file"):
        named_openings(boardenvs.make("gomoku"), str(tmp_path / "none.txt"))
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xff")
    with refused("bytes.txt cannot be read"):
        named_openings(boardenvs.make("gomoku"), str(tmp_path / "bytes.txt"))
    with refused("gekitai .*openings.* '?a.txt"):
        play_match("gekitai", ["random", "random"], openings="a.txt")
