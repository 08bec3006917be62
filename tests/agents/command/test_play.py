"""`boardenvs play`: input and output."""

import re

import pytest
from keyboards import CELLS, interrupted


def test_illegal_and_malformed_moves_are_asked_again(command, typed, gekitai):
    typed("b 2", "B2", "zz", "", "A9", "q")
    status, out, err = command("play", "gekitai", "--seed", "4")
    assert (status, err) == (0, "")
    who, _, rest = out.partition("\n")
    assert who == "Gekitai: you are Player X, greedy is Player O. Type ? for help."
    asks = "Player X's turn: an empty cell such as A4 (? for help)\n> "
    assert rest.startswith(gekitai.to_text(gekitai.new(1)[0]) + asks)
    assert out.count("Player X's turn: an empty cell such as ") == 6
    assert re.search(r"Player O's turn: [A-F][1-6]\n", out)
    assert "> Invalid move! B2 is not legal here; A1 would be\n" in out
    assert out.count("> Invalid move! ") == 4
    assert out.endswith("> Game left.\n")


@pytest.mark.parametrize("leave", [["q"], [" Q "], []], ids=["q", "Q", "end of input"])
def test_quit_ends_the_game(command, typed, leave):
    typed(*leave)
    status, out, err = command("play", "gekitai")
    assert (status, err) == (0, "")
    assert out.endswith("Game left.\n")


@pytest.mark.parametrize("seat", [0, 1])
def test_a_game_of_gekitai_is_played_to_its_end(command, typed, seat):
    typed(*CELLS * 30)
    arguments = ["play", "gekitai", "--opponent", "random", "--seat", seat, "--seed", "3"]
    status, out, _ = command(*arguments)
    assert status == 0
    assert out.count("Game over:\n") == 1
    assert re.search(r"\nPlayer [XO] wins!\n$", out)
    typed(*CELLS * 30)
    assert command(*arguments) == (0, out, "")
    you, other = "XO" if seat == 0 else "OX"
    assert f"you are Player {you}, random is Player {other}." in out
    assert re.search(rf"Player {other}'s turn: [A-F][1-6]\n", out)
    assert f"Player {you}'s turn: an empty cell such as " in out


def test_a_game_of_112_is_played_to_its_end(command, typed):
    typed(*[f"{p} {v}" for p in range(1, 10) for v in (1, 2)] * 2)
    status, out, _ = command("play", "game112", "--opponent", "random", "--seed", "0")
    assert status == 0
    assert "\n| - - - - - - - - - |\nPlayer 1's turn: a place from 1 to 9 and a 1 or a 2, " in out
    assert "\n> |>1<- - - - - - - - |\nPlayer 2's turn: " in out
    assert re.search(r"Game over:\n\|[-12 <>]+\|\n(Player [12] wins!|Tie!)\n$", out)


def test_a_truncated_game_is_reported(command, typed):
    typed(*CELLS)
    status, out, _ = command(
        "play", "gekitai", "-p", "max_plies=3", "--opponent", "random", "--seed", "0"
    )
    assert status == 0
    assert out.endswith("Nobody wins: the game was stopped after 3 plies.\n")


def test_the_default_opponent_is_greedy(command, typed):
    moves = ["A1", "C1", "E1", "F1", "A3", "q"]
    said = []
    for options in ([], ["--opponent", "greedy"], ["--opponent", "random"]):
        typed(*moves)
        said.append(command("play", "gekitai", "--seed", "5", *options))
    assert said[0] == said[1] != said[2]


def test_play_accepts_parameters(command, typed):
    typed("G7", "q")
    status, out, _ = command("play", "gekitai", "-p", "board_size=7", "--param", "pieces=6")
    assert status == 0
    assert "\n    A   B   C   D   E   F   G\n" in out
    assert "\nX: ['X', 'X', 'X', 'X', 'X']\n" in out


def test_play_accepts_a_trained_agent(command, typed, tiny):
    typed(*CELLS * 30)
    status, out, _ = command("play", "gekitai", "--opponent", tiny.spec)
    assert status == 0
    assert "Game over:\n" in out


def test_an_interrupt_ends_the_game_in_one_line(command, monkeypatch):
    def stopped(*_prompt):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", stopped)
    status, _, err = command("play", "gekitai")
    assert (status, err) == (130, "\nboardenvs: stopped\n")


def test_ctrl_c_ends_the_command_in_one_line():
    left = interrupted("agents.command", ["play", "gekitai"], "help)\n> ")
    assert left == (b"", b"\nboardenvs: stopped\n", 130)


@pytest.mark.parametrize(
    "arguments",
    [
        ("play", "gomoku", "--opponent", "exact"),
        ("watch", "gomoku", "random", "exact"),
        ("arena", "gomoku", "random", "exact", "--games", "2"),
    ],
    ids=" ".join,
)
def test_an_agent_that_cannot_play_from_the_start_is_refused_first(fails, arguments):
    told = "exact.* gomoku from the start.* 2,000,000"
    assert fails(told, *arguments) == ""
