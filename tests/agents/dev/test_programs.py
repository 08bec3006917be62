"""Output of the short programs: grading, proofs, and values of small games."""

import json
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import agents
import boardenvs
from agents.dev.__main__ import main
from agents.dev.values.dominoes175_optimum import after_first_tile
from agents.dev.values.gekitai_check_bound import forced_wins
from agents.games.dominoes175.optimum import Optimum
from agents.games.gekitai.proofs.check_strategy import read_strategy, shipped_files
from agents.games.gekitai.proofs.solving import Solver

pytestmark = pytest.mark.slow


def test_grading_prints_a_line_for_each_agent(capsys):
    words = "grading gekitai random greedy --games 2 --budget 100 --seed 3"
    assert main(words.split()) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.partition(":")[0] for row in rows] == ["random", "greedy"]
    for row in rows:
        assert re.search(r"kept \d+ of \d+ wins?: \d\.\d{3} \(", row)


def test_dominoes175_optimum_prints_the_rate_of_each_policy(capsys):
    assert main(["dominoes175_optimum", "--ends", "4", "--goal", "3"]) == 0
    optimum = Optimum("random", 4, 3)
    out, err = capsys.readouterr()
    doubles, others = after_first_tile(Optimum("best", 4, 3))
    assert out == (
        "best    0.84617063\ngreedy  0.83998512\nrandom  0.48526542\n"
        f"by {optimum.positions:,} positions each\n"
        f"best after a first double: {doubles:.8f}, after another tile: {others:.8f}\n"
    )
    assert f"random play of Dominoes 175: 100% ({optimum.positions} of " in err


def test_dominoes175_optimum_measures_what_the_order_is_worth(capsys):
    assert main(["dominoes175_optimum", "--deals", "20000", "--seed", "1"]) == 0
    rows = capsys.readouterr().out.splitlines()
    shares = {row.partition(":")[0]: float(row.split(": ")[1].split()[0]) for row in rows[-2:]}
    first, known = shares.values()
    assert list(shares) == ["the rule of the test mode", "order of the tiles known"]
    # Five standard errors around the values on the game's page.
    assert first == pytest.approx(0.03369, abs=5 * (0.0326 / 20_000) ** 0.5)
    assert known == pytest.approx(0.13843, abs=5 * (0.1193 / 20_000) ** 0.5)
    rates = [float(word.rstrip(",")) for word in rows[-3].split() if word.startswith("0.")]
    assert rates == pytest.approx([0.04222, 0.03785], abs=1e-5)


def test_game112_values_prints_a_row_for_each_size(capsys):
    assert main(["game112_values", "--largest", "3"]) == 0
    rows = [row.split() for row in capsys.readouterr().out.splitlines()[2:]]
    assert rows == [["1", "3", "tie", "tie"], ["2", "9", "tie", "tie"], ["3", "26", "tie", "tie"]]
    with pytest.raises(SystemExit, match="2"):
        main(["game112_values", "--largest", "13"])
    assert "largest must be " in capsys.readouterr().err


