"""The precision of convolutions while MaskablePPO learns."""

from dataclasses import replace

import pytest
import torch

from agents.networks.precision import precision_for
from agents.training.ppo import make_ppo
from agents.training.run import TrainingRun
from agents.training.settings import Settings

BOARD = Settings(num_envs=2, network="convolutional", hidden=(8,), channels=4, blocks=1)


@pytest.fixture
def processor(monkeypatch):
    """Return the function that simulates a processor with only these instructions."""

    def has(*names):
        found = {"avx512_f": True, "avx512_bf16": False, **dict.fromkeys(names, True)}
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: found, raising=False)

    return has


@pytest.mark.parametrize("instructions", ["avx512_bf16", "amx_bf16"])
def test_auto_is_bfloat16_if_the_processor_supports_it(processor, instructions):
    processor(instructions)
    assert precision_for("auto", "cpu") == "bfloat16"
    assert precision_for("float32", "cpu") == "float32"
    assert precision_for("auto", "cuda:0") == precision_for("bfloat16", "cuda") == "float32"
    processor()
    assert precision_for("auto", "cpu") == "float32"
    assert precision_for("bfloat16", "cpu") == "bfloat16"


def test_auto_is_float32_if_pytorch_reports_no_capabilities(processor, monkeypatch):
    processor("avx512_bf16")
    monkeypatch.delattr(torch.cpu, "get_capabilities")
    assert precision_for("auto", "cpu") == "float32"


def test_an_unknown_precision_is_refused(refused):
    with refused("precision .*got 'double'"):
        precision_for("double", "cpu")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [({}, "bfloat16"), ({"ppo_steps": 0}, "float32"), ({"network": "plain"}, "float32")],
)
def test_only_trained_convolutions_use_bfloat16(gekitai, processor, changes, expected):
    processor("avx512_bf16")
    learner = make_ppo(gekitai, replace(BOARD, **changes), 0)
    assert learner.precision == expected
    assert learner.model.policy.in_bfloat16 == (expected == "bfloat16")


def test_a_resumed_run_keeps_its_precision(tmp_path, gekitai, processor):
    processor("avx512_bf16")
    settings = replace(BOARD, ppo_steps=64, rollout=16, batch_size=32, evaluation_games=2)
    settings = replace(settings, final_games=2, opponents={"random": 1})
    run = TrainingRun(gekitai, settings, 0, tmp_path)
    run.learn(progress=False)
    run.finish("the command")
    assert run.card["precision"] == "bfloat16"
    assert run.card["settings"]["precision"] == "auto"
    processor()
    again = TrainingRun.resume(tmp_path)
    assert (again.ppo.precision, again.settings) == ("bfloat16", settings)
