"""Illegal actions and calls in the wrong order in the PettingZoo environment."""

import copy
import functools
import logging

import numpy as np
import pytest
from aec_play import play, play_out, reach_illegal, snapshot
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers


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
    rewards = {agent: (env.last()[1], env.step(None))[0] for agent in env.agent_iter()}
    assert rewards[offender] == -1
    assert set(rewards) == set(env.possible_agents)


def test_an_illegal_action_raises_if_requested(make_env):
    env = make_env(illegal="raise")
    env.reset(seed=0)
    action = reach_illegal(env)
    shown, twin = snapshot(env), copy.deepcopy(env)
    with pytest.raises(ValueError, match=f"action {action}.*{env.agent_selection}"):
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
        with pytest.raises(ValueError, match="action"):
            env.step(action)
        with pytest.raises(AssertionError):  # raised by PettingZoo's AssertOutOfBoundsWrapper
            env.step(action)
        assert snapshot(env) == shown
    assert play_out(env) == play_out(twin)


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint16, np.array])
def test_actions_can_have_any_integer_type(make_env, kind):
    env = make_env()
    env.reset(seed=0)
    twin = copy.deepcopy(env)
    action = int(env.observe(env.agent_selection)["action_mask"].argmax())
    env.step(kind(action))
    twin.step(action)
    assert snapshot(env) == snapshot(twin)


@pytest.mark.parametrize("illegal", ["loose", None, True])
def test_other_values_of_illegal_are_refused(make_env, illegal):
    with pytest.raises(ValueError, match="illegal"):
        make_env(illegal=illegal)


def refusals(env):
    """Return type and text of each error that an environment raises before the first reset."""
    calls = {
        "step": lambda: env.step(0),
        "observe": lambda: env.observe("player_0"),
        "last": env.last,
        "render": env.render,
        "state": env.state,
        "agent_iter": env.agent_iter,
    }
    names = ["agents", "agent_selection", "rewards", "terminations", "truncations", "infos"]
    for name in names:
        calls[name] = functools.partial(getattr, env, name)
    found = {}
    for name, call in calls.items():
        with pytest.raises((AssertionError, AttributeError)) as caught:
            call()
        found[name] = type(caught.value), str(caught.value)
    assert not any(hasattr(env, name) for name in [*names, "num_agents"])
    return found


@pytest.mark.parametrize("duplicate", [lambda env: env, copy.deepcopy])
def test_calls_in_a_wrong_order_raise_as_in_pettingzoo(make_env, duplicate):
    env = duplicate(make_env(render_mode="ansi"))
    assert refusals(env) == refusals(wrappers.OrderEnforcingWrapper(AECEnv()))
    with pytest.raises(ValueError, match="records"):
        env.reset(options={"state": 3})
    assert refusals(env) == refusals(wrappers.OrderEnforcingWrapper(AECEnv()))
    env.reset(seed=0)
    with pytest.raises(AssertionError, match=r"need to call step\(\) or reset\(\)"):
        for _ in env.agent_iter():
            pass


def test_wrappers_of_pettingzoo_change_nothing(make_env):
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


def test_a_step_after_the_end_of_all_agents_warns(make_env, caplog):
    env = make_env()
    env.reset(seed=0)
    play_out(env)
    with caplog.at_level(logging.WARNING):
        env.step(None)
    assert "after all agents are terminated or truncated" in caplog.text