# -- Gekitai. -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ("B2 A1 D4 E5", "Player X can force a win, in at most 1 ply, by D4: "),
        (
            "--within 1 E5 A5 D6 C4 D4",
            "Player O can force a win, in at most 1 ply, ",
        ),
        (
            "--within 1 E5 A5 D6 C4 D4 --both-lines draw",
            "Player O cannot force a win within 1 ply: ",
        ),
        ("--within 9 --table-bits 14", "Player X cannot force a win within 9 plies: "),
        (
            "--positions 5000",
            "Player X has no known forced win, and the search is not finished: 5,0",
        ),
        (
            "--within 11 --seconds 1e-9 -p board_size=8 A1",
            "Player O has no known forced win within 11 plies, and the search is not finished: ",
        ),
    ],
)
def test_gekitai_proof_prints_its_results(arguments, answer, capsys):
    assert main(["gekitai_proof", "--table-bits", "12", *arguments.split()]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith(answer)


def test_the_first_player_wins_gekitai(capsys):
    assert main(["gekitai_proof", "--table-bits", "20"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[-1].startswith("Player X can force a win, in ")
    assert err.splitlines()[0].startswith("1,0")
    assert ": proof number " in err


def test_the_shipped_strategies_are_checked(tmp_path, capsys):
    assert main(["gekitai_check_strategy"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == len(shipped_files())
    for row, file in zip(rows, shipped_files(), strict=True):
        card = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
        side, pieces = card["params"]["board_size"], card["params"]["pieces"]
        assert row.startswith(f"{side} x {side}, {pieces} pieces")
        assert f": the first player wins within {card['plies']} plies; " in row
    arrays = dict(np.load(file))
    arrays |= {name: arrays[name][:1] for name in ("mine", "theirs", "cell", "rank")}
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(SystemExit, match="2"):
        main(["gekitai_check_strategy", str(tmp_path / "bad.npz")])
    assert "position 0 has no answer" in capsys.readouterr().err
    (tmp_path / "bad.npz").write_bytes(file.read_bytes()[:1000])
    with pytest.raises(SystemExit, match="2"):
        main(["gekitai_check_strategy", str(tmp_path / "bad.npz")])
    assert "bad.npz" in capsys.readouterr().err


def test_the_second_program_for_bounds_agrees_with_the_proof_search(gekitai, live_positions):
    states = live_positions(gekitai, 60, 3)[::7]
    solver, answers = Solver(gekitai, 12), set()
    for state in states:
        owners = gekitai.owners(state)[0].ravel().tolist()
        mine, theirs = (
            sum(1 << cell for cell, owner in enumerate(owners) if owner == seat)
            for seat in (state["to_move"], 1 - state["to_move"])
        )
        *_, (plies, won, _) = forced_wins(6, 8, 5, 12, mine, theirs)
        found = [solver.search(state, 10**6, plies=most).won for most in range(1, plies + 1, 2)]
        assert found == [*[False] * (len(found) - 1), won]
        answers.add((plies, won))
    assert answers == {(1, True), (3, True), (5, True), (5, False)}


def test_the_second_program_for_bounds_prints_a_row_for_each_number_of_plies(capsys):
    assert main(["gekitai_check_bound", "--within", "9", "--table-bits", "16"]) == 0
    rows = capsys.readouterr().out.splitlines()
    text = "6 x 6, 8 pieces: the first player cannot force a win within"
    assert [row.partition("; ")[0] for row in rows] == [
        f"{text} {plies}" for plies in ("1 ply", "3 plies", "5 plies", "7 plies", "9 plies")
    ]
    with pytest.raises(SystemExit, match="2"):
        main(["gekitai_check_bound", "--side", "9"])
    assert "side must be from 3 to 8, got 9" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["first_player_6x6_8", "first_player_7x7_6"])
def test_a_strategy_can_be_reproduced_by_its_command(name, tmp_path):
    (file,) = (file for file in shipped_files() if file.stem == name)
    card = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    words = card["command"].split()
    assert words[:3] == ["python", "-m", "agents.dev"]
    out = tmp_path / "again.npz"
    assert main([*words[3:], "--out", str(out)]) == 0
    # The compressed bytes depend on the version of zlib.
    np.testing.assert_array_equal(read_strategy(out).records, read_strategy(file).records)
    again = json.loads(out.with_suffix(".json").read_text(encoding="utf-8"))
    assert again | {"sha256": ""} == card | {"sha256": ""}


# -- Gomoku. --------------------------------------------------------------------------------


def test_gomoku_proof_prints_the_winner(capsys):
    assert main(["gomoku_proof", "-p", "board_size=6", "-p", "win_length=4"]) == 0
    assert "Player ● can force a win, in " in capsys.readouterr().out.splitlines()[-1]
    assert main(["gomoku_proof", "-p", "board_size=5"]) == 0
    rows = capsys.readouterr().out.splitlines()[-3:]
    assert [row.partition(":")[0] for row in rows] == [
        "Player ● cannot force a win",
        "Player ○ cannot force a win",
        "It is a draw.",
    ]
    assert main(["gomoku_proof", "-p", "board_size=7", "--positions", "300"]) == 0
    assert "the search is not finished: 300 positions" in capsys.readouterr().out


@pytest.mark.parametrize("length", [3, 4])
def test_gomoku_first_moves_prints_and_draws_the_value_of_each_move(length, tmp_path, capsys):
    svg = tmp_path / "values.svg"
    size = ["-p", "board_size=5", "-p", f"win_length={length}"]
    assert main(["gomoku_first_moves", *size, "--svg", str(svg)]) == 0
    *board, cost = capsys.readouterr().out.splitlines()
    found = np.array([row.split()[1:] for row in board[1:]])
    game = boardenvs.make("gomoku", board_size=5, win_length=length)
    values = agents.make("exact", game).action_values(game.new(1, 0))[0].reshape(5, 5)
    np.testing.assert_array_equal(found, np.array(["D", "W", "L"])[values.astype(int)])
    names = {1: "W wins", 0: "D draws", -1: "L loses"}
    known = [name for value, name in names.items() if (values == value).any()]
    assert cost.startswith(f"{', '.join(known)}: ")
    ET.parse(svg)
    assert main(["gomoku_first_moves", "-p", "board_size=7", "--positions", "1"]) == 0
    assert "? not settled" in capsys.readouterr().out
