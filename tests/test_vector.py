"""The native vector environment: N games, one seat of each is ours."""

import copy
import itertools
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from players import Last

import boardenvs
from boardenvs.chance import stream_words
from boardenvs.registration import env_id
from boardenvs.single import SeatEnv
from boardenvs.table import Table
from boardenvs.vector import SeatVectorEnv


class Drawing:
    """An action drawn from the words it is given, as `boardenvs.opponents.Opponent` allows."""

    def __init__(self, game):
        self.game = game

    def act(self, states):
        raise AssertionError("choose goes first")

    def choose(self, states, words):
        wanted = (words >> np.uint64(40)).astype(np.int64)
        return choose(self.game.legal(states), wanted)


OPPONENTS = {
    "random": lambda game: "random",
    "object": Last,
    "object that draws": Drawing,
    "list": lambda game: [
        (Drawing(game), "random", Last(game))[k % 3] for k in range(game.num_players - 1)
    ],
}


def choose(masks, k):
    """A legal action of every row, by the row and `k` alone; 0 where there is none."""
    wanted = (7 * k + 3) % np.maximum(masks.sum(1), 1)
    return (masks.cumsum(1) > wanted[:, None]).argmax(1)


def rollout(envs, start, steps, first=0):
    """Legal play: the list of everything that was returned, `start` at its head."""
    told = [start]
    for k in range(first, first + steps):
        told.append(envs.step(choose(told[-1][-1]["action_mask"], k)))
    return told


def rows(told, num):
    """What `rollout` returned about the first `num` games, as bytes."""
    return [
        [array[:num].tobytes() for array in step[:-1]]
        + [
            step[-1][key][:num].tobytes()
            for key in sorted(step[-1])
            if isinstance(step[-1][key], np.ndarray)
            and step[-1][key].dtype != object
            # Absent from a step in which no game of a smaller batch ended.
            and "final" not in key
        ]
        for step in told
    ]


def same(one, other):
    return data_equivalence(tuple(one), tuple(other), exact=True)


def position(game, plies, seat=None):
    """A live position after so many random plies, as an array of one; `seat` to move."""
    for seed in itertools.count():
        states = game.new(1, seed)
        for k in range(plies):
            if game.legal(states).any():
                game.play(states, choose(game.legal(states), k + seed))
        if game.legal(states).any() and seat in (None, states["to_move"][0]):
            break
    return states


# -- What an environment is ---------------------------------------------------------------


@pytest.mark.parametrize("mode", AutoresetMode)
def test_spaces_and_metadata(game, mode):
    envs = SeatVectorEnv(3, game, autoreset_mode=mode)
    single = SeatEnv(game)
    assert envs.num_envs == 3
    assert envs.single_observation_space == single.observation_space
    assert envs.single_action_space == single.action_space
    assert envs.observation_space.shape == (3, *game.observation_shape)
    assert envs.action_space == spaces.MultiDiscrete([game.num_actions] * 3)
    assert envs.metadata["autoreset_mode"] is mode
    assert set(envs.metadata["render_modes"]) == set(single.metadata["render_modes"])
    assert SeatVectorEnv(3, game, autoreset_mode=mode.value).metadata["autoreset_mode"] is mode
    assert SeatVectorEnv(3, game).metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


@pytest.mark.parametrize("mode", AutoresetMode)
def test_made_by_gymnasium(game, mode):
    envs = gymnasium.make_vec(
        env_id(game.name),
        num_envs=4,
        vectorization_mode="vector_entry_point",
        autoreset_mode=mode,
        opponent=Last(game),
        seat=0,
        illegal="raise",
    )
    twin = SeatVectorEnv(4, game, Last(game), 0, "raise", autoreset_mode=mode)
    assert type(envs) is SeatVectorEnv
    start = envs.reset(seed=0)
    assert same(start, twin.reset(seed=0))
    assert same(
        envs.step(choose(start[1]["action_mask"], 0)),
        twin.step([*map(int, choose(start[1]["action_mask"], 0))]),
    )


