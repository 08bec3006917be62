"""The grammar of specs."""

import hashlib
import importlib
import inspect
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agents
import boardenvs
from agents.naming.spec import Spec
from agents.naming.tables import AGENTS, NAMES, SPECS, known_agents

GAME = boardenvs.make("gekitai")
PATHS = [
    "agent.onnx",
    "/nets/gekitai/agent.onnx",
    "C:\\nets\\my agent.onnx",
    "D:/a:b/c d.onnx",
    " spaces at both ends ",
    "quotes \" and ' and \\ and %s",
    ":",
    "400:agent.onnx",
]


def test_every_agent_of_the_table_accepts_its_arguments():
    for agent in known_agents().values():
        cls = getattr(importlib.import_module(agent.module), agent.cls)
        parameters = inspect.signature(cls).parameters
        assert {"seed", "spec", *(word.lower() for word in agent.arguments)} <= set(parameters)


def test_specs_are_listed_from_the_table():
    assert [spec.partition(":")[0] for spec in AGENTS] == list(NAMES[: len(AGENTS)])
    assert {"engine", "neighbour", "perfect", "threats"} == set(NAMES[len(AGENTS) :])
    told = {spec.replace("!", "") for spec in AGENTS}
    assert {*told, "mcts", "puct", "puct:SIMULATIONS", "trained"} < set(SPECS)
    assert len(set(SPECS)) == len(SPECS)
    assert "engine:COMMAND" in SPECS
    assert {"engine", "text", "text:MODULE"}.isdisjoint(SPECS)  # they need an argument


@pytest.mark.parametrize("spec", SPECS)
def test_every_listed_spec_can_be_parsed(spec, gekitai):
    known = Spec.of(spec, gekitai)
    assert ":".join([known.name, *known.arguments]) == known.text == str(known) == spec
    assert (known.entry is not None) == (spec != "MODULE:FACTORY")
    assert tuple(known.by_kind) == known.arguments  # arguments are shown by their kinds


@pytest.mark.parametrize("path", PATHS)
def test_the_last_argument_can_contain_colons(path, gekitai):
    assert Spec.of(f"trained:{path}", gekitai).by_kind == {"PATH": path}
    assert Spec.of(f"puct:400:{path}", gekitai).by_kind == {"SIMULATIONS": "400", "PATH": path}


def test_a_users_agent_is_parsed(gekitai):
    known = Spec.of("my.module:factory", gekitai)
    assert (known.name, known.arguments, known.entry) == ("my.module", ("factory",), None)


@pytest.mark.parametrize(
    "spec",
    [
        *("", ":", "nobody", "Greedy", " greedy", "random:", "random:1", "exact:9", "x:", ":x"),
        *("mcts:", "puct:", "puct:400:", "puct::agent.onnx", "trained:"),
    ],
)
def test_invalid_specs_are_refused(spec, gekitai, refused):
    with refused(r"agent '.*'.* random, greedy, "):
        Spec.of(spec, gekitai)


@given(st.text(string.printable) | st.lists(st.sampled_from([*NAMES, ""])).map(":".join))
def test_any_text_is_a_spec_or_refused_in_one_line(attempt, text):
    known = attempt(lambda one: Spec.of(one, GAME), text)
    assert known is None or ":".join([known.name, *known.arguments]) == text


@pytest.mark.parametrize("folder", ["plain", "with space", "a:b"])
def test_networks_are_found_by_their_paths(folder, gekitai, network_file, tmp_path, refused):
    (tmp_path / folder).mkdir()
    network = network_file(gekitai)
    for file in (network, network.with_suffix(".json")):
        file.rename(tmp_path / folder / file.name)
    network = tmp_path / folder / network.name
    made = agents.make(f"puct:30:{network}", gekitai)
    assert (made.simulations, made.path) == (30, network)
    assert made.spec == f"puct:30:{network}"
    digest = hashlib.sha256(network.read_bytes()).hexdigest()
    assert f"network {digest}" in Spec.of(made.spec, gekitai).version(made)
    assert agents.make(f"trained:{network}", gekitai).path == network
    with refused("agent 'puct:30:.*path"):
        agents.make(f"puct:30:{network}", gekitai, path=network)


def test_a_path_in_place_of_simulations_is_refused(gekitai, refused):
    with refused("SIMULATIONS .*'agent.onnx'"):
        agents.make("puct:agent.onnx", gekitai)
    with refused("nowhere.onnx"):
        agents.make("puct:8:nowhere.onnx", gekitai)


@pytest.mark.parametrize(
    ("spec", "seconds"), [("mcts:500ms", 0.5), ("puct:2s", 2.0), ("puct:1.5s", 1.5)]
)
def test_a_time_can_replace_the_simulations(spec, seconds, gekitai):
    agent = agents.make(spec, gekitai, 0)
    assert agent.time_limit == seconds
    assert not agent.repeatable
    assert not agent.deterministic
    assert agent.spec == spec
    known = Spec.of(spec, gekitai)
    assert known.uses_clock
    assert not Spec.of(known.name, gekitai).uses_clock
    assert agents.make("puct:7", gekitai, 0).repeatable


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mcts:0s", "time .*'0s'"),
        ("puct:0.0ms", "time .*'0.0ms'"),
        ("mcts:86401s", "time .*'86401s'"),
        ("mcts:1m", "SIMULATIONS .*'1m'"),
        ("puct:-1s", "SIMULATIONS .*'-1s'"),
        ("puct:1 s", "SIMULATIONS .*'1 s'"),
    ],
)
def test_a_bad_time_is_refused(spec, message, gekitai, refused):
    with refused(message):
        agents.make(spec, gekitai)


@pytest.mark.parametrize("option", ["time_limit", "simulations"])
def test_a_time_and_another_limit_are_refused(option, gekitai, refused):
    with refused(f"agent 'mcts:2s' .*{option}"):
        agents.make("mcts:2s", gekitai, **{option: 3})


def test_a_time_is_added_only_to_searches(gekitai, refused):
    def timed(text, time):
        return Spec.of(text, gekitai).with_time(time).text

    assert timed("mcts", "500ms") == "mcts:500ms"
    assert timed("puct", "2s") == "puct:2s"
    for text in ("greedy", "trained:some.onnx", "my_module:factory"):
        assert timed(text, "2s") == text
    with refused("time '2s' .*'mcts:40'"):
        timed("mcts:40", "2s")
    with refused("time .*'soon'"):
        timed("mcts", "soon")
