"""The single-seat Gymnasium environment, over every game."""

import copy
import itertools
import json
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from gymnasium.wrappers import FlattenObservation, RecordEpisodeStatistics
from players import Last

import boardenvs
from boardenvs.registration import env_id
from boardenvs.single import SeatEnv


class Answers:
    """Whatever it is told to answer."""

    def __init__(self, answer):
        self.answer = answer

    def act(self, states):
        return self.answer(states)


class Illegal:
    """The first illegal action."""

    def __init__(self, game):
        self.game = game

    def act(self, states):
        return self.game.legal(states).argmin(1)


def pick(mask, rng):
    return int(rng.choice(np.flatnonzero(mask)))


def play_out(env, mask, seed=0):
    """Random legal play to the end of the game; everything that was returned."""
    rng = np.random.default_rng(seed)
    told = []
    over = False
    while not over:
        step = env.step(pick(mask, rng))
        told.append(step)
        over, mask = step[2] or step[3], step[4]["action_mask"]
    return told


def same(one, other):
    return data_equivalence(tuple(one), tuple(other), exact=True)


def position(game, plies, seat=None):
    """A live position after so many random plies, as an array of one; `seat` to move."""
    for seed in itertools.count():
        rng = np.random.default_rng(seed)
        states = game.new(1, seed)
        for _ in range(plies):
            if game.legal(states).any():
                game.play(states, [pick(game.legal(states)[0], rng)])
        if game.legal(states).any() and seat in (None, states["to_move"][0]):
            break
    return states


def position_with_illegal(game):
    """As `position`, with seat 0 to move and an action that is illegal, as soon as there is one."""
    turns = (position(game, n * game.num_players, seat=0) for n in itertools.count(2))
    return next(states for states in turns if not game.legal(states).all())


# -- What an environment is ---------------------------------------------------------------


def test_spaces_and_metadata(game):
    env = SeatEnv(game)
    assert env.observation_space == spaces.Box(
        0, game.observation_high, game.observation_shape, np.int8
    )
    assert env.action_space == spaces.Discrete(game.num_actions)
    assert set(env.metadata["render_modes"]) >= {"ansi", "human"}
    assert SeatEnv(game.name).game == game


@pytest.mark.parametrize("plies", [None, "few"])
def test_is_the_game(game, plies):
    """Everything returned is what the `Game` says, the opponents' moves played by hand."""
    params = {} if plies is None else {"max_plies": 2 * game.num_players}
    game = boardenvs.make(game.name, **params)
    opponent = Last(game)
    rng = np.random.default_rng(0)

    def opponents(states, seat):
        while game.legal(states).any() and states["to_move"][0] != seat:
            game.play(states, opponent.act(states))

    for seat, seed in itertools.product(["random", *range(game.num_players)], range(3)):
        env = SeatEnv(game, opponent, seat, illegal="raise")
        observation, info = env.reset(seed=seed)
        states = game.new(1, 0)
        states[0] = env.position
        mine = info["seat"]
        assert seat in ("random", mine)
        # Nobody has played but those who sit before us.
        if not game.has_chance:
            start = game.new(1, 0)
            opponents(start, mine)
            start["rng"] = states["rng"]
            assert start[0] == states[0]
        terminated = truncated = False
        reward = 0.0
        while True:
            assert observation in env.observation_space
            np.testing.assert_array_equal(observation, game.observe(states, mine)[0])
            legal = game.legal(states)[0]
            assert info.keys() == {"action_mask", "seat", *game.info(states[0])}
            assert info["action_mask"].dtype == np.bool_
            np.testing.assert_array_equal(info["action_mask"], legal)
            np.testing.assert_array_equal(env.action_masks(), legal)
            assert info["seat"] == mine
            assert type(info["seat"]) is int
            for key, value in game.info(states[0]).items():
                assert data_equivalence(info[key], value)
            assert type(reward) is float
            assert reward == game.returns(states)[0, mine]
            assert terminated is bool(states["terminated"][0])
            assert truncated is bool(states["truncated"][0])
            assert env.position == states[0]
            if terminated or truncated:
                break
            assert states["to_move"][0] == mine
            action = pick(legal, rng)
            observation, reward, terminated, truncated, info = env.step(action)
            game.play(states, [action])
            opponents(states, mine)
        assert not info["action_mask"].any()


