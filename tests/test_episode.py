"""Contents, recording and text of episodes."""

import copy
import pickle
import types

import numpy as np
import pytest
from episodes import GAME112, WON, shown_text, won
from players import First, other_seats

import boardenvs
from boardenvs import Episode
from boardenvs.envs.single import SeatEnv


def test_an_episode_has_game_actions_players_and_result():
    episode = won()
    assert len(episode) == 4
    assert episode.actions == WON
    assert episode.players == ["player_0", "player_1"]
    assert episode.game == GAME112
    states = episode.states()
    assert states.shape == (5,)
    assert states.dtype == GAME112.state_dtype
    assert states["last_action"].tolist() == [-1, *WON]
    assert states[0] == GAME112.new(1, seed=3)[0]
    assert episode.returns.tolist() == [-1.0, 1.0]
    assert episode.terminated is True
    assert episode.truncated is False
    assert episode.result == "player_1 wins"
    assert repr(episode) == f"<episode of {GAME112!r}: 4 actions, player_1 wins>"


def test_states_returns_new_arrays():
    episode = won()
    episode.states()["ply"] = 9
    episode.returns[:] = 9
    assert episode.states()["ply"].tolist() == [0, 1, 2, 3, 4]
    assert episode.returns.tolist() == [-1.0, 1.0]


def test_actions_and_start_can_have_several_types():
    start = GAME112.new(1, seed=3)
    expected = won()
    for initial in (start, start[0], GAME112.to_dict(start[0])):
        for actions in (WON, tuple(WON), np.array(WON), np.array(WON, np.uint8)):
            episode = Episode(GAME112, initial, actions)
            assert episode == expected
            assert all(type(action) is int for action in episode.actions)
    assert start["ply"].tolist() == [0]


def test_an_episode_can_start_from_any_position():
    start = GAME112.from_dict({"board": [2, 0, 1, 2, 0]})
    episode = Episode(GAME112, start, [2])
    assert episode.result == "player_1 wins"
    assert "\n4. player_1: 2 1\n" in episode.to_text()


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([10], "^action 1 of 1 .* 10$"),
        ([0, -1], "^action 2 of 2 .* -1$"),
        ([0, 1.0], "^action 2 of 2 .* 1.0$"),
        ([True], "^action 1 of 1 .* True$"),
        (["0"], "^action 1 of 1 .* '0'$"),
        ([10**30], "^action 1 of 1 .* 10+$"),
        ([*WON, 8], "^actions .* 4 actions, got 5"),
        ([0, 0, 2], "^actions .* 2 actions, got 3"),
        ("01", "^actions .* '01'$"),
        (None, "^actions .* None$"),
        ({0: 1}, "^actions .*{0: 1}"),
    ],
)
def test_invalid_actions_are_refused(actions, message):
    with pytest.raises(ValueError, match=message):
        Episode(GAME112, GAME112.new(1, 0), actions)


@pytest.mark.parametrize(
    "players",
    [["a"], ["a", "b", "c"], ["a", 1], "ab", ["a", ""], ["a", "b\nc"], ["a", "\ud800"], 2],
)
def test_invalid_names_are_refused(players):
    with pytest.raises(ValueError, match=r"^players .*2 names"):
        won(players=players)
    with pytest.raises(ValueError, match=r"^players .*2 names"):
        Episode.play(GAME112, ["random", "random"], names=players)


def test_invalid_starts_are_refused():
    with pytest.raises(ValueError, match=r"game112 .*'board'"):
        Episode(GAME112, {}, [])
    with pytest.raises(ValueError, match=r"^states .*game112"):
        Episode(GAME112, boardenvs.make("gekitai").new(1, 0), [])


def test_results_name_the_winner():
    gekitai = boardenvs.make("gekitai", max_plies=2)
    truncated = Episode(gekitai, gekitai.new(1, 0), [0, 14])
    assert (truncated.truncated, truncated.terminated) == (True, False)
    assert truncated.result == "stopped after 2 plies"
    unfinished = Episode(GAME112, GAME112.new(1, 0), [0])
    assert (unfinished.truncated, unfinished.terminated) == (False, False)
    assert unfinished.returns.tolist() == [0.0, 0.0]
    assert unfinished.result == "unfinished"
    assert Episode(GAME112, GAME112.new(1, 0), []).result == "unfinished"
    assert Episode(GAME112, GAME112.new(1, 0), [0, 2, 4, 6, 8]).result == "draw"
    forfeit = Episode(GAME112, GAME112.new(1, 0), [0, 1], ["ann", "bob"])
    assert forfeit.result == "bob loses by an illegal action"
    assert forfeit.returns.tolist() == [1.0, -1.0]
    alone = won(players=["ann", "bob"])
    alone.game = types.SimpleNamespace(num_players=1)
    assert alone.result == "ann gets -1"


