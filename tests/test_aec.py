"""The PettingZoo environment over every game."""

import copy
import functools
import itertools
import logging
import pickle

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

import boardenvs
from boardenvs.chance import stream_words
from boardenvs.playout import playout


@pytest.fixture(params=boardenvs.GAMES)
def game(request):
    return boardenvs.make(request.param)


@pytest.fixture
def make_env(game):
    module = getattr(boardenvs, f"{game.name}_v0")
    assert module.raw_env is module.env  # so what is tested below holds for both
    return module.env


def pick(mask, rng):
    return int(rng.choice(np.flatnonzero(mask)))


def play(env, plies, rng):
    """So many random legal actions, or as many as the game lasts."""
    for agent in env.agent_iter(plies):
        if env.terminations[agent] or env.truncations[agent]:
            return
        env.step(pick(env.observe(agent)["action_mask"], rng))


def play_out(env, seed=0):
    """Random legal play to the end; everything that each agent was told, turn by turn."""
    rng = np.random.default_rng(seed)
    told = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        arrays = {key: array.tobytes() for key, array in observation.items()}
        told.append((agent, arrays, reward, terminated, truncated, repr(info), dict(env.rewards)))
        over = terminated or truncated
        env.step(None if over else pick(observation["action_mask"], rng))
    return told


def snapshot(env):
    """All that an environment shows, as values."""
    seen = [
        env.observe(agent)[key].tobytes()
        for agent in env.possible_agents
        for key in ("observation", "action_mask")
    ]
    flags = (dict(env.rewards), dict(env.terminations), dict(env.truncations), list(env.agents))
    return seen, env.state().tobytes(), env.agent_selection, flags, repr(env.infos)


def reach_illegal(env):
    """Play to a position with an illegal action and give its number."""
    rng = np.random.default_rng(0)
    mask = env.observe(env.agent_selection)["action_mask"]
    while mask.all() or not mask.any():
        if mask.any():
            env.step(pick(mask, rng))
        else:  # a game may end before there is one
            env.reset()
        mask = env.observe(env.agent_selection)["action_mask"]
    return int(mask.argmin())


def position(game, plies):
    """A live position after so many random plies, as an array of one."""
    for seed in itertools.count():
        rng = np.random.default_rng(seed)
        states = game.new(1, seed)
        for _ in range(plies):
            if game.legal(states).any():
                game.play(states, [pick(game.legal(states)[0], rng)])
        if game.legal(states).any():
            break
    return states


def finished(game):
    """A finished game, as an array of one."""
    rng = np.random.default_rng(0)
    states = game.new(1, 0)
    playout(game, states, lambda live, _: [pick(game.legal(live)[0], rng)])
    return states


# -- What an environment is ---------------------------------------------------------------


def test_names_and_spaces(make_env, game):
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


def test_instances_do_not_share_their_facts(make_env):
    one, other = make_env(), make_env()
    one.metadata["render_fps"] = 99
    one.possible_agents.append("player_9")
    assert other.metadata["render_fps"] != 99
    assert "player_9" not in other.possible_agents


@pytest.mark.parametrize("plies", [None, "few"])
def test_is_the_game(make_env, game, plies):
    """Agents, observations, masks, rewards and ends are those of the `Game` played by hand."""
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
                assert env.infos[agent] == game.info(states[0])
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
        # Each agent is told of the end once, with its reward, and leaves.
        told = {}
        for agent in env.agent_iter():
            _, reward, terminated, truncated, _ = env.last()
            assert terminated or truncated
            told[agent] = reward
            env.step(None)
        assert [told[agent] for agent in env.possible_agents] == returns
        assert env.agents == []
        assert env.num_agents == 0


def test_last_without_observing(make_env):
    env = make_env()
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.last(observe=False)
    assert observation is None
    assert (reward, terminated, truncated) == (0, False, False)
    assert info == env.infos[env.agent_selection]


def test_agent_iter_stops_at_its_limit(make_env):
    env = make_env()
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    visited = []
    for agent in env.agent_iter(2):
        visited.append(agent)
        env.step(pick(env.observe(agent)["action_mask"], rng))
    assert len(visited) == 2


def test_state_is_every_view_in_order(make_env, game):
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