def test_a_step_after_the_end_or_before_the_start_raises(game):
    env = SeatEnv(game)
    with pytest.raises(ValueError, match="call reset"):
        env.step(0)
    _, info = env.reset(seed=0)
    play_out(env, info["action_mask"])
    over = env.position
    for action in range(game.num_actions):
        with pytest.raises(ValueError, match="call reset"):
            env.step(action)
    assert env.position == over
    assert not env.action_masks().any()
    assert env.reset()[1]["action_mask"].any()


def test_what_was_returned_stays(game):
    env, twin = SeatEnv(game), SeatEnv(game)
    returned, kept = [env.reset(seed=0)], [twin.reset(seed=0)]
    rng = np.random.default_rng(0)
    for _ in range(5):
        action = pick(returned[-1][-1]["action_mask"], rng)
        returned[-1] = copy.deepcopy(returned[-1])
        kept[-1][0][:] = 1  # writing into what was returned changes nothing
        kept[-1][-1]["action_mask"][:] = True
        twin.action_masks()[:] = True
        kept.append(twin.step(action))
        returned.append(env.step(action))
        assert same(kept[-1], returned[-1])
        if returned[-1][2] or returned[-1][3]:
            break
    else:
        first = copy.deepcopy(returned[-1])
        env.reset()
        assert same(first, returned[-1])


# -- Seats --------------------------------------------------------------------------------


def test_a_random_seat_is_every_seat(game):
    env = SeatEnv(game)
    env.reset(seed=0)
    assert {env.reset()[1]["seat"] for _ in range(60)} == set(range(game.num_players))
    seats = {env.reset(seed=seed)[1]["seat"] for seed in range(60)}
    assert seats == set(range(game.num_players))


def test_a_fixed_seat_stays(game):
    for seat in range(game.num_players):
        env = SeatEnv(game, seat=np.int64(seat))
        assert {env.reset(seed=seed)[1]["seat"] for seed in range(10)} == {seat}


@pytest.mark.parametrize("seat", [-1, 9, "black", None, 0.0, True, "0"])
def test_a_seat_that_is_none_is_refused(game, seat):
    with pytest.raises(ValueError, match="seat must be 'random' or from 0 to"):
        SeatEnv(game, seat=seat)


# -- Opponents ----------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [None, 3, object(), len])
def test_what_is_no_opponent_is_refused(game, wrong):
    with pytest.raises(ValueError, match="opponent must be an agent's spec such as 'random', an"):
        SeatEnv(game, wrong)  # also where nobody else sits


@pytest.mark.parametrize("wrong", [len, None])
def test_a_list_of_what_is_no_opponent_is_refused(versus, wrong):
    others = versus.num_players - 1
    with pytest.raises(ValueError, match="opponent must be an agent's spec such as 'random', an"):
        SeatEnv(versus, ["random"] * (others - 1) + [wrong])


def test_a_list_has_one_opponent_for_each_other_seat(game):
    others = game.num_players - 1
    for number in (others - 1, others + 1):
        if number >= 0:
            with pytest.raises(ValueError, match=f"needs {others} opponents, got {number}"):
                SeatEnv(game, ["random"] * number)
    env = SeatEnv(game, ["random"] * others)
    assert play_out(env, env.reset(seed=0)[1]["action_mask"])


def test_a_list_of_opponents_sits_in_order(versus):
    for seat in range(versus.num_players):
        opponents = [Last(versus) for _ in range(versus.num_players - 1)]
        env = SeatEnv(versus, opponents, seat)
        for seed in range(5):
            play_out(env, env.reset(seed=seed)[1]["action_mask"])
        seats = [k for k in range(versus.num_players) if k != seat]
        for opponent, its in zip(opponents, seats, strict=True):
            assert opponent.shown
            assert {int(s["to_move"][0]) for s in opponent.shown} == {its}


