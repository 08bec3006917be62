"""`boardenvs analyse`: its output, files and errors."""

import json
import re

import pytest

import boardenvs
from boardenvs.episode import Episode

BOARD = "| 1 1 - - - - - 2 - |"


def test_a_won_position_of_112_is_analysed(command, tmp_path):
    path = tmp_path / "found.json"
    status, out, err = command("analyse", "game112", BOARD, "--json", path, "--moves", 2)
    assert (status, err) == (0, "")
    assert out.startswith(f"{BOARD}\n\nPlayer 2 to move: exact plays 3 2 and expects +1.00 for ")
    assert re.search(
        r"^move +share +expects +proved\n-+\n3 2 +100% +\+1\.00 +wins", out, re.MULTILINE
    )
    assert "\nand 10 more\n" in out
    assert out.endswith("Proved: Player 2 wins within 1 ply (theorem).\n")
    data = json.loads(path.read_text())
    game = boardenvs.make("game112")
    assert game.from_dict(data["position"]) == game.from_text(BOARD)
    assert (data["game"], data["agent"], data["text"], data["action"]) == (
        "game112", "exact", "3 2", 5,
    )  # fmt: skip
    assert data["proof"] == {"value": 1.0, "plies": 1, "source": "theorem"}
    assert data["moves"][0]["proof"] == {"value": 1.0, "plies": 1, "source": ""}
    assert (data["to_move"], data["proven"], data["more"]) == (1, True, 10)


def test_an_episode_is_analysed_at_a_ply(command, tmp_path, gekitai):
    path = tmp_path / "e.json"
    episode = Episode.play(gekitai, ["greedy"] * 2, 1)
    episode.save(path)
    status, out, _ = command("analyse", "gekitai", path, "puct:20", "--ply", 4)
    assert status == 0
    state = episode.states()[4]
    plain = out.replace(">", " ").replace("<", " ")
    assert plain.startswith(gekitai.to_text(state) + "\nPlayer X to move: puct:20 plays ")
    assert re.search(r"\nmove +visits +share +expects", out)
    assert re.search(r"\nLine: [A-F][1-6], [A-F][1-6]", out)
    counted = sum(int(n) for n in re.findall(r"^[A-F]\d +(\d+) ", out, re.MULTILINE))
    assert 5 <= counted <= 20


@pytest.mark.slow
def test_a_game_file_of_another_program_is_analysed(command, fails, tmp_path):
    file = tmp_path / "game.psq"
    stones = ["5,5,0", "1,1,0", "6,5,0", "1,2,0", "7,5,0", "1,3,0", "8,5,0", "1,4,0"]
    file.write_text("\n".join(["Piskvorky 9x9, 0:0, 0", *stones, "-1\n"]))
    arguments = ["analyse", "gomoku", file, "threats:100"]
    status, out, _ = command(*arguments)
    assert status == 0
    assert re.search("threats:100 plays 4 (D|I)", out)
    assert " --●--●--●--●--  4\n" in out
    assert "  7\n" in command(*arguments, "--ply", "2")[1]
    fails("the board must be 15 by 15, got 9 by 9", *arguments, "-p", "board_size=15")
    fails("ply must be .* 9", *arguments, "--ply", "9")


def test_a_board_is_read_from_standard_input(command, typed, gekitai):
    typed(*gekitai.to_text(gekitai.new(1)[0]).splitlines())
    status, out, _ = command("analyse", "gekitai", "-", "greedy")
    assert status == 0
    assert re.search(
        r"\nPlayer X to move: greedy plays [A-F][1-6]\. It reports no analysis\.\n", out
    )


@pytest.mark.parametrize(("agent", "shown"), [(["mcts"], "mcts:20ms"), ([], "puct:20ms")])
def test_the_agent_uses_the_given_time(command, gekitai, agent, shown):
    board = gekitai.to_text(gekitai.new(1)[0])
    status, out, _ = command("analyse", "gekitai", board, *agent, "--time", "20ms")
    assert status == 0
    assert f"Player X to move: {shown} plays " in out


def test_the_depth_of_an_engine_is_printed(command):
    game = boardenvs.make("gomoku", board_size=9)
    states = game.new(1)
    game.play(states, [40])
    game.play(states, [41])
    text = game.to_text(states[0])
    status, out, _ = command("analyse", "gomoku", text, "threats:300", "-p", "board_size=9")
    assert status == 0
    assert re.search(r"\nDepth: \d+ plies\n", out)


def test_the_turn_line_is_printed_below_the_board(command):
    game = boardenvs.make("goat_race", num_players=2)
    state = game.new(1, 0)[0]
    assert game.presentation.turn_line(state)
    text = json.dumps(game.to_dict(state))
    status, out, _ = command("analyse", "goat_race", text, "greedy")
    assert status == 0
    assert f"\n{game.presentation.turn_line(state)}\n" in out


def test_analyse_reads_one_game_of_a_file_with_several(command, fails, tmp_path):
    file = tmp_path / "match.sgf"
    file.write_text("(;GM[4]SZ[9];B[aa])\n(;GM[4]SZ[9];B[ee];W[ff])\n")
    arguments = ["analyse", "gomoku", file, "greedy"]
    assert command(*arguments, "--game", 2, "--ply", 2)[0] == 0
    fails("ply must be from 0 to 1 ", *arguments, "--game", "1", "--ply", "2")
    fails("one game, got 2; .*--game", *arguments)
    fails("--game must be .* from 1 to 2, got 3", *arguments, "--game", "3")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gekitai"], "the following arguments are required: POSITION"),
        (["chess", "x"], "got 'chess'"),
        (["game112", "x"], "'x' .*board"),
        (["game112", BOARD, "nobody"], "there is no agent 'nobody'"),
        (["game112", BOARD, "--moves", "0"], "moves must be .* at least 1, got 0"),
        (["game112", BOARD, "--seed", "-1"], "seed must be .* at least 0, got -1"),
        (["game112", BOARD, "--to-move", "5"], "to_move must be .* from 0 to 1, got 5"),
        (["game112", BOARD, "--game", "1"], "--game requires .*SGF, got --game 1"),
        (["game112", BOARD, "--time", "2s"], "--time .*exact"),
        (["game112", BOARD, "--time", "x"], "time"),
        (["game112", "| 1 1 2 |", "-p", "board_size=3"], "the game is over: Player 1 wins;"),
        (["game112", "{", "greedy"], "JSON"),
        (["gomoku", "{}"], "field 'board'"),
        (["game112", BOARD, "exact", "--json", "no/where.json"], "cannot be written"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_invalid_input_is_refused(fails, arguments, said):
    assert fails(said, "analyse", *arguments) == ""
