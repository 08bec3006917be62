"""Victory by continuous fours, as the tree search finds it."""

import numpy as np
import pytest
from numba import njit

import agents
import boardenvs
from agents.games.gomoku.forced import forced_win
from agents.search.decisive import checked_forced

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


@njit
def found(states, p, most, cells, plies):
    for i in range(len(states)):
        cells[i], plies[i] = forced_win(states[i], p, most)


def forced(game, states, most=100_000):
    """Return the cell and the number of plies for each state, and check that it is unchanged."""
    cells, plies = np.zeros((2, len(states)), np.int64)
    before = states.copy()
    found(states, game.constants[0], most, cells, plies)
    assert (states == before).all()
    return cells, plies


class Plain:
    """The same search by definition, a plain recursion on a dictionary of stones."""

    def __init__(self, game, state):
        self.game = game
        self.side = game.board_size
        owners = game.owners(state)[0]
        self.stones = {
            (row, column): int(owners[row, column])
            for row in range(self.side)
            for column in range(self.side)
            if owners[row, column] >= 0
        }
        self.me = int(state["to_move"])

    def wins(self, who, cell):
        """Return whether a stone on an empty cell wins for a colour."""
        for down, right in DIRECTIONS:
            length = 1
            for way in (1, -1):
                row, column = cell[0] + way * down, cell[1] + way * right
                while self.stones.get((row, column)) == who:
                    length += 1
                    row, column = row + way * down, column + way * right
            wanted = self.game.win_length
            if length == wanted if self.game.exact else length >= wanted:
                return True
        return False

    def empty(self):
        return [
            (row, column)
            for row in range(self.side)
            for column in range(self.side)
            if (row, column) not in self.stones
        ]

    def winning(self, who):
        return [cell for cell in self.empty() if self.wins(who, cell)]

    def is_won(self, fours, first=None):
        """Return whether the attacker, to move, wins with at most `fours` fours."""
        if first is None and self.winning(self.me):
            return True
        if fours == 0:
            return False
        threats = self.winning(1 - self.me)
        for cell in [first] if first else threats or self.empty():
            if threats and threats != [cell]:
                continue
            self.stones[cell] = self.me
            fives = self.winning(self.me)
            won = len(fives) > 1
            if len(fives) == 1:
                self.stones[fives[0]] = 1 - self.me
                won = self.is_won(fours - 1)
                del self.stones[fives[0]]
            del self.stones[cell]
            if won:
                return True
        return False


def positions(game, num, seed):
    """Return positions of games in which stones are placed near each other."""
    rng = np.random.default_rng(seed)
    states = game.new(num, seed)
    kept = []
    while len(states):
        kept.append(states.copy())
        near = game.near_last(states)
        weights = rng.random(near.shape) * (near + 0.3 * game.legal(states))
        game.play(states, weights.argmax(1))
        states = states[~game.over(states)]
    every = np.concatenate(kept)
    return every[rng.permutation(len(every))[:num]]


@pytest.mark.slow
@pytest.mark.parametrize(
    "params",
    [
        {"board_size": 6},
        {"board_size": 6, "exact": True},
        {"board_size": 5, "win_length": 4},
        {"board_size": 6, "win_length": 4, "exact": True},
        {"board_size": 5, "win_length": 3},
    ],
    ids=str,
)
def test_forced_wins_agree_with_the_definition(params):
    game = boardenvs.make("gomoku", **params)
    states = positions(game, 150, 3)
    cells, plies = forced(game, states)
    several = 0
    for state, cell, length in zip(states, cells.tolist(), plies.tolist(), strict=True):
        plain = Plain(game, state)
        assert (length > 0) == plain.is_won(20)
        if length > 1:
            several += 1
            assert plain.is_won((length - 1) // 2, divmod(cell, game.board_size))
        elif length == 1:
            assert plain.wins(plain.me, divmod(cell, game.board_size))
    assert several > 3
    assert (plies == 0).sum() > 10


def board(*rows, **params):
    game = boardenvs.make("gomoku", board_size=len(rows), **params)
    return game, game.restore({"board": list(rows)})


def test_two_fours_at_once_win():
    game, states = board(
        ".........",
        "..XXX.O..",
        "......X..",
        "......X..",
        "..O...X..",
        "......O..",
        "...O.....",
        "..O..O...",
        ".........",
    )
    assert states["to_move"] == [0]
    _, plies = forced(game, states)
    assert plies.tolist() == [3]


def test_a_reply_that_makes_a_four_must_be_blocked():
    # Black's only four uses 0 D and 0 E. One reply gives White a four in the column. Black must
    # stop it without a four, so nothing is won.
    rows = [
        "XXX...O..",
        "....O....",
        "....O....",
        "....O....",
        ".........",
        "X...X....",
        ".........",
        ".........",
        ".........",
    ]
    game, states = board(*rows)
    assert not Plain(game, states[0]).is_won(20)
    assert forced(game, states)[1].tolist() == [0]


def test_a_forced_win_must_fit_into_max_plies():
    rows = [".XXX.....", "OOO......", *["........."] * 7]
    game, states = board(*rows)
    assert forced(game, states)[1].tolist() == [3]
    short = boardenvs.make("gomoku", board_size=9, max_plies=8)
    assert forced(short, short.restore({"board": rows}))[1].tolist() == [0]


def test_the_number_of_tries_is_limited():
    game, states = board(".XXX.....", "OOO......", *["........."] * 7)
    assert forced(game, states, 0)[1].tolist() == [0]
    assert forced(game, states, 3)[1].tolist() == [3]


WON = [
    ".........",
    ".........",
    ".........",
    ".........",
    "....OOX..",
    "...XXOX..",
    ".OXO..OO.",
    "XOXOXX...",
    "XOX..O...",
]
"""Black to move wins by fours, and only 4 C starts the win."""


@pytest.mark.slow  # compiles tree search for Gomoku
@pytest.mark.parametrize("spec", ["mcts:20", "puct:20", "mcts:200ms", "puct:200ms"])
def test_searches_play_a_forced_win(spec):
    game, states = board(*WON)
    (cell,), (plies,) = forced(game, states)
    assert (game.action_to_text(cell), plies) == ("4 C", 5)
    agent = agents.make(spec, game, 0)
    found = agent.search(states)
    assert found.proven.tolist() == [True]
    assert found.values.tolist() == [[1, -1]]
    assert found.actions.tolist() == [cell]


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["mcts:3000", "puct:400"])
def test_searches_avoid_moves_that_allow_a_forced_win(spec):
    game, states = board("X........", *WON[1:])  # with White to move
    after = np.repeat(states, int(game.legal(states).sum()))
    game.play(after, np.flatnonzero(game.legal(states)[0]), illegal="raise")
    losing = forced(game, after)[1] > 0
    assert losing.mean() > 0.5
    found = agents.make(spec, game, 0).search(states)
    game.play(states, found.actions, illegal="raise")
    assert forced(game, states)[1].tolist() == [0]


def test_forced_wins_require_gomoku_and_decisive_moves():
    gomoku, gekitai = boardenvs.make("gomoku"), boardenvs.make("gekitai")
    assert checked_forced("it", None, gomoku, decisive=True)[0]
    assert not checked_forced("it", None, gomoku, decisive=False)[0]
    assert not checked_forced("it", None, gekitai, decisive=True)[0]
    for value, game, decisive, message in (
        (True, gekitai, True, "it .*gekitai.*forced wins"),
        (True, gomoku, False, "it .*decisive moves"),
        (1, gomoku, True, "it .*got 1"),
    ):
        with pytest.raises(ValueError, match=message):
            checked_forced("it", value, game, decisive=decisive)