def test_random_opponents_play_legally_and_variously(versus):
    env = SeatEnv(versus, seat=0)
    replies = set()
    for seed in range(30):
        _, info = env.reset(seed=seed)
        for step in play_out(env, info["action_mask"]):
            assert env.position["offender"] == -1
            replies.add(step[0].tobytes())
    assert len(replies) > 30


def test_opponents_are_shown_what_they_may_know(versus):
    opponent = Last(versus)
    env = SeatEnv(versus, opponent)
    streams = []
    for seed in range(10):
        _, info = env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        over = False
        while not over:
            before = versus.new(1, 0)
            before[0] = env.position
            action = pick(info["action_mask"], rng)
            versus.play(before, [action])
            opponent.shown.clear()
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            if opponent.shown and not versus.has_chance:
                shown = opponent.shown[0].copy()
                assert shown.dtype == versus.state_dtype
                assert shown.shape == (1,)
                # The stream is another one; everything else is as it is, unless hidden.
                assert shown["rng"] != before["rng"]
                if not versus.has_hidden:
                    shown["rng"] = before["rng"]
                    assert shown[0] == before[0]
            for shown in opponent.shown:
                assert shown["to_move"][0] != info["seat"]
                assert versus.legal(shown).any()
                streams.append(int(shown["rng"][0]))
                assert shown["rng"][0] != env.position["rng"]
    assert len(set(streams)) > 1


def test_what_an_opponent_does_to_its_states_is_its_own_business(versus):
    def vandal(states):
        actions = Last(versus).act(states)
        states.view(np.uint8)[:] = 0
        return actions

    env, twin = SeatEnv(versus, Answers(vandal)), SeatEnv(versus, Last(versus))
    start, other = env.reset(seed=0), twin.reset(seed=0)
    assert same(start, other)
    mask = start[1]["action_mask"]
    assert all(map(same, play_out(env, mask), play_out(twin, mask)))


def reach_illegal(env, mask):
    """Play to a position with an illegal action and give its number."""
    rng = np.random.default_rng(0)
    while mask.all() or not mask.any():  # a game may end before there is one
        info = env.step(pick(mask, rng))[4] if mask.any() else env.reset()[1]
        mask = info["action_mask"]
    return int(mask.argmin())


def test_an_illegal_action_loses(game):
    for seat in range(game.num_players):
        env = SeatEnv(game, seat=seat)
        action = reach_illegal(env, env.reset(seed=0)[1]["action_mask"])
        ply = env.position["ply"]
        _, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert not info["action_mask"].any()
        assert env.position["offender"] == seat
        assert env.position["ply"] == ply
        with pytest.raises(ValueError, match="call reset"):
            env.step(action)


def test_an_illegal_action_raises_if_so_wished(game):
    env = SeatEnv(game, illegal="raise")
    action = reach_illegal(env, env.reset(seed=0)[1]["action_mask"])
    before, twin = env.position, copy.deepcopy(env)
    with pytest.raises(ValueError, match=f"action {action} is illegal"):
        env.step(action)
    assert env.position == before
    mask = env.action_masks()
    assert all(map(same, play_out(env, mask), play_out(twin, mask)))


def test_an_opponents_illegal_action_loses_for_it(versus):
    env = SeatEnv(versus, Illegal(versus), seat=0)
    start = position_with_illegal(versus)
    steps = play_out(env, env.reset(options={"state": start})[1]["action_mask"])
    assert steps[-1][1] == pytest.approx(1 / (versus.num_players - 1))
    assert steps[-1][2:4] == (True, False)
    assert env.position["offender"] > 0
    assert not steps[-1][4]["action_mask"].any()


def test_an_opponents_illegal_action_raises_if_so_wished(versus):
    env = SeatEnv(versus, Illegal(versus), seat=0, illegal="raise")
    options = {"state": position_with_illegal(versus)}
    mask = env.reset(options=options)[1]["action_mask"]
    with pytest.raises(ValueError, match="illegal"):
        play_out(env, mask)
    # Nothing is played in the half-finished turn.
    before = env.position
    for action in range(versus.num_actions):
        with pytest.raises(ValueError, match="reset"):
            env.step(action)
    assert env.position == before
    assert env.reset(options=options)[1]["action_mask"].any()


