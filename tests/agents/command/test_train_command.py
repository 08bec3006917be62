"""`boardenvs train`: new and continued runs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from agents.training import start_run
from agents.training.ppo import PPO


@pytest.fixture
def tiny_training(monkeypatch, tiny_settings, tmp_path):
    """Make `train` use tiny settings, in a new current folder."""
    monkeypatch.setattr(start_run, "settings_for", lambda _game: tiny_settings)
    monkeypatch.chdir(tmp_path)


def test_a_trained_run_can_be_resumed_and_played(command, fails, tiny_training):
    status, out, err = command("train", "gekitai", "--steps", "256", "--seed", "5", progress=True)
    assert status == 0
    network = Path("runs", "gekitai", "agent.onnx")
    assert out.startswith(f"the agent: {network}\n")
    assert "training gekitai: 100% (" in err
    card = json.loads(network.with_suffix(".json").read_text(encoding="utf-8"))
    assert card["command"] == "boardenvs train gekitai --steps 256 --seed 5"
    assert (card["settings"]["ppo_steps"], card["seed"]) == (256, 5)

    fails("run.*--resume.*--out", "train", "gekitai")
    status, out, _ = command("train", "gekitai", "--resume", "--steps", "512")
    assert status == 0
    assert out.startswith("going on from step 256 of 512\n")
    fails("seed .*5.* got 6", "train", "gekitai", "--resume", "--seed", "6")
    fails("run of Gekitai.*Game112", "train", "game112", "--resume", "--out", "runs/gekitai")

    status, out, _ = command("arena", "gekitai", f"trained:{network}", "random", "--games", "4")
    assert status == 0


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without GPU")
def test_training_on_a_missing_gpu_is_refused(fails, tmp_path):
    fails("--device", "train", "gekitai", "--device", "cuda")
    assert not Path("runs").exists()


def test_the_card_of_a_resumed_run_has_its_whole_command(command, tiny_training):
    command("train", "gekitai", "--steps", "256", "--seed", "5", "--out", "run")
    command("train", "gekitai", "--resume", "--steps", "512", "--out", "run")
    card = json.loads(Path("run", "agent.json").read_text(encoding="utf-8"))
    assert "--resume" not in card["command"]
    assert "--seed 5" in card["command"]


def test_ctrl_c_before_the_first_checkpoint_leaves_nothing_to_resume(
    command, tiny_training, monkeypatch
):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(start_run, "settings_for", interrupted)
    assert command("train", "game112") == (130, "", "\nboardenvs: stopped\n")


def test_resuming_with_other_parameters_is_refused_with_a_suggestion(command, fails, tiny_training):
    command("train", "game112", "-p", "board_size=5", "--steps", "256")
    said = r"did you mean 'boardenvs train game112 -p board_size=5'\?"
    fails(said, "train", "game112", "--resume")


def test_progress_ends_at_the_total(command, tiny_training):
    """Progress ends at 100%, even if the last update exceeds the number of steps."""
    status, _, err = command("train", "gekitai", "--steps", "1000", progress=True)
    assert status == 0
    assert err.splitlines()[-1].startswith("training gekitai: 100% (1.00k of 1.00k steps, ")


def test_training_modules_without_the_extra_are_refused():
    script = """
import sys
sys.modules["torch"] = None
try:
    import agents.training.vec_env
except ImportError as error:
    print(error)
"""
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.count("\n") == 1
    for part in ("agents.training", "pip install 'boardenvs[train]'", "torch"):
        assert part in ran.stdout


def test_ctrl_c_while_training_names_the_command_to_resume(command, tiny_training, monkeypatch):
    def interrupted(_part):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(PPO, "advance", interrupted)
        status, _, err = command("train", "game112", "--steps", "256", "--out", "run")
    assert status == 130
    again = "boardenvs train game112 --steps 256 --out run --resume"
    assert err.endswith(f"\nboardenvs: stopped; '{again}' continues\n")
    assert Path("run", "checkpoint.pt").is_file()
    status, out, _ = command("train", "game112", "--resume", "--out", "run")
    assert status == 0
    assert out.startswith("going on from step 0 of 256\n")
    assert Path("run", "agent.onnx").is_file()
