"""Results of random play in Gekitai, and their shipped table."""

import csv
from pathlib import Path

import pytest

import agents.dev.values.gekitai_random as program
from agents.dev.__main__ import main
from boardenvs.gekitai import Gekitai

SHIPPED = Path(program.__file__).parents[2] / "games" / "gekitai" / "random_play.csv"


@pytest.fixture(scope="module")
def rows():
    with SHIPPED.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_table_has_all_parameters(rows):
    sets = [(int(row["board_size"]), int(row["pieces"]), int(row["line_length"])) for row in rows]
    assert len(set(sets)) == len(sets) == 101
    assert sets == [(one.board_size, one.pieces, one.line_length) for one in program.variants()]


@pytest.mark.parametrize("params", [{}, {"board_size": 8, "pieces": 12, "line_length": 5}])
def test_a_row_can_be_repeated(rows, params):
    game = Gekitai(**params)
    (row,) = (row for row in rows if all(str(game.params[k]) == row[k] for k in list(row)[:3]))
    found = program.random_play(game, int(row["games"]), 0)
    assert {name: f"{value:.3f}" for name, value in found.items()} == {
        name: f"{float(row[name]):.3f}" for name in found
    }
    shares = [found[k] for k in ("first_player_wins", "second_player_wins", "truncated")]
    assert sum(shares) == pytest.approx(1)
    assert 0 < found["lost_by_own_move"] < 0.5


def test_the_program_writes_its_table(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(program, "variants", lambda: [Gekitai(), Gekitai(pieces=6)])
    out = tmp_path / "random.csv"
    assert main(["gekitai_random", "--games", "20", "--out", str(out)]) == 0
    assert "2 sets of parameters, 20 games each" in capsys.readouterr().out
    assert [line[:10] for line in out.read_text().splitlines()[1:]] == ["6,8,3,20,0", "6,6,3,20,0"]
    with pytest.raises(SystemExit, match="2"):
        main(["gekitai_random", "--games", "0"])
    assert "games must be" in capsys.readouterr().err