@pytest.mark.parametrize(
    "answer",
    [
        lambda states: np.full(len(states), -1),
        lambda states: np.full(len(states), 10**6),
        lambda states: np.zeros(len(states)),
        lambda states: np.zeros(len(states) + 1, int),
        lambda states: None,
        lambda states: "0",
    ],
)
@pytest.mark.parametrize("illegal", ["lose", "raise"])
def test_what_is_no_action_of_an_opponent_raises(versus, answer, illegal):
    env = SeatEnv(versus, Answers(answer), seat=0, illegal=illegal)
    with pytest.raises(ValueError, match="action"):
        play_out(env, env.reset(seed=0)[1]["action_mask"])


@pytest.mark.parametrize("shape", [lambda a: a.tolist(), lambda a: a.astype(np.int16), tuple])
def test_an_opponent_may_answer_in_any_whole_numbers(versus, shape):
    opponent = Last(versus)
    env = SeatEnv(versus, Answers(lambda states: shape(opponent.act(states))))
    twin = SeatEnv(versus, Last(versus))
    mask = env.reset(seed=0)[1]["action_mask"]
    twin.reset(seed=0)
    assert all(map(same, play_out(env, mask), play_out(twin, mask)))


OUT_OF_BOUNDS = [-1, 10**6, 2**70, 0.0, 1.5, np.float64(1), "0", None, [0], {}]


@pytest.mark.parametrize("illegal", ["lose", "raise"])
def test_out_of_bounds_always_raises(game, illegal):
    env = SeatEnv(game, illegal=illegal)
    env.reset(seed=0)
    before = env.position
    for action in [*OUT_OF_BOUNDS, game.num_actions]:
        with pytest.raises(ValueError, match="outside of the action space"):
            env.step(action)
        assert env.position == before


# -- Seeds and copies ---------------------------------------------------------------------


def test_a_seed_stands_for_a_game(game):
    env, twin = SeatEnv(game), SeatEnv(game)
    for seed in range(5):
        start = env.reset(seed=seed)
        assert same(start, twin.reset(seed=seed))
        mask = start[1]["action_mask"]
        assert all(map(same, play_out(env, mask), play_out(twin, mask)))
        # So does the sequence that follows.
        for _ in range(3):
            start = env.reset()
            assert same(start, twin.reset())
            mask = start[1]["action_mask"]
            assert all(map(same, play_out(env, mask), play_out(twin, mask)))


def test_other_seeds_are_other_games(versus):
    env = SeatEnv(versus, seat=0)
    games = set()
    for seed in range(10):
        mask = env.reset(seed=seed)[1]["action_mask"]
        games.add(b"".join(step[0].tobytes() for step in play_out(env, mask)))
    assert len(games) == 10
    streams = set()
    for _ in range(10):  # without a seed, ever fresh ones
        env = SeatEnv(versus)
        env.reset()
        streams.add(int(env.position["rng"]))
    assert len(streams) == 10


def pickled(env):
    return pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickled])
@pytest.mark.parametrize("opponent", ["random", "object"])
def test_a_copy_in_mid_game_plays_on(game, duplicate, opponent):
    env = gymnasium.make(
        env_id(game.name),
        opponent="random" if opponent == "random" else Last(game),
        render_mode="ansi",
    )
    _, info = env.reset(seed=3)
    _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
    assert terminated is truncated is False
    twin = duplicate(env)
    state, text, mask = env.unwrapped.position, env.render(), info["action_mask"]
    assert twin.unwrapped.position == state
    assert twin.render() == text
    np.testing.assert_array_equal(twin.unwrapped.action_masks(), mask)
    told = play_out(twin, mask)
    assert env.unwrapped.position == state
    assert env.render() == text
    assert all(map(same, play_out(env, mask), told))
    assert same(env.reset(), twin.reset())
    assert same(env.reset(), twin.reset())