def test_shapes_and_dtypes(game):
    envs = SeatVectorEnv(3, game)
    observation, infos = envs.reset(seed=0)
    assert observation in envs.observation_space
    assert observation.dtype == np.int8
    step = envs.step(choose(infos["action_mask"], 0))
    assert step[0] in envs.observation_space
    assert [(a.shape, a.dtype) for a in step[1:4]] == [
        ((3,), np.float64),
        ((3,), np.bool_),
        ((3,), np.bool_),
    ]
    for info in (infos, step[4]):
        assert info["action_mask"].shape == (3, game.num_actions)
        assert info["action_mask"].dtype == np.bool_
        assert info["seat"].shape == (3,)
        assert info["seat"].dtype == np.int64
        assert info["_action_mask"].all()
        assert info["_seat"].all()
        own = game.info(game.new(1, 0)[0])
        assert {"action_mask", "seat", *own} <= set(info)
    np.testing.assert_array_equal(envs.action_masks(), step[4]["action_mask"])


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_step_in_arrays_is_the_same_step(game, mode):
    envs, twins = (SeatVectorEnv(7, game, autoreset_mode=mode) for _ in range(2))
    for each in (envs, twins):
        each.reset(seed=3)
    for _ in range(40):
        actions = envs.action_masks().argmax(1)
        seen, rewards, terminated, truncated, infos = envs.step(actions)
        stepped = twins.step_arrays(actions)
        np.testing.assert_array_equal(stepped.seen, seen)
        np.testing.assert_array_equal(stepped.masks, infos["action_mask"])
        np.testing.assert_array_equal(stepped.rewards, rewards)
        np.testing.assert_array_equal(stepped.terminated, terminated)
        np.testing.assert_array_equal(stepped.truncated, truncated)
        over = terminated | truncated
        last = game.observe(stepped.last, stepped.last_seats)
        if mode is AutoresetMode.SAME_STEP:
            assert stepped.ended.tolist() == np.flatnonzero(over).tolist()
            for row, k in zip(last, stepped.ended, strict=True):
                np.testing.assert_array_equal(row, infos["final_obs"][k])
        else:
            assert len(stepped.ended) == 0
        if mode is AutoresetMode.DISABLED and over.any():
            for each in (envs, twins):
                each.reset(options={"reset_mask": over})


# -- The same games whatever the batch ----------------------------------------------------


@pytest.mark.one_game
@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_same_seed_same_games_whatever_the_batch(game, opponent, mode):
    def told(num, threads=None):
        envs = SeatVectorEnv(
            num, game, OPPONENTS[opponent](game), autoreset_mode=mode, threads=threads
        )
        return rollout(envs, envs.reset(seed=9), 40)

    large = told(1024)
    assert any(step[2].any() for step in large[1:])  # games end and start anew
    for num in (1, 7):
        assert rows(told(num), num) == rows(large, num)
    for threads in (1, 3):
        assert rows(told(1024, threads), 1024) == rows(large, 1024)
    assert rows(told(7, 2), 7) == rows(large, 7)


@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("seed", [0, 1, 2**40])
def test_the_first_game_is_that_of_the_single_environment(game, opponent, seed):
    env = SeatEnv(game, OPPONENTS[opponent](game))
    envs = SeatVectorEnv(5, game, OPPONENTS[opponent](game), autoreset_mode="Disabled")
    observation, info = env.reset(seed=seed)
    observations, infos = envs.reset(seed=seed)
    for k in itertools.count():
        np.testing.assert_array_equal(observations[0], observation)
        assert infos["action_mask"][0].tolist() == info["action_mask"].tolist()
        assert infos["seat"][0] == info["seat"]
        actions = choose(infos["action_mask"], k)
        observation, reward, terminated, truncated, info = env.step(actions[0])
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        assert rewards[0] == reward
        assert terminations[0] == terminated
        assert truncations[0] == truncated
        if terminated or truncated:
            np.testing.assert_array_equal(observations[0], observation)
            assert not infos["action_mask"][0].any()
            break
        over = terminations | truncations
        if over.any():
            observations, infos = envs.reset(options={"reset_mask": over})


