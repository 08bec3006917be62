"""The completion script in bash."""

import re
import shutil
import subprocess

import pytest

import boardenvs
from agents.command import main
from agents.naming.tables import NAMES

bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
COMPLETE = r"""
source /dev/stdin <<'SCRIPT'
{script}
SCRIPT
COMP_WORDS=({words} "{last}")
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_shtab_boardenvs boardenvs "${{COMP_WORDS[-1]}}" "${{COMP_WORDS[-2]}}"
printf '%s\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def completed(capsys, tmp_path):
    """Return the function that returns bash's completions of a line."""

    def offers(words, last=""):
        assert main(["completion", "bash"]) == 0
        script = COMPLETE.format(script=capsys.readouterr().out, words=words, last=last)
        ran = subprocess.run(
            ["bash", "--norc", "-c", script],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        )
        assert ran.stderr == ""
        return {word for word in ran.stdout.split("\n") if word}

    return offers


@bash
def test_commands_are_completed(completed):
    assert completed("boardenvs", "wa") == {"watch"}
    assert {"play", "train", "info", "completion"} <= completed("boardenvs")


@bash
@pytest.mark.parametrize("name", ["play", "watch", "analyse", "train", "arena", "info"])
def test_games_and_options_are_completed(completed, name):
    assert completed(f"boardenvs {name}", "g") == {g for g in boardenvs.GAMES if g[0] == "g"}
    assert "--param" in completed(f"boardenvs {name}", "--")


@bash
def test_agents_are_completed(completed):
    assert completed("boardenvs watch gekitai greedy") == set(NAMES)
    assert completed("boardenvs play gekitai --opponent", "tr") == {"trained"}


@bash
def test_files_are_completed(completed, tmp_path):
    (tmp_path / "game.html").touch()
    (tmp_path / "folder").mkdir()
    assert completed("boardenvs watch --html", "g") == {"game.html"}
    assert completed("boardenvs train gekitai --out", "f") == {"folder"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_every_shell_has_a_script(capsys, shell):
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    for word in ("boardenvs", "watch", "--opponent", *boardenvs.GAMES):
        assert word in text


def test_errors_of_the_command_stay_clear(capsys):
    main(["completion", "bash"])
    capsys.readouterr()
    assert main(["play", "chess"]) == 2
    assert re.fullmatch(r"boardenvs: error: [^\n]*'chess'[^\n]*\n", capsys.readouterr().err)
    assert main(["completion", "cmd"]) == 2
    assert "invalid choice: 'cmd'" in capsys.readouterr().err