@pytest.mark.parametrize("seed", [0, 1, 2**40])
def test_a_seed_is_the_game_that_it_is_elsewhere(game, seed):
    env = SeatEnv(game, record_episode=True)
    env.reset(seed=seed)
    assert env.episode.states()[0] == game.new(1, seed)[0]


@pytest.mark.parametrize("opponent", ["random", "object"])
def test_recording_a_game_does_not_change_it(game, opponent):
    params = {"opponent": "random" if opponent == "random" else Last(game)}
    env = gymnasium.make(env_id(game.name), record_episode=True, **params)
    twin = gymnasium.make(env_id(game.name), **params)
    for seed in range(5):
        start = env.reset(seed=seed)
        assert same(start, twin.reset(seed=seed))
        mask = start[1]["action_mask"]
        assert all(map(same, play_out(env, mask), play_out(twin, mask)))
        assert env.unwrapped.position == twin.unwrapped.position
        assert env.unwrapped.episode.states()[-1] == env.unwrapped.position
    with pytest.raises(ValueError, match="record_episode"):
        _ = twin.unwrapped.episode


# -- Starting from a position -------------------------------------------------------------


@pytest.mark.parametrize("form", ["record", "array", "dictionary", "JSON"])
def test_a_game_starts_again_from_its_state(game, form):
    env = gymnasium.make(env_id(game.name), opponent=Last(game), seat=0)
    env.reset(seed=4)
    action = int(env.unwrapped.action_masks().argmax())
    observation, _, _, _, info = env.step(action)
    state = env.unwrapped.position
    given = {
        "record": lambda: state,
        "array": lambda: np.array([state], game.state_dtype),
        "dictionary": lambda: game.to_dict(state),
        "JSON": lambda: json.loads(json.dumps(game.to_dict(state))),
    }[form]()
    told = play_out(env, info["action_mask"])
    again, info = env.reset(options={"state": given})
    np.testing.assert_array_equal(again, observation)
    assert env.unwrapped.position == state
    assert all(map(same, play_out(env, info["action_mask"]), told))


def test_the_state_is_a_copy(game):
    env = SeatEnv(game)
    env.reset(seed=0)
    before = env.position
    state = env.position
    state["rng"] += np.uint64(1)
    assert env.position == before
    env.reset(seed=1)
    assert env.position != before


def test_opponents_go_first_where_it_is_their_turn(versus):
    states = position(versus, 2)
    for seat in range(versus.num_players):
        opponent = Last(versus)
        env = SeatEnv(versus, opponent, seat)
        _, info = env.reset(options={"state": states[0]})
        assert info["seat"] == seat
        assert bool(opponent.shown) == (states["to_move"][0] != seat)
        assert env.position["to_move"] == seat


def test_a_position_that_ends_before_our_turn_is_refused(versus):
    game = boardenvs.make(versus.name, max_plies=versus.num_players)
    states = position(game, game.num_players - 1)
    last = int(states["to_move"][0])
    for seat in set(range(game.num_players)) - {last}:
        env = SeatEnv(game, Last(game), seat)
        env.reset(seed=0)
        with pytest.raises(ValueError, match="ends before"):
            env.reset(options={"state": states})
        # No step goes into the finished game.
        with pytest.raises(ValueError, match="reset"):
            env.step(0)
        assert env.reset(seed=0)[1]["action_mask"].any()
    assert SeatEnv(game, seat=last).reset(options={"state": states})[1]["action_mask"].any()


def test_a_bad_position_is_refused_and_the_game_goes_on(game):
    env = SeatEnv(game)
    mask = env.reset(seed=0)[1]["action_mask"]
    twin = copy.deepcopy(env)
    over = copy.deepcopy(env)
    play_out(over, mask)
    bent = game.new(1, 0)
    bent["ply"] = -5
    fields = game.to_dict(env.position)
    for state in (
        over.position,
        game.to_dict(over.position),
        bent,
        game.new(2, 0),
        np.zeros(1),
        3,
        "start",
        {},
        {**fields, "colour": "red"},
    ):
        with pytest.raises(ValueError, match=r"."):
            env.reset(seed=9, options={"state": state})
    assert env.position == twin.position
    assert all(map(same, play_out(env, mask), play_out(twin, mask)))
    env.reset()
    twin.reset()
    assert env.position == twin.position