@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("mode", AutoresetMode)
def test_against_gymnasiums_vector_of_single_environments(game, opponent, mode):
    """The same seeds give the same until a game ends, and the same structure throughout.

    With `DISABLED` every game is given a seed, and all of it is the same.
    """

    def make():
        return SeatEnv(game, OPPONENTS[opponent](game))

    num = 4
    envs = SeatVectorEnv(num, game, OPPONENTS[opponent](game), autoreset_mode=mode)
    sync = SyncVectorEnv([make] * num, autoreset_mode=mode)
    seeds = [3, 1, 4, 1]
    start = envs.reset(seed=seeds)
    assert same(start, sync.reset(seed=seeds))
    masks = start[1]["action_mask"]
    first = np.ones(num, bool)  # in their first game, which alone has a seed in common
    for k in range(80):
        actions = choose(masks, k)
        ours, theirs = envs.step(actions), sync.step(actions)
        masks = ours[4]["action_mask"].copy()
        over = theirs[2] | theirs[3]
        comparable = first & ~over if mode is AutoresetMode.SAME_STEP else first
        for one, other in zip(ours[:4], theirs[:4], strict=True):
            assert one.shape == other.shape
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one[comparable], other[comparable])
        for one, other in zip(ours[1:4], theirs[1:4], strict=True):
            np.testing.assert_array_equal(one[first], other[first])
        if (ours[2] | ours[3]).any() == over.any():
            assert ours[4].keys() == theirs[4].keys()
        for key, array in theirs[4].items():
            if "final" not in key:
                assert ours[4][key].dtype == array.dtype
                np.testing.assert_array_equal(ours[4][key][comparable], array[comparable])
        ended = first & over
        if ended.any() and mode is AutoresetMode.SAME_STEP:
            assert type(ours[4]["final_info"]) is dict
            assert ours[4]["final_info"].keys() == theirs[4]["final_info"].keys()
            assert ours[4]["final_obs"].dtype == theirs[4]["final_obs"].dtype == object
            for i in np.flatnonzero(ended):
                assert ours[4]["_final_obs"][i]
                assert ours[4]["_final_info"][i]
                one, other = ours[4]["final_obs"][i], theirs[4]["final_obs"][i]
                assert data_equivalence(one, other, exact=True)
                for key, array in theirs[4]["final_info"].items():
                    assert data_equivalence(ours[4]["final_info"][key][i], array[i], exact=True)
            for i in np.flatnonzero(~(ours[2] | ours[3])):
                assert ours[4]["final_obs"][i] is None
                assert not ours[4]["_final_obs"][i]
                assert not ours[4]["_final_info"][i]
        if mode is AutoresetMode.DISABLED:
            if over.any():
                seeds = [k + 10 * i for i in range(num)]
                ours = envs.reset(seed=seeds, options={"reset_mask": over})
                theirs = sync.reset(seed=seeds, options={"reset_mask": over.copy()})
                np.testing.assert_array_equal(ours[0], theirs[0])
                mine = ours[1]["action_mask"]
                np.testing.assert_array_equal(mine[over], theirs[1]["action_mask"][over])
                masks = mine.copy()
        else:
            first &= ~over
    assert mode is AutoresetMode.DISABLED or not first.all()


def test_a_list_of_seeds_is_one_for_each(game):
    seeds = [5, 0, 5, 2**33]
    envs = SeatVectorEnv(4, game)
    observations, infos = envs.reset(seed=seeds)
    again = SeatVectorEnv(4, game).reset(seed=np.array(seeds))
    assert same((observations, infos), again)
    for i, seed in enumerate(seeds):
        env = SeatEnv(game)
        observation, info = env.reset(seed=seed)
        assert envs.positions[i] == env.position
        np.testing.assert_array_equal(observations[i], observation)
        np.testing.assert_array_equal(infos["action_mask"][i], info["action_mask"])
        assert infos["seat"][i] == info["seat"]


def test_a_seed_stands_for_the_games_that_follow_too(game):
    for seed in (7, [7, 8, 9]):
        envs, twin = SeatVectorEnv(3, game), SeatVectorEnv(3, game)
        for env in (envs, twin):
            env.reset(seed=seed)
        told = [rollout(env, env.reset(), 30) for env in (envs, twin)]
        assert all(map(same, *told))


def test_the_games_of_a_batch_differ(versus):
    envs = SeatVectorEnv(200, versus, seat=0)
    told = rollout(envs, envs.reset(seed=0), 3)
    assert len(np.unique(told[-1][0].reshape(200, -1), axis=0)) > 20
    # Without a seed, ever fresh ones.
    ends = [rollout(e, e.reset(), 3)[-1][0] for e in (SeatVectorEnv(200, versus) for _ in "ab")]
    assert (ends[0] != ends[1]).any()


def test_a_random_seat_is_every_seat_and_a_fixed_one_stays(game):
    envs = SeatVectorEnv(100, game)
    told = rollout(envs, envs.reset(seed=0), 40)
    for step in (told[0], told[-1]):
        assert set(step[-1]["seat"]) == set(range(game.num_players))
    for seat in range(game.num_players):
        envs = SeatVectorEnv(10, game, seat=seat)
        told = rollout(envs, envs.reset(seed=0), 40)
        assert all((step[-1]["seat"] == seat).all() for step in told)


