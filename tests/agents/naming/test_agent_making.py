"""`agents.make`: all specs, and one-line errors for invalid specs."""

import sys

import numpy as np
import pytest

import agents
import boardenvs
from agents.agent import Agent

OWN = """
import numpy as np

class First:
    def __init__(self, game, seed, bonus=0):
        self.game, self.seed, self.bonus = game, seed, bonus

    def act(self, states):
        return self.game.legal(states).argmax(1) + self.bonus

number = 7

def nothing(game, seed):
    return None

def fails(game, seed):
    raise RuntimeError("no luck")

def fails_with_line_break(game, seed):
    raise RuntimeError("no luck\\nat all")

def leaves(game, seed):
    raise SystemExit("gone")
"""


@pytest.mark.parametrize("spec", ["random", "greedy"])
def test_baselines_are_made_by_name(spec, game):
    for made in (agents.make(spec, game, seed=4), agents.make(spec, game.name, 4)):
        assert isinstance(made, Agent)
        assert type(made).__name__.lower().endswith(f"{spec}agent")
        assert made.spec == spec
        assert made.game == game
        assert not made.deterministic
        assert spec in repr(made)
        assert repr(game) in repr(made)


def test_a_game_given_by_name_has_its_default_parameters():
    assert agents.make("random", "gekitai").game == boardenvs.make("gekitai")


def test_trained_agents_are_made_by_path(tiny, gekitai):
    made = agents.make(tiny.spec, gekitai, seed=0)
    assert made.spec == tiny.spec
    assert made.deterministic
    warm = agents.make(tiny.spec, "gekitai", temperature=0.5)
    assert not warm.deterministic
    assert warm.temperature == 0.5


def test_a_users_factory_is_called(own_module, gekitai):
    own_module("my_agents", OWN)
    made = agents.make("my_agents:First", gekitai, seed=11)
    assert (made.game, made.seed, made.bonus) == (gekitai, 11, 0)
    assert made.spec == "my_agents:First"
    np.testing.assert_array_equal(made.act(gekitai.new(3)), [0, 0, 0])
    assert agents.make("my_agents:First", "gekitai", bonus=2).act(gekitai.new(1)) == 2
    assert agents.make("my_agents:First", gekitai).seed is None


def test_a_factory_of_an_installed_module_is_called(gekitai):
    made = agents.make("agents.players.greedy:GreedyAgent", gekitai, seed=0)
    assert made.act(gekitai.new(5)).shape == (5,)


def test_the_current_folder_is_added_once_to_the_path(own_module, gekitai, tmp_path):
    own_module("my_agents", OWN)
    for _ in range(3):
        agents.make("my_agents:First", gekitai)
    assert sys.path.count(str(tmp_path)) == 1


@pytest.mark.parametrize(
    "spec", ["", "Random", " random", "nobody", "random:5", "greedy:", "trained:", ":", "x:", ":x"]
)
def test_an_unknown_agent_is_refused(spec, gekitai, refused):
    with refused(r"agent '.*'.* random, greedy, "):
        agents.make(spec, gekitai)


@pytest.mark.parametrize("spec", [None, 5, b"random", ["random"]])
def test_a_spec_that_is_not_text_is_refused(spec, gekitai, refused):
    with refused("spec .* random, "):
        agents.make(spec, gekitai)


@pytest.mark.parametrize(
    ("spec", "option", "known"),
    [
        ("random", "temperature", ""),
        ("greedy", "depth", ""),
        ("trained", "tempreature", "'temperature'"),
    ],
)
def test_an_unknown_option_is_refused(spec, option, known, gekitai, refused):
    with refused(f"agent '{spec}' .*'{option}'.*{known}"):
        agents.make(spec, gekitai, **{option: 1})


@pytest.mark.parametrize("spec", ["random", "greedy", "tiny"])
@pytest.mark.parametrize("seed", [-1, 1.5, "0", True])
def test_a_bad_seed_is_refused(spec, seed, gekitai, tiny, refused):
    with refused("seed must be "):
        agents.make(tiny.spec if spec == "tiny" else spec, gekitai, seed)


@pytest.mark.parametrize("temperature", [-1, -0.001, float("nan"), float("inf"), "hot", None])
def test_a_bad_temperature_is_refused(temperature, gekitai, tiny, refused):
    with refused("temperature must be "):
        agents.make(tiny.spec, gekitai, temperature=temperature)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("no_such_module:First", "ModuleNotFoundError: .*no_such_module"),
        ("my_agents:second", "AttributeError: .*second"),
        ("my_agents:number", "TypeError: .*not callable"),
        ("my_agents:fails", "RuntimeError: no luck$"),
        ("my_agents:fails_with_line_break", "RuntimeError: no luck at all$"),
        ("my_agents:leaves", "SystemExit: gone"),
        ("broken:First", "SyntaxError"),
        (".my_agents:First", "TypeError"),
    ],
)
def test_a_factory_that_is_not_callable_is_refused(spec, reason, own_module, gekitai, refused):
    own_module("my_agents", OWN)
    own_module("broken", "def First(:\n")
    with refused(f"agent '{spec}' .*{reason}"):
        agents.make(spec, gekitai)


def test_a_factory_that_returns_no_agent_is_refused(own_module, gekitai, refused):
    own_module("my_agents", OWN)
    with refused("agent 'my_agents:nothing' .*None"):
        agents.make("my_agents:nothing", gekitai)


def test_an_option_without_a_parameter_of_the_factory_is_refused(own_module, gekitai, refused):
    own_module("my_agents", OWN)
    with refused("agent 'my_agents:First' .*TypeError: .*depth"):
        agents.make("my_agents:First", gekitai, depth=3)


def test_an_unknown_game_is_refused(refused):
    with refused("game .*gekitai, .*'chess'"):
        agents.make("random", "chess")
