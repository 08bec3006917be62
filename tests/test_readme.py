"""What the README shows must work, and be what the checks run."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"

if not README.exists():
    pytest.skip("not in a checkout", allow_module_level=True)


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_python_blocks_run_in_order(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    assert blocks("python")
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), names)
    assert (tmp_path / "game.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    printed = capsys.readouterr().out
    assert "  +---+---+---+" in printed  # the first block shows a board
    assert "won" in printed  # the last one scores


def test_the_checks_run_the_second_command_as_it_stands():
    commands = [line for block in blocks("bash") for line in block.splitlines()]
    setup = [line for line in commands if line.startswith("python3 -m venv")]
    assert [line.split("&& ")[-1] for line in setup] == [
        ".venv/bin/boardenvs demo",
        ".venv/bin/pytest",
    ]
    assert setup[1] in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_what_it_links_to_is_there():
    text = README.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", text):
        assert (ROOT / target).exists(), target


def test_every_game_is_listed():
    import boardenvs

    text = README.read_text(encoding="utf-8")
    for name in boardenvs.GAMES:
        assert f"| `{name}` |" in text
        assert f"boardenvs/{name}/README.md" in text