@pytest.mark.parametrize("restarting", [False, True])
def test_one_loop_tells_what_asking_each_random_opponent_tells(game, restarting):
    """A table that records its first game asks opponents one by one."""
    num = 30
    short = boardenvs.make(game.name, max_plies=2 * game.num_players)
    for rules in (game, short):
        words = stream_words(np.uint64(4), num)
        told, tables = [], []
        for record in (False, True):
            table = Table(rules, num, "random", "random", "lose", 2, record=record)
            table.reset(rules.new_from_words(words), words, np.ones(num, np.bool_), retry=True)
            told.append(table.show())
            tables.append(table)
        for k in range(40):
            actions = choose(told[0][1], k)
            actions[:: k + 2] = k % game.num_actions  # illegal ones among them
            if not restarting:
                actions[tables[0].over()] = -1
            told = [table.step(actions, restarting=restarting) for table in tables]
            assert same(*told)
            one, other = tables
            assert np.array_equal(one.states, other.states)
            assert np.array_equal(one.masks, other.masks)
            assert np.array_equal(one.seats, other.seats)
            assert len(told[0].ended) == 0 or restarting
            assert one.over().any() <= (not restarting)


@pytest.mark.parametrize("record", [False, True])
def test_games_that_never_last_until_our_turn_are_refused(record):
    """Here the first of two seats ends every game by its first ply."""
    game = boardenvs.make("game112")
    game.constants["max_plies"] = 1
    words = stream_words(np.uint64(0), 3)
    table = Table(game, 3, "random", 1, "lose", record=record)
    states = game.new_from_words(words)
    states["to_move"] = 1
    table.reset(states, words, np.ones(3, np.bool_), retry=False)
    with pytest.raises(ValueError, match="1000 games in a row ended before the seat's first turn"):
        table.step(np.array([0, 1, 2]), restarting=True)
    with pytest.raises(ValueError, match="call reset"):
        table.step(np.array([0, 1, 2]), restarting=True)


# -- Autoreset ----------------------------------------------------------------------------


def test_same_step_masks_belong_to_live_positions(game):
    envs = SeatVectorEnv(32, game, illegal="raise")
    told = rollout(envs, envs.reset(seed=0), 250)
    ended = 0
    for step in told[1:]:
        assert step[4]["action_mask"].any(1).all()
        over = step[2] | step[3]
        ended += over.sum()
        assert ("final_obs" in step[4]) == over.any()
        assert not step[1][~over].any()
        if over.any():
            np.testing.assert_array_equal(step[4]["_final_obs"], over)
            np.testing.assert_array_equal(step[4]["_final_info"], over)
            final = step[4]["final_info"]
            assert not final["action_mask"][over].any()
            for i in np.flatnonzero(over):
                assert step[4]["final_obs"][i] in envs.single_observation_space
    assert ended > 32


def test_next_step_ignores_the_action_and_gives_nothing(game):
    # An illegal action would raise, were it played.
    envs = SeatVectorEnv(8, game, illegal="raise", autoreset_mode="NextStep")
    observations, infos = envs.reset(seed=0)
    done = np.zeros(8, bool)
    restarts = 0
    for k in itertools.count():
        if k >= 100 and restarts > 8:
            break
        actions = choose(infos["action_mask"], k)
        actions[done] = k % game.num_actions
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        assert "final_obs" not in infos
        assert not rewards[done].any()
        assert not (terminated | truncated)[done].any()
        assert infos["action_mask"][done].any(1).all()
        if game.num_players == 1 and not game.has_chance:
            np.testing.assert_array_equal(
                observations[done], np.repeat(game.observe(game.new(1, 0), 0), done.sum(), 0)
            )
        restarts += done.sum()
        done = terminated | truncated
        assert not infos["action_mask"][done].any()
        assert infos["action_mask"][~done].any(1).all()


