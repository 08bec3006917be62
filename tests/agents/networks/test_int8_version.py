"""Only searches use the int8 version of a network, if its card names one."""

import hashlib
import json
import pickle

import numpy as np
import pytest

import agents
from agents.naming.spec import Spec
from agents.networks.onnx_policy import OnnxPolicy


@pytest.fixture
def versions(gekitai, network_file):
    """Return the function that writes a card with these changes and returns the network.

    The network prefers action 3, and its int8 version prefers action 5.
    """
    cheap = network_file(gekitai, 9.0 * (np.arange(36) == 5)).read_bytes()
    path = network_file(gekitai, 9.0 * (np.arange(36) == 3))
    path.with_name("handmade.int8.onnx").write_bytes(cheap)
    card = path.with_suffix(".json")
    plain = json.loads(card.read_text(encoding="utf-8"))
    right = {"file": "handmade.int8.onnx", "sha256": hashlib.sha256(cheap).hexdigest()}

    def write(**changes):
        entry = {**right, **changes}
        entry = {key: value for key, value in entry.items() if value is not ...}
        card.write_text(json.dumps({**plain, "int8": entry}), encoding="utf-8")
        return path

    return write


def preferred(network, game):
    logits, _ = network.evaluate(game.new(1, 0))
    return int(logits.argmax())


def test_puct_uses_the_int8_network_and_trained_does_not(versions, gekitai):
    path = versions()
    search = agents.make(f"puct:8:{path}", gekitai, seed=0)
    assert preferred(search.evaluator, gekitai) == 5
    assert search.path == path.with_name("handmade.int8.onnx")
    assert search.search(gekitai.new(1, 0)).visits[0].argmax() == 5
    trained = agents.make(f"trained:{path}", gekitai, seed=0)
    assert preferred(trained.network, gekitai) == 3
    assert trained.path == path


def test_a_network_without_an_int8_version_runs_in_float32(versions, gekitai, network_file):
    path = network_file(gekitai, 9.0 * (np.arange(36) == 3))
    assert preferred(OnnxPolicy(gekitai, path, int8=True), gekitai) == 3
    # A version that was measured and rejected.
    assert preferred(OnnxPolicy(gekitai, versions(file=None), int8=True), gekitai) == 3


def test_a_copy_uses_the_int8_network(versions, gekitai):
    network = OnnxPolicy(gekitai, versions(), int8=True)
    assert preferred(pickle.loads(pickle.dumps(network)), gekitai) == 5


def test_another_int8_network_changes_the_agents_version(versions, gekitai):
    """An arena does not mix the games of different int8 versions."""
    path = versions()
    spec = f"puct:8:{path}"
    known = Spec.of(spec, gekitai)
    before = known.version(known.make(0))
    other = versions(file=None)
    assert other == path
    assert known.version(known.make(0)) != before


def test_a_damaged_int8_network_is_refused(versions, gekitai, refused):
    path = versions()
    version = path.with_name("handmade.int8.onnx")
    data = bytearray(version.read_bytes())
    data[len(data) // 2] ^= 1
    version.write_bytes(data)
    with refused("handmade.int8.onnx .*checksum"):
        agents.make(f"puct:8:{path}", gekitai)
    OnnxPolicy(gekitai, path)
    version.unlink()
    with refused("handmade.onnx .*handmade.int8.onnx"):
        agents.make(f"puct:8:{path}", gekitai)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"file": ...}, "handmade.json .*int8 .*file"),
        ({"file": "../handmade.int8.onnx"}, "int8.file .*got '../handmade.int8.onnx'"),
        ({"file": "handmade.onnx"}, "int8.file .*got 'handmade.onnx'"),
        ({"file": 7}, "int8.file .*got 7"),
        ({"sha256": ...}, "handmade.json .*int8 .*sha256"),
        ({"sha256": "00"}, "handmade.int8.onnx .*checksum"),
    ],
    ids=str,
)
def test_a_card_with_invalid_int8_facts_is_refused(versions, gekitai, refused, changes, message):
    with refused(message):
        agents.make(f"puct:8:{versions(**changes)}", gekitai)
    with refused("handmade.json .*int8 .*file"):
        path = versions()
        card = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        path.with_suffix(".json").write_text(json.dumps({**card, "int8": ["x"]}), encoding="utf-8")
        agents.make(f"puct:8:{path}", gekitai)
