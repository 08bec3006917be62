"""The command that makes the table of libraries."""

import json
import re
from pathlib import Path

import agents
from agents.checking.learners import __main__ as table
from agents.checking.learners import players

PAGE = Path(agents.__file__).parent / "checking" / "README.md"
FEW = ["--only", "players", "--probes", "probe_one_ply", "probe_reply", "--seeds", "1"]


def test_a_row_is_measured_once(tmp_path, capsys, monkeypatch):
    file = tmp_path / "table.json"
    assert table.main([*FEW, "--json", str(file)]) == 0
    row = capsys.readouterr().out.splitlines()[-1]
    assert "`players:mcts` | 0 | 2 | none | none |" in row
    assert [one["verdict"] for one in json.loads(file.read_bytes())["players:mcts"]["probes"]] == [
        "right",
        "right",
    ]
    monkeypatch.setattr(table, "check_learner", None)
    assert table.main([*FEW, "--json", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == row


def test_a_library_that_is_not_installed_is_left_out(capsys, monkeypatch):
    monkeypatch.setattr(table, "_version", lambda library: None)
    assert table.main(FEW) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 2
    assert err == "players:mcts: boardenvs is not installed\n"


def test_a_learner_that_fails_does_not_end_the_table(capsys, monkeypatch):
    def broken(game, seed, seconds):
        raise RuntimeError("no memory")

    broken.__module__ = "players"
    rows = [table.Learner("broken", broken, "boardenvs"), *players.LEARNERS]
    monkeypatch.setattr(players, "LEARNERS", rows)
    assert table.main([*FEW]) == 1
    out, err = capsys.readouterr()
    assert "players:broken: train on probe_one_ply with seed 0 failed: RuntimeError" in err
    assert "`players:mcts`" in out


def test_the_page_has_only_rows_of_the_command():
    known = {learner.name for learner in table.learners_of_all_modules()}
    shown = re.findall(r"\| `(\w+:\w+)` \|", PAGE.read_text(encoding="utf-8"))
    assert shown
    assert set(shown) <= known