def test_what_was_observed_stays(make_env):
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
    # Nor does writing into an observation change the game.
    shown = snapshot(env) if env.agents else None
    for observation in kept:
        observation["observation"][:] = 1
        observation["action_mask"][:] = 1
    if shown:
        assert snapshot(env) == shown


def test_each_observation_is_the_callers_own(make_env):
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


def test_dead_agents_take_none_only(make_env, game):
    env = make_env(max_plies=game.num_players)
    env.reset(seed=0)
    play(env, game.num_players, np.random.default_rng(0))
    with pytest.raises(ValueError, match="None"):
        env.step(0)


# -- Actions that are no good -------------------------------------------------------------


def test_an_illegal_action_loses(make_env, game):
    env = make_env()
    env.reset(seed=0)
    action = reach_illegal(env)
    offender = env.agent_selection
    env.step(action)
    others = 1 / (game.num_players - 1) if game.num_players > 1 else None
    for agent in env.possible_agents:
        assert env.terminations[agent] is True
        assert env.truncations[agent] is False
        assert env.rewards[agent] == (-1 if agent == offender else pytest.approx(others))
        assert not env.observe(agent)["action_mask"].any()
    told = {agent: (env.last()[1], env.step(None))[0] for agent in env.agent_iter()}
    assert told[offender] == -1
    assert set(told) == set(env.possible_agents)


def test_an_illegal_action_raises_if_so_wished(make_env):
    env = make_env(illegal="raise")
    env.reset(seed=0)
    action = reach_illegal(env)
    shown, twin = snapshot(env), copy.deepcopy(env)
    with pytest.raises(ValueError, match=f"{action} is illegal for {env.agent_selection}"):
        env.step(action)
    assert snapshot(env) == shown
    assert play_out(env) == play_out(twin)


OUT_OF_BOUNDS = [-1, 10**6, 2**70, 0.0, 1.5, np.float64(1), "0", "A1", None, [0], {}]


@pytest.mark.parametrize("illegal", ["lose", "raise"])
def test_out_of_bounds_always_raises(make_env, game, illegal):
    env = make_env(illegal=illegal)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    play(env, 2, rng)
    shown, twin = snapshot(env), copy.deepcopy(env)
    for action in [*OUT_OF_BOUNDS, game.num_actions]:
        with pytest.raises(ValueError, match="outside of the action space"):
            env.step(action)
        with pytest.raises(AssertionError):  # PettingZoo's AssertOutOfBoundsWrapper raises it
            env.step(action)
        assert snapshot(env) == shown
    assert play_out(env) == play_out(twin)


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint16, np.array])
def test_any_whole_number_will_do(make_env, kind):
    env = make_env()
    env.reset(seed=0)
    twin = copy.deepcopy(env)
    action = int(env.observe(env.agent_selection)["action_mask"].argmax())
    env.step(kind(action))
    twin.step(action)
    assert snapshot(env) == snapshot(twin)


@pytest.mark.parametrize("illegal", ["loose", None, True])
def test_illegal_is_lose_or_raise(make_env, illegal):
    with pytest.raises(ValueError, match="illegal must be 'lose' or 'raise'"):
        make_env(illegal=illegal)


# -- The order of calls -------------------------------------------------------------------


def refusals(env):
    """The type and text of what an environment raises before the first reset."""
    calls = {
        "step": lambda: env.step(0),
        "observe": lambda: env.observe("player_0"),
        "last": env.last,
        "render": env.render,
        "state": env.state,
        "agent_iter": env.agent_iter,
    }
    told = ["agents", "agent_selection", "rewards", "terminations", "truncations", "infos"]
    for name in told:
        calls[name] = functools.partial(getattr, env, name)
    found = {}
    for name, call in calls.items():
        with pytest.raises((AssertionError, AttributeError)) as caught:
            call()
        found[name] = type(caught.value), str(caught.value)
    assert not any(hasattr(env, name) for name in [*told, "num_agents"])
    return found


