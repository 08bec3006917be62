"""Fixtures of the agents' tests: error checks, handmade networks and a tiny training run.

Fixtures import the dependencies of training when used, so that other tests run without them.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boardenvs


@pytest.fixture(scope="session")
def gekitai():
    return boardenvs.make("gekitai")


@pytest.fixture(scope="session")
def game112():
    return boardenvs.make("game112")


@pytest.fixture(scope="session")
def live_positions(random_positions):
    """Return the function `(game, num, seed) -> records` of random unfinished positions."""

    def live(game, num, seed):
        states = random_positions(game, num, seed)
        return states[~game.over(states)]

    return live


@pytest.fixture(scope="session")
def refused():
    """Return the context manager `refused(match)`, which expects a `ValueError` of one line."""

    @contextlib.contextmanager
    def check(match):
        with pytest.raises(ValueError, match=match) as caught:
            yield
        assert "\n" not in str(caught.value)

    return check


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    """Yield the function `(name, source)` that writes an importable module into the current folder.

    The module is removed from `sys.modules` afterwards.
    """
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.chdir(tmp_path)
    written = []

    def write(name, source):
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
        written.append(name)
        importlib.invalidate_caches()

    yield write
    for name in written:
        sys.modules.pop(name, None)


@pytest.fixture
def own_package(own_module, tmp_path, temporary_games):
    """Yield the function `(name, files)` that writes and imports a package in the current folder.

    `files` maps paths within the package to texts. The package and the games it registers are
    removed afterwards.
    """
    written = []

    def write(name, files):
        for path, text in files.items():
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        written.append(name)
        importlib.invalidate_caches()
        if str(tmp_path) not in sys.path:
            sys.path.insert(0, str(tmp_path))
        return importlib.import_module(name)

    yield write
    for name in written:
        for module in [m for m in sys.modules if m == name or m.startswith(f"{name}.")]:
            del sys.modules[module]


@pytest.fixture
def cluster():
    """Yield a Ray cluster of two nodes with one core each, and its second node."""
    ray = pytest.importorskip("ray")
    made = pytest.importorskip("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1}
    )
    try:
        node = made.add_node(num_cpus=1)
        made.wait_for_nodes()
        yield made, node
    finally:
        ray.shutdown()
        made.shutdown()


@dataclass
class Trained:
    """A finished run and its network."""

    run: Any
    network: Path

    @property
    def spec(self) -> str:
        return f"trained:{self.network}"

    @property
    def card(self) -> dict:
        return json.loads(self.network.with_suffix(".json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def tiny(gekitai, tiny_settings, tmp_path_factory):
    """Return a finished tiny run of Gekitai. Tests must not change it, see `tiny_copy`."""
    from agents.training.run import TrainingRun

    run = TrainingRun(gekitai, tiny_settings, 3, tmp_path_factory.mktemp("runs") / "tiny")
    run.learn(progress=False)
    return Trained(run, run.finish("the command"))


@pytest.fixture
def tiny_copy(tiny, tmp_path):
    """Return a copy of the tiny run's network and card that tests may damage."""
    copy = tmp_path / "agent.onnx"
    copy.write_bytes(tiny.network.read_bytes())
    copy.with_suffix(".json").write_bytes(tiny.network.with_suffix(".json").read_bytes())
    return Trained(tiny.run, copy)


@pytest.fixture
def network_file(tmp_path):
    """Return the function that writes a handmade network and its card.

    The logits are `bias + weights @ observation` with the flattened observation. The value is 0.
    """

    import onnx
    from onnx import TensorProto, helper, numpy_helper

    def write(
        game,
        bias=None,
        weights=None,
        *,
        shape=None,
        batch="n",
        element=1,  # float32 in ONNX
        names=("observation", "logits", "value"),
        card=None,
    ):
        shape = game.observation_shape if shape is None else shape
        seen, logits, value = names
        size, actions = int(np.prod(shape)), game.num_actions if bias is None else len(bias)
        bias = np.zeros(actions, np.float32) if bias is None else np.asarray(bias, np.float32)
        weights = np.zeros((size, actions), np.float32) if weights is None else weights
        constants = {
            "weights": weights,
            "bias": bias,
            "zeros": np.zeros((size, 1), np.float32),
            "axis": np.array([1]),
        }
        graph = helper.make_graph(
            [
                helper.make_node("Cast", [seen], ["floats"], to=TensorProto.FLOAT),
                helper.make_node("Flatten", ["floats"], ["flat"]),
                helper.make_node("MatMul", ["flat", "weights"], ["product"]),
                helper.make_node("Add", ["product", "bias"], [logits]),
                helper.make_node("MatMul", ["flat", "zeros"], ["column"]),
                helper.make_node("Squeeze", ["column", "axis"], [value]),
            ],
            "made by hand",
            [helper.make_tensor_value_info(seen, element, [batch, *shape])],
            [
                helper.make_tensor_value_info(logits, TensorProto.FLOAT, [batch, actions]),
                helper.make_tensor_value_info(value, TensorProto.FLOAT, [batch]),
            ],
            [numpy_helper.from_array(v, k) for k, v in constants.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
        onnx.checker.check_model(model)
        path = tmp_path / "handmade.onnx"
        path.write_bytes(model.SerializeToString())
        card = {"game": game.name, "params": game.params} if card is None else card
        path.with_suffix(".json").write_text(json.dumps(card), encoding="utf-8")
        return path

    return write
