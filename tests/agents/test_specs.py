"""The grammar of specs."""

import hashlib
import importlib
import inspect
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agents
from agents.arena.versions import agent_version
from agents.making import with_time
from agents.specs import AGENTS, NAMES, SPECS, by_the_clock, known_agents, parse

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
def test_every_listed_spec_can_be_parsed(spec):
    known = parse(spec)
    assert ":".join([known.name, *known.arguments]) == known.text == spec
    assert (known.declared is not None) == (spec != "MODULE:FACTORY")
    assert tuple(known.by_kind) == known.arguments  # arguments are shown by their kinds


@pytest.mark.parametrize("path", PATHS)
def test_the_last_argument_can_contain_colons(path):
    assert parse(f"trained:{path}").by_kind == {"PATH": path}
    assert parse(f"puct:400:{path}").by_kind == {"SIMULATIONS": "400", "PATH": path}


def test_a_users_agent_is_parsed():
    known = parse("my.module:factory")
    assert (known.name, known.arguments, known.declared) == ("my.module", ("factory",), None)


@pytest.mark.parametrize(
    "spec",
    [
        *("", ":", "nobody", "Greedy", " greedy", "random:", "random:1", "exact:9", "x:", ":x"),
        *("mcts:", "puct:", "puct:400:", "puct::agent.onnx", "trained:"),
    ],
)
def test_invalid_specs_are_refused(spec, refused):
    with refused(r"agent '.*'.* random, greedy, "):
        parse(spec)


@given(st.text(string.printable) | st.lists(st.sampled_from([*NAMES, ""])).map(":".join))
def test_any_text_is_a_spec_or_refused_in_one_line(attempt, text):
    known = attempt(parse, text)
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
    assert f"network {digest}" in agent_version(made.spec, made)
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
    assert by_the_clock(spec, gekitai)
    assert not by_the_clock(spec.partition(":")[0], gekitai)
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
    assert with_time("mcts", "500ms", gekitai) == "mcts:500ms"
    assert with_time("puct", "2s", gekitai) == "puct:2s"
    for spec in ("greedy", "trained:some.onnx", "my_module:factory"):
        assert with_time(spec, "2s", gekitai) == spec
    with refused("time '2s' .*'mcts:40'"):
        with_time("mcts:40", "2s", gekitai)
    with refused("time .*'soon'"):
        with_time("mcts", "soon", gekitai)