@pytest.mark.parametrize("duplicate", [lambda env: env, copy.deepcopy])
def test_order_of_calls(make_env, duplicate):
    env = duplicate(make_env(render_mode="ansi"))
    assert refusals(env) == refusals(wrappers.OrderEnforcingWrapper(AECEnv()))
    with pytest.raises(ValueError, match="expected"):
        env.reset(options={"state": 3})
    assert refusals(env) == refusals(wrappers.OrderEnforcingWrapper(AECEnv()))
    env.reset(seed=0)
    with pytest.raises(AssertionError, match=r"need to call step\(\) or reset\(\)"):
        for _ in env.agent_iter():
            pass


def test_pettingzoos_wrappers_change_nothing(make_env):
    env = make_env(render_mode="ansi")
    wrapped = make_env(render_mode="ansi")
    for wrapper in (
        wrappers.AssertOutOfBoundsWrapper,
        wrappers.OrderEnforcingWrapper,
        functools.partial(wrappers.TerminateIllegalWrapper, illegal_reward=-1),
    ):
        wrapped = wrapper(wrapped)
    for seed in range(2):
        env.reset(seed=seed)
        wrapped.reset(seed=seed)
        assert play_out(wrapped) == play_out(env)


def test_a_step_after_everyone_has_left_is_warned_of(make_env, caplog):
    env = make_env()
    env.reset(seed=0)
    play_out(env)
    with caplog.at_level(logging.WARNING):
        env.step(None)
    assert "after all agents are terminated or truncated" in caplog.text


# -- Copies -------------------------------------------------------------------------------


def pickled(env):
    return pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickled])
@pytest.mark.parametrize("plies", [0, 4])
def test_a_copy_in_mid_game_plays_on(make_env, game, duplicate, plies):
    env = make_env(render_mode="ansi")
    env.reset(seed=3)
    play(env, plies, np.random.default_rng(0))
    shown, text = snapshot(env), env.render()
    twin = duplicate(env)
    assert type(twin) is type(env)
    assert snapshot(twin) == shown
    assert twin.render() == text
    assert twin.observation_space("player_0") == env.observation_space("player_0")
    # Playing the one to its end leaves the other where it was.
    told = play_out(twin)
    assert snapshot(env) == shown
    assert env.render() == text
    assert play_out(env) == told
    # And both go on with the same games.
    env.reset()
    twin.reset()
    assert play_out(env) == play_out(twin)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickled])
def test_a_copy_before_the_start_and_after_the_end(make_env, duplicate):
    env = make_env()
    twin = duplicate(env)
    env.reset(seed=1)
    twin.reset(seed=1)
    assert play_out(env) == play_out(twin)
    twin = duplicate(env)
    assert twin.agents == []
    twin.reset(seed=1)
    env.reset(seed=1)
    assert snapshot(env) == snapshot(twin)


# -- Seeds --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**40])
def test_a_seed_stands_for_the_same_game_everywhere(make_env, game, seed):
    env = make_env()
    env.reset(seed=seed)
    record = env.position
    assert record == game.new(1, seed)[0]
    assert record == boardenvs.BatchEnv(game, 5, seed).states[0]


def test_without_a_seed_the_sequence_of_games_goes_on(make_env):
    def streams(env, resets):
        words = []
        for _ in range(resets):
            env.reset()
            words.append(int(env.position["rng"]))
        return words

    env, twin = make_env(), make_env()
    env.reset(seed=7)
    twin.reset(seed=7)
    words = streams(env, 5)
    assert words == streams(twin, 5)
    assert len({*words, int(make_first(make_env, 7))}) == 6
    assert streams(make_env(), 1) != streams(make_env(), 1)


def test_the_sequence_is_drawn_from_gymnasiums_generator(make_env, game):
    env = make_env()
    env.reset(seed=7)
    rng, _ = seeding.np_random(7)
    for _ in range(3):
        env.reset()
        word = rng.integers(0, 2**64, dtype=np.uint64)
        assert env.position == game.new_from_words(stream_words(word, 1))[0]


def make_first(make_env, seed):
    env = make_env()
    env.reset(seed=seed)
    return env.position["rng"]


# -- Starting from a position -------------------------------------------------------------

