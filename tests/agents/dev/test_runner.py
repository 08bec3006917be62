"""The runner of maintainers' programs lists and starts them, and reports errors in one line."""

import subprocess
import sys
from pathlib import Path

import pytest

from agents.dev.__main__ import PROGRAMS, main

ROOT = Path(__file__).parents[3]


def test_the_runner_without_a_name_lists_the_programs(capsys):
    assert main([]) == 0
    said = capsys.readouterr().out
    for name, program in PROGRAMS.items():
        assert f"\n    {name}" in said
        assert program.__name__.endswith(f".{name}")


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_program_has_help(name, capsys):
    with pytest.raises(SystemExit, match="0"):
        main([name, "--help"])
    assert capsys.readouterr().out.startswith(f"usage: python -m agents.dev {name} ")


@pytest.mark.parametrize("module", ["agents.dev", "agents.command"])
def test_the_runner_does_not_need_docstrings(module):
    ran = subprocess.run(  # noqa: PLW1510 the test checks the status
        [sys.executable, "-OO", "-W", "error::RuntimeWarning", "-m", module, "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("usage: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nothing", "invalid choice: 'nothing'"),
        ("dominoes175_optimum --goal 9", "goal must be a whole number from 2 to 6"),
        ("gekitai_proof B9", "'B9' is off the board"),
        ("gekitai_proof A1 A1", "action 0 is illegal"),
        ("gekitai_proof B2 A1 D4 E5 D4", "moves"),
        ("gekitai_proof --table-bits 2", "table_bits must be a whole number from 4 to 32"),
        ("gekitai_proof -p board_siz=7", "gekitai has no parameter 'board_siz'"),
        ("gekitai_proof --within 0", "plies must be a whole number from 1 to 199"),
        ("gekitai_proof --positions 0", "positions must be a whole number"),
        ("gekitai_proof --seconds 0", "seconds must be above 0"),
        ("gekitai_strategy --out strategy.txt", "strategy.txt"),
        ("gomoku_proof", "board_size must"),
        ("gomoku_proof -p board_size=5 -p win_length=1 1A", "'1A'"),
        ("grading gekitai nobody", "nobody"),
        ("grading goat_race random", "goat_race has chance"),
        ("grading gomoku random --budget 9", "budget = 9"),
        ("grading gekitai random --games 0", "games must be a whole number of at least 1"),
        ("grading gekitai random --budget 0", "budget must be a whole number of at least 1"),
        ("grading gekitai random --seed -1", "seed must be a whole number of at least 0"),
        ("make_ladder chess --store games", "'chess'"),
        ("make_ladder game112", "the following arguments are required: --store"),
        ("only_moves goat_race greedy", "game must have two players"),
        ("only_moves gomoku greedy --opening-plies -1", "opening plies must be"),
        ("openings gekitai", "the following arguments are required: --out"),
        ("openings gekitai --num 0 --out a.json", "num must be a whole number of at least 1"),
        ("openings gekitai --moves 11 --out a.json", "moves must be a whole number from 1 to 10"),
        ("openings gomoku --budget 0 --out a.json", "budget must be a whole number"),
        ("openings game112 --out a.json", "GAME must have a judge"),
    ],
)
def test_errors_are_one_line(words, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(words.split())
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_an_agent_that_fails_is_one_line(capsys, own_module):
    own_module(
        "short_sighted",
        "class Blind:\n    def __init__(self, game, seed): pass\n"
        "    def act(self, states): raise ValueError('it is dark')\n",
    )
    with pytest.raises(SystemExit, match="2"):
        main(["grading", "gekitai", "short_sighted:Blind"])
    error = capsys.readouterr().err
    assert "agent short_sighted:Blind failed: ValueError: it is dark" in error