# -- Rendering ----------------------------------------------------------------------------


def test_ansi_is_the_console_format(game):
    env = gymnasium.make(env_id(game.name), render_mode="ansi")
    _, info = env.reset(seed=0)
    assert env.render() == game.to_text(env.unwrapped.position)
    env.step(int(info["action_mask"].argmax()))
    assert env.render() == game.to_text(env.unwrapped.position)


def test_human_prints_each_position_and_returns_nothing(game, capsys):
    env = SeatEnv(game, render_mode="human")
    env.reset(seed=0)
    assert capsys.readouterr().out == game.to_text(env.position)
    env.step(int(env.action_masks().argmax()))
    assert capsys.readouterr().out == game.to_text(env.position)
    assert env.render() is None
    assert capsys.readouterr().out == game.to_text(env.position)


def test_rendering_needs_a_known_mode(game):
    with pytest.raises(ValueError, match="render_mode must be one of"):
        SeatEnv(game, render_mode="rgb")
    env = SeatEnv(game)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="render_mode"):
        env.render()


# -- Arguments ----------------------------------------------------------------------------


def test_parameters_belong_to_a_game_by_name(game):
    params = {**game.params, "max_plies": game.num_players + 1}
    assert SeatEnv(game.name, **params).game == boardenvs.make(game.name, **params)
    with pytest.raises(ValueError, match="no parameter 'depth'"):
        SeatEnv(game.name, depth=3)
    with pytest.raises(ValueError, match="has its parameters already; max_plies"):
        SeatEnv(game, max_plies=9)
    with pytest.raises(ValueError, match="illegal must be 'lose' or 'raise'"):
        SeatEnv(game, illegal="ignore")


# -- Gymnasium's wrappers and vectors -----------------------------------------------------


def test_wrappers(game):
    env = RecordEpisodeStatistics(FlattenObservation(gymnasium.make(env_id(game.name))))
    plain = gymnasium.make(env_id(game.name))
    observation, info = env.reset(seed=0)
    assert observation.shape == (np.prod(game.observation_shape),)
    start, _ = plain.reset(seed=0)
    np.testing.assert_array_equal(observation, start.ravel())
    told = play_out(env, info["action_mask"])
    expected = play_out(plain, info["action_mask"])
    assert told[-1][4]["episode"]["r"] == expected[-1][1]
    assert told[-1][4]["episode"]["l"] == len(expected)
    for step, other in zip(told, expected, strict=True):
        np.testing.assert_array_equal(step[0], other[0].ravel())
    np.testing.assert_array_equal(
        env.get_wrapper_attr("action_masks")(), plain.unwrapped.action_masks()
    )


# From Python 3.12 on every fork of a process with threads is warned of, and this one has some.
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.one_game  # Gymnasium's own, which start processes
def test_gymnasiums_own_vectors_even_after_parallel_kernels(game):
    batch = boardenvs.BatchEnv(game, 2048, 0, threads=2)
    batch.step(batch.action_mask.argmax(1))

    def make():
        return gymnasium.make(env_id(game.name))

    synchronous, asynchronous = SyncVectorEnv([make] * 2), AsyncVectorEnv([make] * 2)
    singles = [make(), make()]
    try:
        start = synchronous.reset(seed=[5, 6])
        assert same(start, asynchronous.reset(seed=[5, 6]))
        for i, single in enumerate(singles):
            observation, info = single.reset(seed=5 + i)
            np.testing.assert_array_equal(start[0][i], observation)
            np.testing.assert_array_equal(start[1]["action_mask"][i], info["action_mask"])
        masks = start[1]["action_mask"]
        for _ in range(60):
            actions = masks.argmax(1)
            step = synchronous.step(actions)
            assert same(step, asynchronous.step(actions))
            masks = step[4]["action_mask"]
    finally:
        synchronous.close()
        asynchronous.close()
