"""The page on environments: its code runs in order, and it names every argument."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

import boardenvs
from boardenvs.envs.aec import GameAECEnv
from boardenvs.envs.single import SeatEnv
from boardenvs.envs.vector import SeatVectorEnv

PAGE = Path(boardenvs.__file__).parent / "ENVIRONMENTS.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_python_blocks_run_in_order(capsys, tmp_path, monkeypatch):
    pytest.importorskip("sb3_contrib")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), names)
    printed = capsys.readouterr().out
    assert "  +---+---+---+" in printed  # printed by the first block
    assert "won" in printed  # printed by the last block


def test_the_page_shows_the_vector_environment_with_maskable_ppo():
    after = TEXT.split("import MaskablePPO", 1)[1]
    module, name = re.search(r"`([\w.]+)\.(\w*VecEnv)`", after.split("\n```python", 1)[0]).groups()
    assert hasattr(importlib.import_module(module), name)


def test_every_argument_of_an_environment_is_documented():
    for made in (SeatEnv, SeatVectorEnv, GameAECEnv):
        for name in inspect.signature(made).parameters.keys() - {"params"}:
            assert re.search(rf"\b{name}\b", TEXT), f"{made.__name__}: {name}"