def test_disabled_waits_for_a_reset(game):
    envs = SeatVectorEnv(4, game, autoreset_mode=AutoresetMode.DISABLED)
    observations, infos = envs.reset(seed=0)
    over = np.zeros(4, bool)
    for k in itertools.count():
        if over.any():
            break
        step = envs.step(choose(infos["action_mask"], k))
        over, infos = step[2] | step[3], step[4]
    assert "final_obs" not in infos
    assert not infos["action_mask"][over].any()
    actions = choose(infos["action_mask"], 0)
    twin = copy.deepcopy(envs)
    for _ in range(2):
        with pytest.raises(ValueError, match=f"game {over.argmax()} is over.*call reset"):
            envs.step(actions)
    options = {"reset_mask": over}
    observations, infos = envs.reset(options=options)
    assert options == {"reset_mask": over}
    np.testing.assert_array_equal(observations[~over], step[0][~over])
    np.testing.assert_array_equal(infos["action_mask"][~over], step[4]["action_mask"][~over])
    assert infos["action_mask"].any(1).all()
    # The games that went on are the ones that they would have been.
    twin.reset(seed=77, options=options)
    ours = envs.step(choose(infos["action_mask"], 1))
    theirs = twin.step(choose(infos["action_mask"], 1) * ~over)
    np.testing.assert_array_equal(ours[0][~over], theirs[0][~over])


