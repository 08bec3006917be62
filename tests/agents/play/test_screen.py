"""Boards in a terminal: a mark of the last move, and colours where supported."""

import io
import re

import pytest

import boardenvs
from agents.play.screen import Screen, has_colours, marked, signed


class Terminal(io.StringIO):
    def isatty(self):
        return True


def after(name, *moves):
    """Return a game and its position after these moves."""
    game = boardenvs.make(name)
    states = game.new(1, 0)
    for move in moves:
        game.play(states, [game.action_from_text(move, states[0])], illegal="raise")
    return game, states[0]


@pytest.mark.parametrize(
    ("name", "moves", "number", "line"),
    [
        ("gekitai", ["B2"], 4, "2 |   |>X<|   |   |   |   |"),
        ("gekitai", ["B2", "C3"], 6, "3 |   |   |>O<|   |   |   |"),
        ("gomoku", ["1 B"], 3, " ->●<- -- -- -- -- -- -- -- -- -- -- -- --  1"),
        ("gomoku", ["0 A"], 1, "●<- -- -- -- -- -- -- -- -- -- -- -- -- --  0"),
        ("gomoku", ["0 O"], 1, " -- -- -- -- -- -- -- -- -- -- -- -- -- ->●<0"),
        ("game112", ["1 2", "9 1"], 0, "| 2 - - - - - - ->1<|"),
        ("goat_race", ["4"], 8, "4 |>B<|   |   |   |   |   | X |   |   |"),
        (
            "dominoes175",
            ["3,6"],
            5,
            "3   [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    >***<  ",
        ),
        ("pizza_order", ["Carbonara"], 6, "Select a flavor: 4"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isidentifier() else "",
)
def test_the_last_move_is_marked(name, moves, number, line):
    game, state = after(name, *moves)
    text = game.to_text(state)
    shown = marked(text, game.presentation.spans(state)).split("\n")
    assert shown[number] == line
    assert [len(one) for one in shown] == [len(one) for one in text.split("\n")]
    assert [k for k, one in enumerate(text.split("\n")) if shown[k] != one] in ([number], [])


def test_a_tile_on_its_stack_is_marked():
    game = boardenvs.make("dominoes175", deck=[[a, b] for b in range(7) for a in range(b + 1)])
    states = game.new(1, 0)
    for move in ("0,0", "1 0", "0,1", "1 1"):
        game.play(states, [game.action_from_text(move, states[0])], illegal="raise")
    assert "1|| [0|0]>[0|1]<" in marked(game.to_text(states[0]), game.presentation.spans(states[0]))


def test_both_ends_of_a_goats_move_are_marked(random_positions):
    game = boardenvs.make("goat_race")
    seen = 0
    for state in random_positions(game, 3, 0):
        text = marked(game.to_text(state), game.presentation.spans(state))
        last = [span for span in game.presentation.spans(state) if span.look == "last"]
        assert text.count(">") == text.count("<") == len(last)
        seen += len(last) == 2
    assert seen > 20


COLOURS = {"TERM": "xterm-256color"}


@pytest.mark.parametrize(
    ("stream", "environment", "has"),
    [
        (Terminal(), COLOURS, True),
        (Terminal(), {**COLOURS, "NO_COLOR": ""}, True),
        (Terminal(), {**COLOURS, "NO_COLOR": "1"}, False),
        (Terminal(), {**COLOURS, "NO_COLOR": "0"}, False),
        (Terminal(), {"TERM": "dumb"}, False),
        (Terminal(), {}, False),
        (Terminal(), {"WT_SESSION": "x"}, True),
        (io.StringIO(), COLOURS, False),
    ],
)
def test_colours_depend_on_stream_and_environment(stream, environment, has):
    assert has_colours(stream, environment) is has


def test_colours_do_not_change_the_text_of_a_board(name, monkeypatch, random_positions):
    game = boardenvs.make(name)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = 0
    for state in random_positions(game, 1, 3)[:12]:
        out = Terminal()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.stdout", out)
            Screen().board(game.to_text(state), game.presentation.spans(state))
        text = out.getvalue()
        plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
        assert plain == marked(game.to_text(state), game.presentation.spans(state))
        # Colours end within their line and cover only pieces and the last move.
        for line in text.split("\n"):
            assert line.count("\x1b[0m") * 2 == line.count("\x1b[")
        coloured += text != plain
    assert coloured >= 2


def test_pieces_and_the_last_move_have_their_colours(monkeypatch, capsys):
    game, state = after("gekitai", "B2", "C4")
    screen = Screen()
    screen.board(game.to_text(state), game.presentation.spans(state))
    assert "\x1b" not in capsys.readouterr().out
    screen.colours = True
    screen.board(game.to_text(state), game.presentation.spans(state))
    out = capsys.readouterr().out
    assert "2 |   | \x1b[1;36mX\x1b[0m |" in out
    assert "4 |   |   |\x1b[7m>\x1b[0m\x1b[1;31;7mO\x1b[0m\x1b[7m<\x1b[0m|" in out


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_texts_wrap_at_the_width_of_the_window(monkeypatch, capsys, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    screen = Screen()
    screen.say("A rule that goes on " * 20, indent="   ")
    screen.columns([f"A{k}" for k in range(50)])
    screen.say("x" * 500)
    lines = capsys.readouterr().out.split("\n")
    assert max(map(len, lines)) < columns
    assert max(map(len, lines)) > columns - 10


def test_values_have_signs():
    assert [signed(v) for v in (0.25, -1, 0.001, -0.004)] == ["+0.25", "-1.00", "0.00", "0.00"]
