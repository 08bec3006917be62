"""Games of the PettingZoo environment that start from a position."""

import copy

import numpy as np
import pytest
from aec_play import finished, play, play_out, snapshot
from random_play import pick, position

FORMS = {
    "record": lambda game, states: states[0],
    "array of one": lambda game, states: states,
    "array of none": lambda game, states: states.reshape(()),
    "dictionary": lambda game, states: game.to_dict(states[0]),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("plies", [0, 1, 4])
def test_reset_starts_from_a_position(make_env, game, form, plies):
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
    assert given == before  # the caller's position is unchanged


def test_a_game_can_be_restarted_from_its_position(make_env, game):
    env = make_env()
    env.reset(seed=1)
    play(env, 3, np.random.default_rng(0))
    record, shown = env.position, snapshot(env)
    returned = play_out(env)
    env.reset(options={"state": record})
    assert env.position == record
    assert snapshot(env) == shown
    record["rng"] += np.uint64(1)  # the environment has a copy
    assert env.position != record
    assert play_out(env) == returned


def test_the_episode_records_the_game(make_env, game):
    env = make_env()
    for seed in range(3):
        env.reset(seed=seed)
        assert len(env.episode) == 0
        returned = play_out(env)
        episode = env.episode
        assert len(episode) == len(returned) - game.num_players
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
    """Return invalid starting positions."""
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


def test_a_bad_position_is_refused_and_the_game_continues(make_env, game):
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
