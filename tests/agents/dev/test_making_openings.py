"""The program that creates a game's file of balanced openings."""

import json

import pytest

import boardenvs
from agents.arena.named_openings import named_openings
from agents.dev.__main__ import main


@pytest.mark.slow
def test_a_file_of_openings_records_the_command_that_makes_it(tmp_path, capsys):
    path = tmp_path / "some.json"
    words = ["openings", "gomoku", "-p", "board_size=9", "--num", "2", "--budget", "500"]
    words += ["--out", str(path)]
    assert main(words) == 0
    assert ": 2 openings found, " in capsys.readouterr().out
    told = json.loads(path.read_text(encoding="utf-8"))
    assert told["params"] == {"board_size": 9, "win_length": 5, "exact": False}
    assert told["made"]["command"] == (
        "python -m agents.dev openings gomoku -p board_size=9 --num 2 --moves 6 --budget 500 "
        "--seed 0 --out FILE"
    )
    before = path.read_bytes()
    assert main(words) == 0
    assert path.read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize(("name", "params"), [("gekitai", {}), ("gomoku", {"board_size": 9})])
def test_the_shipped_openings_can_be_reproduced(name, params, tmp_path):
    game = boardenvs.make(name, **params)
    path = tmp_path / "some.json"
    typed = [f"-pboard_size={size}" for size in params.values()]
    assert main(["openings", name, *typed, "--num", "2", "--out", str(path)]) == 0
    told = json.loads(path.read_text(encoding="utf-8"))
    again = [[game.action_from_text(text) for text in row] for row in told["openings"]]
    assert again == named_openings(game, "balanced").moves[:2].tolist()


def test_more_openings_than_exist_are_refused_in_one_line(tmp_path, monkeypatch, capsys):
    """More than six openings are refused: a 5 by 5 board has six places up to symmetry."""
    monkeypatch.setattr("agents.dev.openings._IN_VAIN", 300)
    path = tmp_path / "some.json"
    words = "openings gomoku -p board_size=5 --num 7 --moves 1 --budget 50 --out"
    with pytest.raises(SystemExit, match="2"):
        main([*words.split(), str(path)])
    assert "num must be at most 6" in capsys.readouterr().err.splitlines()[-1]
    assert not path.exists()
