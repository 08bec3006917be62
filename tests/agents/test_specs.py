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
from agents.specs import AGENTS, NAMES, SPECS, known_agents, parse

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


def test_every_agent_of_the_table_is_there():
    for agent in known_agents().values():
        cls = getattr(importlib.import_module(agent.module), agent.cls)
        parameters = inspect.signature(cls).parameters
        assert {"seed", "spec", *(word.lower() for word in agent.arguments)} <= set(parameters)


def test_specs_are_made_of_the_table():
    assert [spec.partition(":")[0] for spec in AGENTS] == list(NAMES[: len(AGENTS)])
    assert {"neighbour", "perfect"} == set(NAMES[len(AGENTS) :])
    assert {*AGENTS, "mcts", "puct", "puct:SIMULATIONS", "trained"} < set(SPECS)
    assert len(set(SPECS)) == len(SPECS)


@pytest.mark.parametrize("spec", SPECS)
def test_every_spec_that_is_shown_is_one(spec):
    known = parse(spec)
    assert ":".join([known.name, *known.arguments]) == known.text == spec
    assert (known.declared is not None) == (spec != "module:factory")
    assert tuple(known.by_kind) == known.arguments  # they are shown by their kinds


@pytest.mark.parametrize("path", PATHS)
def test_the_last_argument_is_taken_as_it_stands(path):
    assert parse(f"trained:{path}").by_kind == {"PATH": path}
    assert parse(f"puct:400:{path}").by_kind == {"SIMULATIONS": "400", "PATH": path}


def test_an_agent_of_the_users_own():
    known = parse("my.module:factory")
    assert (known.name, known.arguments, known.declared) == ("my.module", ("factory",), None)


@pytest.mark.parametrize(
    "spec",
    [
        *("", ":", "nobody", "Greedy", " greedy", "random:", "random:1", "exact:9", "x:", ":x"),
        *("mcts:", "puct:", "puct:400:", "puct::agent.onnx", "trained:"),
    ],
)
def test_what_is_no_spec(spec, refused):
    with refused(r"there is no agent '.*'; expected one of random, greedy, "):
        parse(spec)


@given(st.text(string.printable) | st.lists(st.sampled_from([*NAMES, ""])).map(":".join))
def test_any_text_is_a_spec_or_refused_in_one_line(attempt, text):
    known = attempt(parse, text)
    assert known is None or ":".join([known.name, *known.arguments]) == text


@pytest.mark.parametrize("folder", ["plain", "with space", "a:b"])
def test_networks_by_their_paths(folder, gekitai, network_file, tmp_path, refused):
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
    with refused("agent 'puct:30:.*' says which path; leave the option out"):
        agents.make(f"puct:30:{network}", gekitai, path=network)


def test_a_network_where_simulations_should_stand(gekitai, refused):
    with refused("agent 'puct:agent.onnx': expected puct:SIMULATIONS, a whole number"):
        agents.make("puct:agent.onnx", gekitai)
    with refused("nowhere.onnx is no trained agent"):
        agents.make("puct:8:nowhere.onnx", gekitai)
