"""The PettingZoo environment of every game."""

import copy

import numpy as np
import pytest
from aec_play import play, snapshot
from gymnasium import spaces
from gymnasium.utils.env_checker import data_equivalence
from random_play import pick

import boardenvs

# -- Play ---------------------------------------------------------------------------------


def test_names_and_spaces_are_those_of_the_game(make_env, game):
    env = make_env()
    players = [f"player_{k}" for k in range(game.num_players)]
    assert env.possible_agents == players
    assert env.max_num_agents == game.num_players
    assert str(env) == env.metadata["name"] == f"{game.name}_v0"
    assert env.metadata["is_parallelizable"] is False
    assert set(env.metadata["render_modes"]) >= {"ansi", "human"}
    for agent in players:
        space = env.observation_space(agent)
        assert space == spaces.Dict(
            {
                "observation": spaces.Box(
                    0, game.observation_high, game.observation_shape, np.int8
                ),
                "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
            }
        )
        assert env.action_space(agent) == spaces.Discrete(game.num_actions)
        assert env.observation_space(agent) is space
        assert env.action_space(agent) is env.action_space(agent)
    assert env.state_space == spaces.Box(
        0, game.observation_high, (game.num_players, *game.observation_shape), np.int8
    )


def test_instances_do_not_share_metadata(make_env):
    one, other = make_env(), make_env()
    one.metadata["render_fps"] = 99
    one.possible_agents.append("player_9")
    assert other.metadata["render_fps"] != 99
    assert "player_9" not in other.possible_agents


@pytest.mark.parametrize("plies", [None, "few"])
def test_the_environment_agrees_with_the_game(make_env, game, plies):
    """Agents, observations, masks, rewards and ends equal those of playing the `Game` directly."""
    params = {} if plies is None else {"max_plies": game.num_players}
    env = make_env(**params)
    game = boardenvs.make(game.name, **params)
    rng = np.random.default_rng(1)
    for seed in range(3):
        env.reset(seed=seed)
        states = game.new(1, seed)
        while True:
            over = bool(states["terminated"][0] | states["truncated"][0])
            mover = int(states["to_move"][0])
            for seat, agent in enumerate(env.possible_agents):
                observation = env.observe(agent)
                assert observation in env.observation_space(agent)
                board, mask = observation["observation"], observation["action_mask"]
                assert board.dtype == mask.dtype == np.int8
                np.testing.assert_array_equal(board, game.observe(states, seat)[0])
                legal = game.legal(states)[0] if seat == mover else np.zeros(game.num_actions)
                np.testing.assert_array_equal(mask, legal)
                assert data_equivalence(env.infos[agent], game.info(states[0]))
            assert env.agents == env.possible_agents
            assert env.agent_selection == f"player_{mover}"
            if over:
                break
            assert set(env.rewards.values()) == {0.0}
            action = pick(game.legal(states)[0], rng)
            env.step(action)
            game.play(states, [action])
        returns = game.returns(states)[0].tolist()
        assert [env.rewards[agent] for agent in env.agents] == returns
        assert set(env.terminations.values()) == {bool(states["terminated"][0])}
        assert set(env.truncations.values()) == {bool(states["truncated"][0])}
        assert all(not env.observe(agent)["action_mask"].any() for agent in env.agents)
        if game.num_players > 1:
            assert sum(returns) == pytest.approx(0)
        # Each agent receives the end once, with its reward, and is removed.
        rewards = {}
        for agent in env.agent_iter():
            _, reward, terminated, truncated, _ = env.last()
            assert terminated or truncated
            rewards[agent] = reward
            env.step(None)
        assert [rewards[agent] for agent in env.possible_agents] == returns
        assert env.agents == []
        assert env.num_agents == 0


def test_last_accepts_observe_false(make_env):
    env = make_env()
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.last(observe=False)
    assert observation is None
    assert (reward, terminated, truncated) == (0, False, False)
    assert info == env.infos[env.agent_selection]


def test_agent_iter_stops_at_max_iter(make_env):
    env = make_env()
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    visited = []
    for agent in env.agent_iter(2):
        visited.append(agent)
        env.step(pick(env.observe(agent)["action_mask"], rng))
    assert len(visited) == 2


def test_state_contains_the_observations_of_all_seats(make_env, game):
    env = make_env()
    env.reset(seed=0)
    play(env, 3, np.random.default_rng(0))
    state = env.state()
    assert state in env.state_space
    assert state.dtype == np.int8
    for seat, agent in enumerate(env.possible_agents):
        np.testing.assert_array_equal(state[seat], env.observe(agent)["observation"])
    state[:] = 0
    assert env.state().any()


def test_earlier_observations_do_not_change(make_env):
    env = make_env()
    env.reset(seed=0)
    kept, copies = [], []
    rng = np.random.default_rng(0)
    for agent in env.agent_iter(6):
        observation = env.observe(agent)
        kept.append(observation)
        copies.append(copy.deepcopy(observation))
        over = env.terminations[agent] or env.truncations[agent]
        env.step(None if over else pick(observation["action_mask"], rng))
    for observation, before in zip(kept, copies, strict=True):
        np.testing.assert_array_equal(observation["observation"], before["observation"])
        np.testing.assert_array_equal(observation["action_mask"], before["action_mask"])
    # Writing into an observation does not change the game.
    shown = snapshot(env) if env.agents else None
    for observation in kept:
        observation["observation"][:] = 1
        observation["action_mask"][:] = 1
    if shown:
        assert snapshot(env) == shown


def test_changing_an_observation_does_not_change_the_environment(make_env):
    env = make_env()
    env.reset(seed=0)
    play(env, 2, np.random.default_rng(0))
    first = env.last()[0]
    before = copy.deepcopy(first)
    for array in first.values():
        array[:] = 1 - array
    second = env.last()[0]
    for key, array in second.items():
        np.testing.assert_array_equal(array, before[key])
        assert array.flags.writeable


def test_dead_agents_accept_only_none(make_env, game):
    env = make_env(max_plies=game.num_players)
    env.reset(seed=0)
    play(env, game.num_players, np.random.default_rng(0))
    with pytest.raises(ValueError, match="None"):
        env.step(0)


# -- Rendering ----------------------------------------------------------------------------


def test_ansi_is_the_console_format(make_env, game):
    env = make_env(render_mode="ansi")
    env.reset(seed=2)
    states = game.new(1, 2)
    rng = np.random.default_rng(0)
    for agent in env.agent_iter():
        assert env.render() == game.to_text(states[0])
        if env.terminations[agent] or env.truncations[agent]:
            break
        action = pick(game.legal(states)[0], rng)
        env.step(action)
        game.play(states, [action])


def test_human_prints_each_position_and_returns_nothing(make_env, game, capsys):
    env = make_env(render_mode="human")
    env.reset(seed=2)
    states = game.new(1, 2)
    assert capsys.readouterr().out == game.to_text(states[0])
    action = int(game.legal(states)[0].argmax())
    env.step(action)
    game.play(states, [action])
    assert capsys.readouterr().out == game.to_text(states[0])
    assert env.render() is None
    assert capsys.readouterr().out == game.to_text(states[0])


# -- Arguments ----------------------------------------------------------------------------


def test_parameters_are_passed_to_the_game(make_env, game):
    params = {**game.params, "max_plies": game.num_players + 1}
    assert make_env(**params).unwrapped.game == boardenvs.make(game.name, **params)
