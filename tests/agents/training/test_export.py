"""A policy as an ONNX file with its card."""

import numpy as np

import agents
from agents.networks.export import export_policy


def files(folder):
    return {p.name for p in folder.iterdir()}


def test_an_untrained_policy_can_be_exported(learner, gekitai, tmp_path):
    path = tmp_path / "some" / "where.onnx"
    export_policy(learner.policy, (gekitai,), path, {"steps": 0, "note": "untrained"})
    agent = agents.make(f"trained:{path}", gekitai)
    assert agent.card["note"] == "untrained"
    assert files(path.parent) == {"where.onnx", "where.json"}
    states = gekitai.new(5)
    np.testing.assert_array_equal(agent.act(states), agents.from_sb3(learner, gekitai).act(states))
