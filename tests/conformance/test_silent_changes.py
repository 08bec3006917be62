"""What other libraries do differently without an error, as the pages on other libraries state."""

from __future__ import annotations

import numpy as np
import pytest

import boardenvs


def end_of(env, actions):
    """Play actions from the start, and return the masks of all seats after the end."""
    env.reset(seed=0)
    for action in actions:
        env.step(action)
    assert all(env.terminations.values())
    return [env.observe(agent)["action_mask"] for agent in env.possible_agents]


@pytest.mark.parametrize(
    ("module", "actions", "left"),
    [
        ("connect_four_v3", [0, 1, 0, 1, 0, 1, 0], [1] * 7),
        ("tictactoe_v3", [0, 1, 3, 4, 6], [0, 0, 1, 0, 0, 1, 0, 1, 1]),
    ],
)
def test_games_of_pettingzoo_leave_legal_actions_to_the_loser(module, actions, left):
    pytest.importorskip("pygame")
    games = pytest.importorskip(f"pettingzoo.classic.{module}")
    winner, loser = end_of(games.env(), actions)
    assert not winner.any()
    assert loser.tolist() == left


def test_chess_of_pettingzoo_leaves_no_actions():
    pytest.importorskip("chess")
    pytest.importorskip("pygame")
    chess_v6 = pytest.importorskip("pettingzoo.classic.chess_v6")
    env = chess_v6.env()
    seats = fools_mate(env)
    assert all(env.terminations.values())
    assert not any(env.observe(agent)["action_mask"].any() for agent in seats)


def played(env, moves):
    """Play chess moves in UCI notation until the game ends, and return the seats."""
    import chess
    from pettingzoo.classic.chess import chess_utils

    env.reset(seed=0)
    for text in moves:
        if any(env.terminations.values()):
            break
        move = chess.Move.from_uci(text)
        if env.agent_selection == "player_1":
            move = chess_utils.mirror_move(move)
        column, row = chess_utils.square_to_coord(move.from_square)
        plane = chess_utils.get_move_plane(move)
        env.step((column * 8 + row) * 73 + plane)
    return env.possible_agents


def fools_mate(env):
    return played(env, ["f2f3", "e7e5", "g2g4", "d8h4"])


def test_chess_of_pettingzoo_ends_when_a_third_repetition_is_only_possible():
    pytest.importorskip("chess")
    pytest.importorskip("pygame")
    chess_v6 = pytest.importorskip("pettingzoo.classic.chess_v6")
    env = chess_v6.env()
    # The start position occurs twice. The next move could repeat it for the third time.
    played(env, ["g1f3", "g8f6", "f3g1", "f6g8"] * 2)
    board = env.unwrapped.board
    assert all(env.terminations.values())
    assert not board.is_repetition(3)
    assert board.can_claim_threefold_repetition()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_tic_tac_toe_of_torchrl_pays_the_loser_nothing():
    torch = pytest.importorskip("torch")
    pytest.importorskip("torchrl")
    from torchrl.envs.custom.tictactoeenv import TicTacToeEnv

    env = TicTacToeEnv()
    state = env.reset()
    for square in (0, 1, 3, 4, 6):
        state["action"] = torch.tensor(square)
        after = env.step(state)["next"]
        state = after.clone()
    assert after["done"].all()
    assert [float(after[seat, "reward"]) for seat in ("player0", "player1")] == [1, 0]


def test_shimmy_pays_the_second_seat_twice_and_forgets_parameters():
    shimmy = pytest.importorskip("shimmy")
    pytest.importorskip("pyspiel")
    env = shimmy.OpenSpielCompatibilityV0(game_name="tic_tac_toe")
    env.reset(seed=0)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    squares = iter([0, 1, 3, 4, 6])
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        paid[agent] += reward
        env.step(None if terminated or truncated else next(squares))
    assert list(paid.values()) == [1, -2]
    small = shimmy.OpenSpielCompatibilityV0(game_name="hex(board_size=3)")
    small.reset(seed=0)
    assert small.action_space(small.possible_agents[0]).n == 11 * 11


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("tic_tac_toe", ["empty", "second", "first"]),
        ("mnk(m=3,n=3,k=3)", ["empty", "second", "first"]),
        ("connect_four", ["first", "second", "empty"]),
        ("gomoku(size=5)", ["first", "second", "empty"]),
    ],
)
def test_planes_of_open_spiel_have_two_orders(text, order):
    pyspiel = pytest.importorskip("pyspiel")
    state = pyspiel.load_game(text).new_initial_state()
    for action in (0, 1, 2):  # two stones of the first player, one of the second
        state.apply_action(action)
    planes = np.reshape(state.observation_tensor(0), (3, -1)).sum(1)
    assert planes[order.index("first")] == 2
    assert planes[order.index("second")] == 1
    assert planes[order.index("empty")] == planes.sum() - 3


def starts(seed, games):
    """Return the first observation of each game of a `MultiEpisodeEnv`."""
    from pettingzoo.utils.wrappers import MultiEpisodeEnv

    env = MultiEpisodeEnv(boardenvs.goat_race_v0.env(), games)
    env.reset(seed=seed)
    found = [env.observe(env.agent_selection)["observation"]]
    for _ in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        if env._episodes_elapsed > len(found):
            found.append(seen["observation"])
        env.step(None if terminated or truncated else int(seen["action_mask"].argmax()))
    return np.array(found)


def test_near_seeds_of_multi_episode_env_share_games():
    first, second, far = starts(5, 3), starts(6, 3), starts(9, 3)
    np.testing.assert_array_equal(first[1:], second[:-1])
    assert not any((one == other).all() for one in first for other in far)
