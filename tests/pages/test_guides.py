"""The code of the quick start and the guides runs, and its training learns."""

import re
from pathlib import Path

import pytest

import agents
import boardenvs

pytest.importorskip("torch")

FOLDER = Path(agents.__file__).parent
START = Path(boardenvs.__file__).parent / "QUICK_START.md"
QUESTIONS = START.with_name("QUESTIONS.md")
PPO = FOLDER / "training" / "PPO.md"
AGENTS = FOLDER / "README.md"
SELF_PLAY_PPO = PPO.with_name("SELF_PLAY_PPO.md")
ALPHAZERO = FOLDER / "training" / "self_play" / "ALPHAZERO.md"


def run(page, *changes):
    """Run the page's code with some text replaced and return its names."""
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    code = "\n".join(blocks)
    for old, new in changes:
        assert code.count(old) == 1, old
        code = code.replace(old, new)
    names = {}
    exec(compile(code, str(page), "exec"), names)
    return names


SHORT = [
    ("train(100_000)", "train(64)"),
    ("num_envs=128, length=32", "num_envs=8, length=8"),
    ("num_games=400", "num_games=4"),
]


def test_the_code_of_the_agents_page_runs():
    assert run(AGENTS)["episode"].terminated


def test_the_code_of_the_quick_start_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = run(START, ("50_000", "1_000"))
    assert names["scores"].games == 20
    assert (tmp_path / "game.html").exists()


def test_the_code_of_the_questions_page_runs():
    assert run(QUESTIONS)["first"].shape == (8,)


def test_the_code_of_the_ppo_page_runs():
    assert run(PPO, *SHORT)["after"]


def test_ppo_bootstraps_the_value_of_a_truncated_game():
    stopped = ('opponent="random",', 'opponent="random", max_plies=6,')
    assert run(PPO, stopped, *SHORT)["after"]


def test_the_code_of_the_self_play_ppo_page_runs():
    short = [("1_000_000", "256"), ("num_envs=512, length=64", "num_envs=8, length=16")]
    names = run(SELF_PLAY_PPO, *short, ("num_games=400", "num_games=4"))
    assert names["policy"].actor.out_features == 36


def test_the_code_of_the_alphazero_page_runs():
    short = [("(0, 5)", "(0, 1)"), ("num_games=128, simulations=32", "num_games=4, simulations=4")]
    assert run(ALPHAZERO, *short, ("num_games=400", "num_games=4"))["scores"]


@pytest.mark.slow
def test_ppo_learns():
    names = run(PPO)
    low, _ = names["after"].to_dict()["intervals"][0]
    assert low > 0.8


@pytest.mark.slow
def test_alphazero_learns():
    low, _ = run(ALPHAZERO)["scores"].to_dict()["intervals"][0]
    assert low > 0.8
