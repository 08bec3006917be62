"""The agent `exact`, compared with plain searches without pruning or a table of bounds.

Gekitai has its own `exact`; here, the general agent also plays its rules.
"""

import copy
import functools
import sys
from pathlib import Path

import numpy as np
import pytest

import agents
import boardenvs
from agents.search.exact import ExactAgent

sys.path.append(str(Path(__file__).parents[2] / "game112"))
from reachable_game112 import reachable

WON = 1000


def one_ply_up(score):
    """Return a score for the player of the preceding action, one ply further away."""
    return -score + np.sign(score)


# -- The 112 game, on strings of digits. ----------------------------------------------------


def plain_moves(board):
    """Return each move's score: WON minus plies to a win, 0, or the negative for losses."""
    moves = {}
    for place, digit in enumerate(board):
        if digit == "8":
            for value in (1, 2):
                after = board[:place] + str(value) + board[place + 1 :]
                won = "112" in after
                moves[2 * place + value - 1] = WON - 1 if won else one_ply_up(plain_score(after))
    return moves


@functools.cache
def plain_score(board):
    return max(plain_moves(board).values(), default=0)


def positions_of(game, boards):
    dicts = [{"board": [int(digit) % 8 for digit in board]} for board in boards]
    return np.array([game.from_dict(position) for position in dicts], game.state_dtype)


@pytest.fixture(scope="module", params=range(1, 8))
def everything(request):
    """Return a small game, all of its unfinished boards, and their records."""
    game = boardenvs.make("game112", board_size=request.param)
    boards = sorted(b for b in reachable(request.param) if "112" not in b and "8" in b)
    return game, boards, positions_of(game, boards)


def test_every_position_of_112_has_its_value(everything):
    game, boards, states = everything
    scores = np.array([plain_score(board) for board in boards])
    agent = agents.make("exact", game)
    values = agent.values(states)
    assert values.dtype == np.float32
    np.testing.assert_array_equal(
        values[np.arange(len(values)), states["to_move"]], np.sign(scores)
    )
    np.testing.assert_array_equal(values.sum(axis=1), 0)
    np.testing.assert_array_equal(agent.plies(states), np.where(scores, WON - abs(scores), -1))


def test_every_action_of_112_has_its_value(everything):
    game, boards, states = everything
    expected = np.full((len(boards), game.num_actions), np.nan, np.float32)
    for i, board in enumerate(boards):
        for action, score in plain_moves(board).items():
            expected[i, action] = np.sign(score)
    values = agents.make("exact", game).action_values(states)
    assert values.dtype == np.float32
    np.testing.assert_array_equal(values, expected)


def test_exact_chooses_uniformly_among_the_best(everything):
    game, boards, states = everything
    rng = np.random.default_rng(3)
    agent = agents.make("exact", game)
    for i in rng.permutation(len(boards))[:60]:
        moves = plain_moves(boards[i])
        best = sorted(move for move in moves if moves[move] == max(moves.values()))
        words = rng.integers(0, 2**64, 300 * len(best), np.uint64)
        counts = np.bincount(
            agent.choose(np.repeat(states[i], len(words)), words), minlength=game.num_actions
        )
        assert np.flatnonzero(counts).tolist() == best, boards[i]
        # The standard deviation of a count is below the root of 300.
        assert abs(counts[best] - 300).max() < 6 * 300**0.5


def test_values_do_not_depend_on_the_order_of_positions(everything):
    game, _, states = everything
    order = np.random.default_rng(1).permutation(len(states))
    backwards = agents.make("exact", game).values(states[order])
    one_by_one = agents.make("exact", game)
    np.testing.assert_array_equal(
        backwards, np.concatenate([one_by_one.values(states[i : i + 1]) for i in order])
    )


def test_112_of_size_9_is_a_tie_and_exact_never_loses_it(game112):
    exact = agents.make("exact", game112, seed=1)
    assert exact.values(game112.new(1, 0)).tolist() == [[0, 0]]
    assert exact.plies(game112.new(1, 0)).tolist() == [-1]
    scores = agents.play_match(game112, [exact, agents.make("random", game112, seed=2)], 1000, 7)
    assert scores.losses[0] == 0
    assert scores.wins[0] > 700
    scores = agents.play_match(game112, [exact, exact], 100, 7)
    assert not scores.returns.any()


# -- Any game, by its rules, one level of positions at a time. ------------------------------


def searched(game, states):
    """Return each position's score for the player to move, by trying all lines of play."""
    scores = np.zeros(len(states), np.int64)
    over = game.over(states)
    scores[over] = WON * states["returns"][over, states["to_move"][over]]
    live = np.flatnonzero(~over)
    if len(live):
        rows, actions = np.nonzero(game.legal(states[live]))
        after = states[live][rows]
        game.play(after, actions)
        best = np.full(len(live), -WON)
        np.maximum.at(best, rows, one_ply_up(searched(game, after)))
        scores[live] = best
    return scores