FORMS = {
    "record": lambda game, states: states[0],
    "array of one": lambda game, states: states,
    "array of none": lambda game, states: states.reshape(()),
    "dictionary": lambda game, states: game.to_dict(states[0]),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("plies", [0, 1, 4])
def test_reset_from_a_position(make_env, game, form, plies):
    states = position(game, plies)
    given = FORMS[form](game, states.copy())
    before = copy.deepcopy(given)
    env = make_env(illegal="raise")
    env.reset(options={"state": given})
    rng = np.random.default_rng(5)
    while True:
        agent = env.agent_selection
        assert agent == f"player_{states['to_move'][0]}"
        for seat, name in enumerate(env.possible_agents):
            np.testing.assert_array_equal(
                env.observe(name)["observation"], game.observe(states, seat)[0]
            )
        assert env.terminations[agent] == states["terminated"][0]
        assert env.truncations[agent] == states["truncated"][0]
        if env.terminations[agent] or env.truncations[agent]:
            break
        action = pick(game.legal(states)[0], rng)
        env.step(action)
        game.play(states, [action])
    assert given == before  # the caller's position is left alone


def test_a_game_starts_again_from_its_position(make_env, game):
    env = make_env()
    env.reset(seed=1)
    play(env, 3, np.random.default_rng(0))
    record, shown = env.position, snapshot(env)
    told = play_out(env)
    env.reset(options={"state": record})
    assert env.position == record
    assert snapshot(env) == shown
    record["rng"] += np.uint64(1)  # it was a copy
    assert env.position != record
    assert play_out(env) == told


def test_the_episode_is_what_was_played(make_env, game):
    env = make_env()
    for seed in range(3):
        env.reset(seed=seed)
        assert len(env.episode) == 0
        told = play_out(env)
        episode = env.episode
        assert len(episode) == len(told) - game.num_players
        assert episode.states()[0] == game.new(1, seed)[0]
        assert episode.states()[-1] == env.position


def test_a_position_given_is_copied(make_env, game):
    states = position(game, 2)
    env = make_env()
    env.reset(options={"state": states})
    shown = snapshot(env)
    states[:] = game.new(1, 9)
    assert snapshot(env) == shown


def bad_states(game):
    """What no environment can start from."""
    over = finished(game)
    bent = game.new(1, 0)
    bent["ply"] = -5
    nobody = game.new(1, 0)
    nobody["to_move"] = game.num_players
    fields = game.to_dict(position(game, 1)[0])
    own = next(iter(game._position_to_dict(game.start[0])))
    return {
        "finished record": over[0],
        "finished dictionary": game.to_dict(over[0]),
        "array of two": game.new(2, 0),
        "impossible ply": bent,
        "impossible seat": nobody,
        "other game's array": np.zeros(1, [("board", np.int8)]),
        "number": 3,
        "text": game.to_text(over[0]),
        "empty dictionary": {},
        "unknown field": {**fields, "colour": "red"},
        "other game's dictionary": {**fields, "game": "chess"},
        "bad field": {**fields, own: "?"},
    }


def test_a_bad_position_is_refused_and_the_game_goes_on(make_env, game):
    env = make_env()
    env.reset(seed=0)
    play(env, 2, np.random.default_rng(0))
    shown, twin = snapshot(env), copy.deepcopy(env)
    for what, state in bad_states(game).items():
        with pytest.raises(ValueError, match=r".") as caught:
            env.reset(seed=9, options={"state": state})
        assert "\n" not in str(caught.value), what
        assert snapshot(env) == shown, what
    assert play_out(env) == play_out(twin)
    env.reset()
    twin.reset()
    assert env.position == twin.position


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


@pytest.mark.parametrize("mode", ["rgb", "ANSI", "", 1])
def test_an_unknown_render_mode_is_refused(make_env, mode):
    with pytest.raises(ValueError, match="render_mode must be one of"):
        make_env(render_mode=mode)


def test_render_needs_a_mode(make_env):
    env = make_env()
    env.reset(seed=0)
    with pytest.raises(ValueError, match="render_mode"):
        env.render()


# -- Arguments ----------------------------------------------------------------------------


def test_a_parameter_of_no_game_is_refused(make_env):
    with pytest.raises(ValueError, match="no parameter 'depth'"):
        make_env(depth=3)


def test_parameters_reach_the_game(make_env, game):
    params = {**game.params, "max_plies": game.num_players + 1}
    assert make_env(**params).unwrapped.game == boardenvs.make(game.name, **params)