def test_episodes_can_be_compared_copied_and_pickled():
    episode = won()
    assert copy.deepcopy(episode) == episode == pickle.loads(pickle.dumps(episode))
    assert episode != Episode(GAME112, GAME112.new(1, seed=4), WON)
    assert episode != Episode(GAME112, GAME112.new(1, seed=3), WON[:-1])
    assert episode != won(players=["a", "b"])
    assert episode != "episode"


def test_the_pettingzoo_environment_records_an_episode(name, game):
    env = getattr(boardenvs, f"{name}_v0").env()
    env.reset(seed=5)
    actions, rewards = [], {}
    for k, agent in enumerate(env.agent_iter()):
        observation, reward, termination, truncation, _ = env.last()
        if termination or truncation:
            rewards[agent] = reward
            env.step(None)
        else:
            legal = np.flatnonzero(observation["action_mask"])
            actions.append(legal[7 * k % len(legal)])
            env.step(actions[-1])
    episode = Episode(game, game.new(1, seed=5), actions)
    assert episode.terminated or episode.truncated
    assert dict(zip(env.possible_agents, episode.returns.tolist(), strict=True)) == rewards


@pytest.mark.parametrize("opponent", ["random", "first"])
def test_the_gymnasium_environment_records_an_episode(game, opponent, tmp_path):
    if opponent == "first":
        opponent = other_seats(game, First(game))
    env = SeatEnv(game, opponent, seat=game.num_players - 1, record_episode=True)
    for seed in (5, 6):
        observation, info = env.reset(seed=seed)
        over, reward = False, 0.0
        while not over:
            action = np.flatnonzero(info["action_mask"])[-1]
            observation, reward, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        episode = env.episode
        assert episode.states()[-1] == env.position
        assert np.array_equal(game.observe(episode.states()[-1], info["seat"])[0], observation)
        assert episode.returns[info["seat"]] == reward
        assert (episode.terminated, episode.truncated) == (terminated, truncated)
        episode.save(tmp_path / "episode.json")
        assert Episode.load(tmp_path / "episode.json") == episode


def test_the_text_of_an_episode_lists_its_positions():
    assert won(players=["ann", "bob"]).to_text() == (
        "Game112(board_size=5, max_plies=9): ann, bob\n"
        "| - - - - - |\n"
        "\n"
        "1. ann: 4 2\n"
        "| - - - 2 - |\n"
        "\n"
        "2. bob: 1 2\n"
        "| 2 - - 2 - |\n"
        "\n"
        "3. ann: 3 1\n"
        "| 2 - 1 2 - |\n"
        "\n"
        "4. bob: 2 1\n"
        "| 2 1 1 2 - |\n"
        "\n"
        "Result: bob wins\n"
    )


def test_the_text_of_a_forfeit_names_the_loser():
    episode = Episode(GAME112, GAME112.new(1, 0), [0, 1])
    assert episode.to_text().endswith(
        "1. player_0: 1 1\n"
        "| 1 - - - - |\n"
        "\n"
        "2. player_1: 1 2 (illegal)\n"
        "| 1 - - - - |\n"
        "\n"
        "Result: player_1 loses by an illegal action\n"
    )


def test_random_games_have_texts(game):
    players = [f"p{k}" for k in range(game.num_players)]
    episode = Episode.play(game, ["random"] * game.num_players, seed=2, names=players)
    shown = [shown_text(game, state) for state in episode.states()]
    expected = [f"{game!r}: {', '.join(players)}\n{shown[0]}"]
    for k, (action, state) in enumerate(zip(episode.actions, episode.states(), strict=False)):
        move = game.action_to_text(action, state)
        expected.append(f"{k + 1}. p{state['to_move']}: {move}\n{shown[k + 1]}")
    assert episode.to_text() == "\n".join([*expected, f"Result: {episode.result}\n"])