NEAR_THE_END = {
    "gekitai": ({"max_plies": 17}, 3),
    "gekitai, long lines": ({"board_size": 6, "pieces": 6, "line_length": 4, "max_plies": 18}, 3),
    "gomoku": ({"board_size": 5, "win_length": 4}, 7),
    "gomoku, exactly four": ({"board_size": 5, "win_length": 4, "exact": True}, 7),
    "gomoku, cut short": ({"board_size": 7, "win_length": 4, "max_plies": 21}, 3),
}


@pytest.fixture(scope="module", params=NEAR_THE_END)
def near_the_end(request, live_positions):
    """Return a game and random positions so close to the end that all moves can be tried."""
    params, plies = NEAR_THE_END[request.param]
    game = boardenvs.make(request.param.split(",")[0], **params)
    states = live_positions(game, 600, 3)
    states = states[states["ply"] >= game.max_plies - plies]
    return game, states[:: 1 + len(states) // 40].copy()


def test_values_near_the_end_of_any_game_are_exact(near_the_end):
    game, states = near_the_end
    scores = searched(game, states)
    assert {0, 1} <= set(np.sign(scores).tolist())
    agent = ExactAgent(game)
    values = agent.values(states)
    np.testing.assert_array_equal(
        values[np.arange(len(values)), states["to_move"]], np.sign(scores)
    )
    np.testing.assert_array_equal(agent.plies(states), np.where(scores, WON - abs(scores), -1))


def test_actions_of_exact_keep_the_value_near_the_end_of_any_game(near_the_end):
    game, states = near_the_end
    after = states.copy()
    game.play(after, ExactAgent(game, seed=4).act(states), illegal="raise")
    np.testing.assert_array_equal(one_ply_up(searched(game, after)), searched(game, states))


@pytest.mark.parametrize("size", [5, 9])
def test_three_in_a_row_is_won_by_the_third_stone(size):
    # The first stone has no good reply, because the second makes an open row of two.
    game = boardenvs.make("gomoku", board_size=size, win_length=3)
    agent = agents.make("exact", game)
    assert agent.values(game.new(1, 0)).tolist() == [[1, -1]]
    assert agent.plies(game.new(1, 0)).tolist() == [5]


def test_games_that_are_over_have_their_result(game112, random_positions):
    states = random_positions(game112, 20, 2)
    agent = agents.make("exact", game112)
    over = game112.over(states)
    np.testing.assert_array_equal(agent.values(states)[over], states["returns"][over])
    assert not agent.plies(states)[over].any()
    assert np.isnan(agent.action_values(states)[over]).all()


# -- Errors. --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("dominoes175", "chance"),
        ("pizza_order", "chance"),
    ],
)
def test_unsupported_games_are_refused(name, why, refused):
    with refused(f"exact.* {name} .*{why}$"):
        agents.make("exact", name)


@pytest.mark.parametrize("budget", [0, -1, 1.5, "many", None, True])
def test_an_invalid_budget_is_refused(budget, refused):
    with refused("budget"):
        agents.make("exact", "game112", budget=budget)


def test_a_position_beyond_the_budget_is_refused(refused):
    game = boardenvs.make("gomoku")
    agent = agents.make("exact", game, budget=5000)
    for ask in (agent.act, agent.values, agent.plies, agent.action_values):
        with refused("state 0 .*gomoku .*budget"):
            ask(game.new(2, 0))


def test_a_game_beyond_the_budget_is_refused_before_the_start(near_the_end, game112, refused):
    game, states = near_the_end
    ExactAgent(game).check_can_play(states)
    agents.make("exact", game112).check_can_play(game112.new(1, 0))
    gomoku = boardenvs.make("gomoku")
    agent = agents.make("exact", gomoku, budget=5000)
    with refused("exact.* gomoku from the start: .*budget"):
        agent.check_can_play(gomoku.new(1, 0))
    after = gomoku.new(1, 0)
    gomoku.play(after, [0])
    with refused("exact.* gomoku from this position: .*budget"):
        agent.check_can_play(after)
    with refused("exact.* gomoku from the start: .*budget"):
        agents.play_match(gomoku, [agent, "random"], 2, 0)


def test_exact_continues_after_a_refusal(near_the_end):
    game, states = near_the_end
    poor = ExactAgent(game, budget=4)
    with pytest.raises(ValueError, match="budget"):
        poor.values(states)
    rich = ExactAgent(game)
    settled = 0
    for state, expected in zip(states, rich.values(states), strict=True):
        try:
            found = poor.values(state)
        except ValueError:
            continue
        np.testing.assert_array_equal(found[0], expected)
        settled += 1
    assert settled > 0


def test_a_copy_has_the_same_values(game112):
    agent = agents.make("exact", game112)
    states = game112.new(1, 0)
    np.testing.assert_array_equal(copy.deepcopy(agent).values(states), agent.values(states))