def test_disabled_waits_for_every_one_that_is_over(game):
    envs = SeatVectorEnv(2, game, autoreset_mode=AutoresetMode.DISABLED, seat=0)
    masks = envs.reset(seed=[3, 3])[1]["action_mask"]
    over = np.zeros(2, bool)
    for k in itertools.count():
        if over.any():
            break
        step = envs.step(choose(masks, k))
        over, masks = step[2] | step[3], step[4]["action_mask"]
    assert over.all()  # the same seed, the same game
    infos = envs.reset(options={"reset_mask": np.array([True, False])})[1]
    np.testing.assert_array_equal(infos["action_mask"].any(1), [True, False])
    with pytest.raises(ValueError, match="game 1 is over"):
        envs.step(choose(infos["action_mask"], 0))


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_the_shortest_games(game, mode):
    game = boardenvs.make(game.name, max_plies=game.num_players)
    envs = SeatVectorEnv(16, game, autoreset_mode=mode)
    told = rollout(envs, envs.reset(seed=0), 60)
    ends = np.sum([step[2] | step[3] for step in told[1:]], 0)
    # Each step plays at least one of the plies, or starts anew.
    longest = game.max_plies + (mode is AutoresetMode.NEXT_STEP)
    assert (ends >= 60 // longest).all()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_step_before_the_start_is_refused(game, mode):
    envs = SeatVectorEnv(2, game, autoreset_mode=mode)
    with pytest.raises(ValueError, match="reset"):
        envs.step(np.zeros(2, int))
    assert envs.reset(seed=0)[1]["action_mask"].any(1).all()


# -- Arrays -------------------------------------------------------------------------------


def arrays(returned):
    """Every array in what a call returned."""
    if isinstance(returned, np.ndarray):
        return [returned]
    if isinstance(returned, dict):
        returned = tuple(returned.values())
    return [a for part in returned for a in arrays(part)] if isinstance(returned, tuple) else []


@pytest.mark.parametrize("mode", AutoresetMode)
def test_arrays_are_fresh(game, mode):
    envs, twin = (SeatVectorEnv(6, game, autoreset_mode=mode) for _ in "ab")
    returned, kept = [envs.reset(seed=0)], [twin.reset(seed=0)]
    copies = [copy.deepcopy(returned[0])]
    for k in range(30):
        actions = choose(copies[-1][-1]["action_mask"], k)
        for array in arrays(kept[-1]):  # scribbling over what was returned changes nothing
            array[...] = None if array.dtype == object else 1
        twin.action_masks()[...] = True
        over = np.zeros(6, bool) if k == 0 else copies[-1][2] | copies[-1][3]
        if mode is AutoresetMode.DISABLED and over.any():
            break
        returned.append(envs.step(actions))
        copies.append(copy.deepcopy(returned[-1]))
        kept.append(twin.step(actions))
        assert same(kept[-1], returned[-1])
    envs.reset()
    assert len(returned) > 2
    assert all(map(same, returned, copies))  # nor do later steps change earlier arrays


# -- Opponents ----------------------------------------------------------------------------


def test_opponents_are_asked_in_batches_of_their_own_states(versus):
    opponents = [Last(versus) for _ in range(versus.num_players - 1)]
    envs = SeatVectorEnv(20, versus, opponents, seat=0)
    told = rollout(envs, envs.reset(seed=0), 20)
    for seat, opponent in enumerate(opponents, 1):
        assert max(map(len, opponent.shown)) > 10
        assert len(opponent.shown) < 20 * versus.max_plies // 4
        shown = np.concatenate(opponent.shown)
        assert (shown["to_move"] == seat).all()
        assert versus.legal(shown).any(1).all()
        assert len(np.unique(shown["rng"])) == len(shown)
        assert all(states.dtype == versus.state_dtype for states in opponent.shown)
    assert len(told) == 21


def test_opponents_see_no_true_stream(versus):
    opponent = Last(versus)
    envs = SeatVectorEnv(20, versus, opponent)
    _, infos = envs.reset(seed=0)
    streams = {*envs.positions["rng"].tolist()}
    for k in range(20):
        infos = envs.step(choose(infos["action_mask"], k))[4]
        streams |= {*envs.positions["rng"].tolist()}
    assert not streams & {*np.concatenate(opponent.shown)["rng"].tolist()}


@pytest.mark.parametrize("name", ["gekitai", "gomoku", "game112"])
def test_random_opponents_open_with_any_action_alike(name):
    """Neither the seat that was drawn nor an action's number favours an opening."""
    versus = boardenvs.make(name)
    num = 200 * versus.num_actions
    envs = SeatVectorEnv(num, versus)
    seats = envs.reset(seed=0)[1]["seat"]
    opened = envs.positions["last_action"][(seats > 0) & (envs.positions["ply"] == 1)]
    legal = versus.legal(versus.new(1, 0))[0]
    counts = np.bincount(opened, minlength=versus.num_actions)
    assert counts.sum() > num / 4
    expected = counts.sum() / legal.sum()
    assert (counts[~legal] == 0).all()
    assert (abs(counts[legal] - expected) < 5 * np.sqrt(expected)).all()
    halves = np.bincount(seats) / num
    np.testing.assert_allclose(halves, 1 / versus.num_players, atol=5 / np.sqrt(num))


def test_what_an_opponent_does_to_its_states_is_its_own_business(versus):
    class Vandal(Last):
        def act(self, states):
            actions = super().act(states)
            states.view(np.uint8)[:] = 0
            return actions

    envs, twin = SeatVectorEnv(5, versus, Vandal(versus)), SeatVectorEnv(5, versus, Last(versus))
    told = [rollout(e, e.reset(seed=0), 30) for e in (envs, twin)]
    assert all(map(same, *told))


def test_an_opponents_illegal_action_loses_for_it(versus):
    class Illegal(Last):
        def act(self, states):
            return self.game.legal(states).argmin(1)

    options = {"state": position(versus, 2 * versus.num_players, seat=0)}
    envs = SeatVectorEnv(6, versus, Illegal(versus), seat=0, autoreset_mode="Disabled")
    _, infos = envs.reset(options=options)
    over = np.zeros(6, bool)
    for k in itertools.count():
        if over.any():
            break
        _, rewards, terminated, truncated, infos = envs.step(choose(infos["action_mask"], k))
        over = terminated | truncated
    np.testing.assert_allclose(rewards[over], 1 / (versus.num_players - 1))
    assert terminated[over].all()
    envs = SeatVectorEnv(6, versus, Illegal(versus), seat=0, illegal="raise")
    start = envs.reset(options=options)
    with pytest.raises(ValueError, match="illegal"):
        rollout(envs, start, 50)
    # Nothing is played in half-finished turns.
    with pytest.raises(ValueError, match="reset"):
        envs.step(envs.action_masks().argmax(1))
    assert envs.reset(options=options)[1]["action_mask"].any(1).all()


@pytest.mark.parametrize("wrong", [None, 3, object()])
def test_what_is_no_opponent_is_refused(versus, wrong):
    with pytest.raises(ValueError, match="opponent must be an agent's spec such as 'random', an"):
        SeatVectorEnv(2, versus, wrong)
    with pytest.raises(ValueError, match=f"needs {versus.num_players - 1} opponents"):
        SeatVectorEnv(2, versus, ["random"] * versus.num_players)


# -- Actions that are no good -------------------------------------------------------------


def with_illegal(envs, infos):
    """Step to where some game has an illegal action: masks, its place, that action."""
    masks = infos["action_mask"]
    for k in itertools.count():
        if not masks.all():
            break
        masks = envs.step(choose(masks, k))[4]["action_mask"]
    place = int((~masks).any(1).argmax())
    return masks, place, int(masks[place].argmin())


def test_an_illegal_action_loses_its_game_alone(game):
    envs = SeatVectorEnv(5, game)
    masks, place, action = with_illegal(envs, envs.reset(seed=0)[1])
    twin = copy.deepcopy(envs)
    actions = choose(masks, 2)
    expected = twin.step(actions)
    actions[place] = action
    step = envs.step(actions)
    assert (step[1][place], step[2][place], step[3][place]) == (-1, True, False)
    assert not step[4]["final_info"]["action_mask"][place].any()
    assert step[4]["action_mask"][place].any()
    rest = np.arange(5) != place
    for one, other in zip(step[:4], expected[:4], strict=True):
        np.testing.assert_array_equal(one[rest], other[rest])


def test_an_illegal_action_raises_if_so_wished(game):
    envs = SeatVectorEnv(5, game, illegal="raise")
    masks, place, action = with_illegal(envs, envs.reset(seed=0)[1])
    twin = copy.deepcopy(envs)
    actions = choose(masks, 2)
    good = actions.copy()
    actions[place] = action
    with pytest.raises(ValueError, match=f"action {action} is illegal in game {place}"):
        envs.step(actions)
    assert same(envs.step(good), twin.step(good))


def test_what_is_no_action_changes_nothing(game):
    envs = SeatVectorEnv(3, game)
    _, infos = envs.reset(seed=0)
    twin = copy.deepcopy(envs)
    legal = choose(infos["action_mask"], 0)
    for actions in (
        [*legal[:2], game.num_actions],
        [-1, *legal[1:]],
        legal[:2],
        legal[:, None],
        int(legal[0]),
        legal.astype(float),
        ["0", "0", "0"],
        None,
    ):
        with pytest.raises(ValueError, match="action"):
            envs.step(actions)
    assert same(envs.step(legal), twin.step(legal))


# -- Starting from positions --------------------------------------------------------------


def test_reset_from_positions(game):
    one = position(game, 2)
    several = np.concatenate([position(game, plies) for plies in (0, 2, 3)])
    for state, expected in (
        (one[0], np.repeat(one, 3)),
        (one, np.repeat(one, 3)),
        (game.to_dict(one[0]), np.repeat(one, 3)),
        (several, several),
    ):
        before = copy.deepcopy(state)
        envs = SeatVectorEnv(3, game, Last(game))
        observations, infos = envs.reset(seed=0, options={"state": state})
        for i in range(3):
            single = SeatEnv(game, Last(game), int(infos["seat"][i]))
            observation, info = single.reset(options={"state": expected[i]})
            np.testing.assert_array_equal(observations[i], observation)
            np.testing.assert_array_equal(infos["action_mask"][i], info["action_mask"])
        rollout(envs, (observations, infos), 5)
        assert np.array_equal(state, before) if isinstance(state, np.ndarray) else state == before


def test_reset_of_some_from_a_position(game):
    envs = SeatVectorEnv(3, game, seat=0)
    observations, _ = envs.reset(seed=0)
    marked = np.array([False, True, False])
    states = position(game, 2 * game.num_players, seat=0)
    again, _ = envs.reset(options={"state": states, "reset_mask": marked})
    np.testing.assert_array_equal(again[~marked], observations[~marked])
    np.testing.assert_array_equal(again[1], game.observe(states, 0)[0])


def test_positions_that_end_before_our_turn_are_refused(versus):
    game = boardenvs.make(versus.name, max_plies=versus.num_players)
    states = position(game, game.num_players - 1)
    last = int(states["to_move"][0])
    seat = (last + 1) % game.num_players
    for mode in AutoresetMode:
        envs = SeatVectorEnv(2, game, seat=seat, autoreset_mode=mode)
        envs.reset(seed=0)
        for state in (states, np.concatenate([game.new(1, 0), states])):
            with pytest.raises(ValueError, match="ends before"):
                envs.reset(options={"state": state})
        # No step goes into the finished games.
        with pytest.raises(ValueError, match="reset"):
            envs.step(np.zeros(2, int))
        assert envs.reset(seed=0)[1]["action_mask"].any(1).all()
    assert SeatVectorEnv(2, game, seat=last).reset(options={"state": states})[0].shape[0] == 2


def test_bad_options_and_seeds_change_nothing(game):
    envs = SeatVectorEnv(3, game)
    _, infos = envs.reset(seed=0)
    twin = copy.deepcopy(envs)
    over = boardenvs.make(game.name, max_plies=game.num_players)
    finished = over.new(1, 0)
    while over.legal(finished).any():
        over.play(finished, choose(over.legal(finished), 0))
    for options, message in (
        ({"state": over.to_dict(finished[0])}, "params"),
        ({"state": game.new(2, 0)}, "expected one"),
        ({"state": "start"}, "records"),
        ({"state": {}}, "needs the field"),
        ({"reset_mask": [True, True, True]}, "reset_mask must be a bool array"),
        ({"reset_mask": np.ones(2, bool)}, "reset_mask must be a bool array"),
        ({"reset_mask": np.ones(3, int)}, "reset_mask must be a bool array"),
        ({"reset_mask": np.zeros(3, bool)}, "with a True"),
    ):
        with pytest.raises(ValueError, match=message):
            envs.reset(seed=9, options=options)
    for seed in ([1, 2], [1, 2, 3, 4], [1, 2, -3], [1, 2, 0.5]):
        with pytest.raises(ValueError, match="seed"):
            envs.reset(seed=seed)
    actions = choose(infos["action_mask"], 0)
    assert same(envs.step(actions), twin.step(actions))
    assert same(envs.reset(), twin.reset())
    np.testing.assert_array_equal(envs.positions, twin._table.states)


# -- Copies -------------------------------------------------------------------------------


def pickled(envs):
    return pickle.loads(pickle.dumps(envs))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickled])
@pytest.mark.parametrize("opponent", ["random", "list"])
def test_a_copy_in_mid_game_plays_on(game, duplicate, opponent):
    envs = SeatVectorEnv(6, game, OPPONENTS[opponent](game), render_mode="ansi")
    start = rollout(envs, envs.reset(seed=0), 4)[-1]
    texts = envs.render()
    twin = duplicate(envs)
    assert twin.render() == texts
    np.testing.assert_array_equal(twin.action_masks(), start[-1]["action_mask"])
    told = rollout(twin, start, 60)
    assert envs.render() == texts
    assert all(map(same, rollout(envs, start, 60), told))
    assert same(envs.reset(), twin.reset())


# -- Rendering, wrappers, arguments -------------------------------------------------------


def test_rendering(game, capsys):
    envs = SeatVectorEnv(3, game, render_mode="ansi")
    single = SeatEnv(game, render_mode="ansi")
    seeds = [4, 5, 6]
    envs.reset(seed=seeds)
    texts = []
    for seed in seeds:
        single.reset(seed=seed)
        texts.append(single.render())
    assert envs.render() == tuple(texts)
    envs = SeatVectorEnv(3, game, render_mode="human")
    envs.reset(seed=seeds)
    capsys.readouterr()
    assert envs.render() is None
    printed = capsys.readouterr().out
    assert all(text in printed for text in texts)
    with pytest.raises(ValueError, match="render_mode must be one of"):
        SeatVectorEnv(3, game, render_mode="rgb")
    envs = SeatVectorEnv(3, game)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match="render_mode"):
        envs.render()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_gymnasiums_record_of_episodes(game, mode):
    envs = RecordEpisodeStatistics(SeatVectorEnv(6, game, autoreset_mode=mode))
    masks = envs.reset(seed=0)[1]["action_mask"]
    # The first game of each: of later ones Gymnasium 1.2 counts a step too few in `SAME_STEP`.
    first = np.ones(6, bool)
    for k in itertools.count():
        if not first.any():
            break
        _, rewards, terminated, truncated, infos = envs.step(choose(masks, k))
        masks = infos["action_mask"]
        over = terminated | truncated
        for i in np.flatnonzero(first & over):
            assert infos["_episode"][i]
            assert infos["episode"]["r"][i] == rewards[i]
            assert infos["episode"]["l"][i] == k + 1
        first &= ~over
        if mode is AutoresetMode.DISABLED and over.any():
            masks = envs.reset(options={"reset_mask": over})[1]["action_mask"]


def test_gymnasiums_list_of_infos(game):
    envs = DictInfoToList(SeatVectorEnv(2, game))
    _, infos = envs.reset(seed=0)
    assert len(infos) == 2
    for info in infos:
        assert info["action_mask"].shape == (game.num_actions,)
        assert info["seat"] in range(game.num_players)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs must be a whole number of at least 1"),
        ({"num_envs": 1.5}, "num_envs must be a whole number of at least 1"),
        ({"num_envs": True}, "num_envs must be a whole number of at least 1"),
        ({"threads": 0}, "threads must be a whole number of at least 1"),
        ({"autoreset_mode": "sometimes"}, "sometimes"),
        ({"illegal": "ignore"}, "illegal must be 'lose' or 'raise'"),
        ({"seat": 9}, "seat must be 'random' or from 0 to"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"max_plies": 9}, "has its parameters already; max_plies"),
    ],
)
def test_bad_arguments(game, arguments, message):
    with pytest.raises(ValueError, match=message):
        SeatVectorEnv(**{"num_envs": 2, "game": game, **arguments})
