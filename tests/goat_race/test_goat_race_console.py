"""The console program of Goat Race and the classes of its source document."""

import builtins
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardenvs
from boardenvs.goat_race.__main__ import main
from boardenvs.goat_race.console import Board, Game, Goat, Player, Stack, start

OBSTACLES = [(1, "C"), (2, "E"), (3, "G"), (4, "D"), (5, "G"), (6, "C")]

# The document's samples, with the blanks of empty cells that its extracted text has lost.
EMPTY_BOARD = """\
    A   B   C   D   E   F   G   H   I
  +---+---+---+---+---+---+---+---+---+
1 |   |   |   |   |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+---+
2 |   |   |   |   |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+---+
3 |   |   |   |   |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+---+
4 |   |   |   |   |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+---+
5 |   |   |   |   |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+---+
6 |   |   |   |   |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+---+"""
EXAMPLE = """\
    A   B   C   D   E   F   G   H   I
  +---+---+---+---+---+---+---+---+---+
1 | B |   | X |   |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+---+
2 | O |   |   |   | X |   |   |   |   |
  +---+---+---+---+---+---+---+---+---+
3 |   | O |   | W |   |   | X |   |   |
  +---+---+---+---+---+---+---+---+---+
4 |   |   | W | X |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+---+
5 | B |   |   |   |   |   | X |   |   |
  +---+---+---+---+---+---+---+---+---+
6 | B |   | X |   |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+---+"""


def make(colors="WHITE BLACK RED", phase=3, obstacles=OBSTACLES, width=9, height=6):
    game = Game(width, height, obstacles)
    for color in colors.split():
        game.add_player(Player(color))
    game.set_phase(phase)
    return game


def put(game, **stacks):
    """Place goats on cells, given as first letters of colours from the bottom up."""
    phase, turn = game.phase, game.turn
    game.set_phase(3)
    colors = [player.get_color() for player in game.players]
    for address, letters in stacks.items():
        for letter in letters:
            game.set_turn(next(k for k, color in enumerate(colors) if color[0] == letter))
            game.add_goat(int(address[1]), address[0])
    game.set_phase(phase)
    game.set_turn(turn)
    return game


def example():
    stacks = {"A1": "B", "A2": "O", "A5": "B", "A6": "B", "B3": "O", "C4": "WW", "D3": "W"}
    return put(make("WHITE BLACK ORANGE"), **stacks)


def cells(typed):
    """Return a move of the classes: `C4C5` is `[(4, "C"), (5, "C")]`."""
    return [(int(typed[1]), typed[0]), (int(typed[3]), typed[2])]


def everything(game):
    """Return the complete state of a game, to check that it is unchanged."""
    board = [[[id(goat) for goat in stack] for stack in row] for row in game.board.get_board()]
    goats = [[(id(g), str(g)) for g in player.get_goats()] for player in game.players]
    return str(game), board, goats, game.turn, game.phase


def refuses(game, call, *args, match="."):
    before = everything(game)
    with pytest.raises(ValueError, match=match) as error:
        call(*args)
    assert "\n" not in str(error.value)
    assert everything(game) == before


# -- The document's samples and examples ------------------------------------------------


def test_an_empty_board_is_printed():
    assert str(Board(9, 6, [])) == EMPTY_BOARD


def test_a_game_is_printed_with_players_and_phase():
    game = make(obstacles=[])
    game.set_turn(1)
    assert str(game) == (
        EMPTY_BOARD + "\n\nPlayers: WHITE, BLACK, RED\nPhase: 3\nPlayer whose turn it is: BLACK"
    )


def test_a_player_is_printed_with_its_goats():
    player = Player("WHITE")
    assert str(player) == "WHITE\nGoats:"
    for row, column in ((1, "A"), (1, "C"), (1, "E"), (1, "B")):
        goat = Goat("WHITE")
        goat.set_row(row)
        goat.set_column(column)
        player.add_goat(goat)
    assert str(player) == "WHITE\nGoats:\nWHITE A1\nWHITE C1\nWHITE E1\nWHITE B1"


def test_the_first_placement_example_of_the_document_is_followed():
    game = put(make("WHITE BLACK", 2), A1="B", A2="W", A3="B", A6="W")
    allowed = [row for row in range(1, 7) if game.check_starting_goat_placement(row)]
    assert allowed == [4, 5]
    refuses(game, game.add_goat, 1, "A", match="row 1")
    game.add_goat(4, "A")
    game.add_goat(5, "A")
    assert all(game.check_starting_goat_placement(row) for row in range(1, 7))


def test_the_second_placement_example_of_the_document_is_followed():
    game = put(make("WHITE BLACK", 2), A1="WB", A2="W", A3="B", A4="BB", A5="W", A6="W")
    allowed = [row for row in range(1, 7) if game.check_starting_goat_placement(row)]
    assert allowed == [2, 3, 5, 6]


def test_the_race_example_of_the_document_is_followed():
    game = example()
    assert str(game.board) == EXAMPLE
    assert set(game.get_sideways_moves()) == {"C4C3", "C4C5", "D3D2"}
    game.move_sideways(cells("C4C5"))
    assert str(game.board) == EXAMPLE.replace("5 | B |   |   |", "5 | B |   | W |")
    assert [row for row in range(1, 7) if game.check_nonempty_row(row)] == [1, 2, 3, 5, 6]
    refuses(game, game.move_forward, cells("C4D4"), 4, match="obstacle on D4")
    refuses(game, game.move_forward, cells("B3C3"), 4, match="B3C3 is not in row 4")
    game.move_forward(cells("B3C3"), 3)
    assert "3 |   |   | O | W |" in str(game)
    assert game.get_turn() == 0
    assert game.get_phase() == 3
    assert game.get_goats_per_player() == [3, 3, 2]


# -- The classes ------------------------------------------------------------------------


def test_a_stack_is_last_in_first_out():
    stack = Stack()
    assert stack.is_empty()
    assert stack.size() == 0
    for take in (stack.pop, stack.peek):
        with pytest.raises(IndexError, match="empty"):
            take()
    stack.push("first")
    stack.push(None)
    assert (stack.size(), stack.peek(), stack.is_empty()) == (2, None, False)
    assert list(stack) == ["first", None]
    assert stack.pop() is None
    assert stack.pop() == "first"
    assert stack.is_empty()


def test_a_goat_has_its_colour_and_cell():
    goat = Goat("GREEN")
    assert (goat.get_color(), goat.get_row(), goat.get_column()) == ("GREEN", -1, -1)
    goat.set_row(3)
    goat.set_column("H")
    assert (str(goat), goat.get_row(), goat.get_column()) == ("H3", 3, "H")


@pytest.mark.parametrize("color", ["white", "W", "PINK", "", None, 1, ["WHITE"]])
def test_there_are_five_colours(color):
    for kind in (Goat, Player):
        with pytest.raises(ValueError, match="color"):
            kind(color)


@pytest.mark.parametrize("row", [0, -1, 1.0, "1", None, True])
def test_bad_rows_are_refused(row):
    game = make()
    with pytest.raises(ValueError, match="row"):
        Goat("RED").set_row(row)
    with pytest.raises(ValueError, match="row"):
        game.board.check_row(row)
    refuses(game, game.check_row, row)
    refuses(game, game.check_nonempty_row, row)
    refuses(game, game.check_starting_goat_placement, row)
    refuses(game, game.add_goat, row, "A")


@pytest.mark.parametrize("column", ["a", "AB", "", "1", 1, None, "Ä", "["])
def test_bad_columns_are_refused(column):
    with pytest.raises(ValueError, match="column"):
        Goat("RED").set_column(column)
    with pytest.raises(ValueError, match="column"):
        Board(9, 6, []).check_column(column)
    refuses(make(), make().add_goat, 1, column)


def test_boards_have_the_given_rows_and_columns():
    board = Board(4, 3, [(1, "B"), (1, "C"), [3, "B"]])
    for row, column in ((1, "A"), (3, "D")):
        board.check_row(row)
        board.check_column(column)
    for call, value in ((board.check_row, 4), (board.check_column, "E")):
        with pytest.raises(ValueError, match="from"):
            call(value)
    assert (board.get_width(), board.get_height()) == (4, 3)
    stacks = board.get_board()
    assert [len(row) for row in stacks] == [4, 4, 4]
    assert all(isinstance(stack, Stack) and stack.is_empty() for row in stacks for stack in row)
    assert "1 |   | X | X |   |" in str(board)


@pytest.mark.parametrize("size", [(2, 6), (27, 6), (9, 0), (9, 27), (9.0, 6), ("9", 6), (True, 6)])
def test_bad_sizes_are_refused(size):
    for kind in (Board, Game):
        with pytest.raises(ValueError, match=r"width|height"):
            kind(*size, [])


@pytest.mark.parametrize(
    "obstacles",
    [[(0, "C")], [(7, "C")], [(1, "A")], [(1, "I")], [(1, "J")], [(1, "c")], [(1,)], [1], ["C1"],
     [("C", 1)], None, "C1", 5, [(1, "C"), None], {1: "C"}],
)  # fmt: skip
def test_bad_obstacles_are_refused(obstacles):
    for call in (lambda o: Board(9, 6, o), Board(9, 6, []).check_obstacle_positions):
        with pytest.raises(ValueError, match=r".") as error:
            call(obstacles)
        assert "\n" not in str(error.value)


def test_players_have_goats():
    player = Player("RED")
    goat, twin = Goat("RED"), Goat("RED")
    player.add_goat(goat)
    assert player.get_number_of_goats() == 1
    assert player.get_goats() == [goat]
    assert player.get_color() == "RED"
    for bad in (goat, Goat("WHITE"), None, "RED"):
        with pytest.raises(ValueError, match="RED"):
            player.add_goat(bad)
    with pytest.raises(ValueError, match="no goat"):
        player.remove_goat(twin)
    player.get_goats().clear()
    assert player.get_number_of_goats() == 1
    player.remove_goat(goat)
    assert player.get_number_of_goats() == 0


def test_players_turns_and_phases_are_checked():
    game = Game(9, 6, [])
    assert (game.phase, game.turn, game.players) == (1, 0, [])
    assert str(game).endswith("Players: \nPhase: 1\nPlayer whose turn it is:")
    refuses(game, game.get_current_player)
    refuses(game, game.set_turn, 0)
    refuses(game, game.add_goat, 1, "A")
    for color in ("BLACK", "WHITE"):
        game.add_player(Player(color))
    refuses(game, game.add_player, Player("WHITE"))
    refuses(game, game.add_player, "RED")
    assert game.get_current_player().get_color() == "BLACK"
    game.set_turn(1)
    assert game.get_current_player() is game.players[1]
    for bad in (2, -1, 1.0, None, "1", True):
        refuses(game, game.set_turn, bad)
    for bad in (0, 4, 1.0, None, "1", True):
        refuses(game, game.set_phase, bad)
    game.set_phase(2)
    assert game.get_phase() == 2
    assert game.get_turn() == 1


def test_add_goat_places_a_goat_of_the_current_player():
    game = make(phase=2)
    game.set_turn(2)
    game.add_goat(5, "A")
    goat = game.board.get_board()[4][0].peek()
    assert (goat.get_color(), str(goat)) == ("RED", "A5")
    assert game.players[2].get_goats() == [goat]
    assert game.get_goats_per_player() == [0, 0, 1]
    refuses(game, game.add_goat, 5, "A", match="higher")
    refuses(game, game.add_goat, 1, "B", match="column A")
    refuses(game, game.add_goat, 1, "C", match="obstacle")
    refuses(game, game.add_goat, 7, "A", match="row")
    game.set_phase(3)
    refuses(game, game.add_goat, 1, "C", match="obstacle")
    game.add_goat(1, "I")
    assert game.get_goats_per_player() == [0, 0, 2]


@pytest.mark.parametrize("phase", [1, 2, 3])
def test_a_fifth_goat_is_refused(phase):
    game = make("WHITE BLACK", phase)
    for row in range(1, 5):
        game.add_goat(row, "A")
    refuses(game, game.add_goat, 5, "A", match="WHITE")
    with pytest.raises(ValueError, match="WHITE"):
        game.players[0].add_goat(Goat("WHITE"))
    game.set_turn(1)
    game.add_goat(5, "A")
    assert game.get_goats_per_player() == [4, 1]


def with_goats(colors, number, phase):
    """Return a game whose players hold goats before the first is placed."""
    game = make(colors, phase)
    for player in game.players:
        for _ in range(number):
            player.add_goat(Goat(player.get_color()))
    return game


@pytest.mark.parametrize("phase", [1, 2, 3])
@pytest.mark.parametrize("number", [1, 4])
def test_goats_of_the_setup_are_placed_before_others(number, phase):
    game = with_goats("WHITE BLACK", number, phase)
    white = game.players[0]
    held = white.get_goats()
    refuses(game, game.add_goat, 1, "C", match="obstacle")
    for row in range(1, 5):
        game.add_goat(row, "A")
    tops = [game.board.get_stack(row, "A").peek() for row in range(1, 5)]
    assert tops[:number] == held
    assert [str(goat) for goat in white.get_goats()] == ["A1", "A2", "A3", "A4"]
    assert white.get_goats() == tops
    assert game.get_goats_per_player() == [4, 0]
    refuses(game, game.add_goat, 5, "A", match="WHITE")


def test_a_goat_with_a_cell_is_placed_once():
    game = make("WHITE")
    goat = Goat("WHITE")
    goat.set_row(1)
    goat.set_column("B")
    game.players[0].add_goat(goat)
    game.add_goat(1, "B")
    assert list(game.board.get_stack(1, "B")) == game.players[0].get_goats() == [goat]


def test_goats_on_the_board_count_without_being_held_by_the_player():
    game = make("WHITE")
    for row in range(1, 5):
        game.add_goat(row, "A")
    game.players[0].remove_goat(game.players[0].get_goats()[0])
    refuses(game, game.add_goat, 5, "A", match="WHITE")


@pytest.mark.parametrize("held", [0, 4])
def test_goats_do_not_move_before_all_are_placed(held):
    game = with_goats("WHITE BLACK", held, phase=2)
    for k in range(8):
        for phase in (1, 2, 3) if k else (1, 2):
            game.set_phase(phase)
            why = "goats move in phase 3" if phase < 3 else "has not placed all its 4 goats"
            refuses(game, game.move_sideways, cells("A1A2"), match=why)
            refuses(game, game.move_forward, cells("A1B1"), 1, match=why)
        game.set_phase(2)
        game.set_turn(k % 2)
        game.add_goat(k % 6 + 1, "A")
    refuses(game, game.move_forward, cells("A3B3"), 3, match="goats move in phase 3")
    game.set_phase(3)
    game.move_forward(cells("A3B3"), 3)
    game.set_turn(1)
    game.move_sideways(cells("A2A1"))
    assert game.get_goats_per_player() == [4, 4]


@pytest.mark.parametrize(
    "move",
    [None, [], "C4C5", [(4, "C")], [(4, "C"), (5, "C"), (6, "C")], [(4, "C"), (5, "J")],
     [(4, "C"), (7, "C")], [(4, "C"), 5], [(4, "C"), (5, "c")], [("C", 4), ("C", 5)], [4, 5],
     [(4, "C", 1), (5, "C")], {4: "C", 5: "C"}],
)  # fmt: skip
def test_badly_formatted_moves_are_refused(move):
    game = example()
    refuses(game, game.check_valid_move_format, move)
    refuses(game, game.move_sideways, move)
    refuses(game, game.move_forward, move, 4)


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("C4C4", "not one row up or down"),
        ("C4C2", "not one row up or down"),
        ("C4D4", "not one row up or down"),
        ("C4B4", "not one row up or down"),
        ("C4D5", "not one row up or down"),
        ("D3D4", "obstacle on D4"),
        ("A1A2", "not WHITE"),
        ("B3B4", "not WHITE"),
        ("E4E5", "no goat on E4"),
    ],
)
def test_illegal_sideways_moves_are_refused(move, why):
    game = example()
    game.check_valid_move_format(cells(move))
    refuses(game, game.move_sideways, cells(move), match=why)


@pytest.mark.parametrize(
    ("move", "die", "why"),
    [
        ("B3C3", 2, "not in row 2"),
        ("B3D3", 3, "not one column forward"),
        ("B3A3", 3, "not one column forward"),
        ("B3B3", 3, "not one column forward"),
        ("B3C4", 3, "not one column forward"),
        ("C4D4", 4, "obstacle on D4"),
        ("E3F3", 3, "no goat on E3"),
        ("B3C3", 0, "dice_outcome"),
        ("B3C3", 7, "dice_outcome"),
        ("B3C3", 3.0, "dice_outcome"),
        ("B3C3", None, "dice_outcome"),
    ],
)
def test_illegal_forward_moves_are_refused(move, die, why):
    game = example()
    refuses(game, game.move_forward, cells(move), die, match=why)


def test_goats_keep_their_identity_and_have_their_cell():
    game = example()
    goat = game.board.get_board()[3][2].peek()
    game.move_sideways(cells("C4C5"))
    assert game.board.get_board()[4][2].peek() is goat
    assert str(goat) == "C5"
    game.move_forward(cells("C5D5"), 5)
    assert str(goat) == "D5"
    assert "WHITE D5" in str(game.players[0])


def test_blocked_goats_cannot_move():
    # WHITE: at the obstacle, covered, arrived, free. BLACK: the top goat, and one that arrived.
    game = put(make("WHITE BLACK"), B1="W", B2="WB", I3="W", A4="W", I4="B")
    white, black = game.players
    assert game.get_goats_blocked(white) == 3
    assert game.get_goats_blocked(black) == 1
    assert game.get_goats_per_player() == [4, 2]
    refuses(game, game.get_goats_blocked, "WHITE")


def test_a_game_without_goats_has_no_winner_and_no_tie():
    game = make()
    assert game.check_winner() is False
    assert game.check_tie() is False


def test_three_arrived_goats_are_a_winner():
    game = put(make("RED GREEN"), I1="GR", I2="GR", H3="G", A1="R")
    assert not game.check_winner()
    game.move_forward(cells("H3I3"), 3)  # by RED
    assert game.check_winner()
    assert not game.check_tie()


def test_a_game_without_forward_moves_is_a_tie():
    game = put(make("WHITE BLACK"), B1="WWB", F3="W", D2="BB", I4="W")
    assert game.check_tie()
    assert not game.check_winner()
    assert game.get_sideways_moves()  # they do not count
    assert not any(game.check_nonempty_row(row) for row in range(1, 7))
    put(game, A6="B")
    assert not game.check_tie()


def test_there_is_no_tie_before_all_goats_are_placed():
    game = make("WHITE BLACK", phase=2, obstacles=[(row, "B") for row in range(1, 7)])
    for k in range(8):
        game.set_turn(k % 2)
        assert not game.check_tie()
        game.add_goat(k % 6 + 1, "A")
    assert game.check_tie()


def test_boards_with_more_obstacles_and_manual_goats_work():
    game = make("WHITE", obstacles=[(1, "B"), (1, "D"), (2, "B")])
    goat = Goat("WHITE")
    game.board.get_board()[0][2].push(goat)
    assert not game.check_nonempty_row(1)
    assert game.get_sideways_moves() == ["C1C2"]
    game.move_sideways(cells("C1C2"))
    assert str(goat) == "C2"
    assert game.get_goats_per_player() == [1]


def test_stacks_at_the_gate_have_any_height():
    game = make("WHITE", phase=2)
    for k in range(30):
        assert game.check_starting_goat_placement(k % 6 + 1)
        game.board.get_stack(k % 6 + 1, "A").push(Goat("WHITE"))
        refuses(game, game.add_goat, k % 6 + 1, "A", match="higher") if k % 6 < 5 else None
    assert game.get_goats_per_player() == [30]


ENV = boardenvs.make("goat_race", num_players=2)


@pytest.mark.slow
@given(st.integers(0, 2**32))
def test_the_classes_allow_the_actions_of_the_environment(seed):
    """Classes and environment agree on placements, moves and ends of a random game."""
    rng = np.random.default_rng(seed)
    states = ENV.new(1, seed)
    pairs = [tuple(pair) for pair in ENV.to_dict(states[0])["obstacles"]]
    game = make("WHITE BLACK", 2, pairs)
    for _ in range(60):
        state = states[0]
        if state["terminated"]:
            break
        game.set_turn(int(state["to_move"]))
        legal = [ENV.action_to_text(a, state) for a in np.flatnonzero(ENV.legal(state)[0])]
        typed = legal[rng.integers(len(legal))]
        if state["decision"] == 0:
            game.set_phase(2)
            rows = [str(r) for r in range(1, 7) if game.check_starting_goat_placement(r)]
            assert rows == legal
            game.add_goat(int(typed), "A")
        elif state["decision"] == 1:
            assert [*game.get_sideways_moves(), "s"] == legal
            if typed != "s":
                game.move_sideways(cells(typed))
        else:
            assert game.check_nonempty_row(int(state["die"]))
            game.move_forward(cells(typed), int(state["die"]))
        game.set_phase(2 + (state["ply"] >= 7))
        ENV.play(states, [ENV.action_from_text(typed, state)])
        assert ENV.to_text(states[0]).startswith(f"{game.board}\n")
        assert game.check_winner() == ENV.returns(states).any()
        if game.phase == 3:
            tied = states["terminated"][0] and not ENV.returns(states).any()
            assert game.check_tie() == tied


# -- The program ------------------------------------------------------------------------


@pytest.fixture
def keyboard(monkeypatch):
    """Return the function that makes `input` return the given lines and echo them.

    A line may be a function of the output since the last line.
    """

    def answer_with(lines, capsys):
        answers = iter(lines)
        printed = []

        def typed(prompt=""):
            printed.append(capsys.readouterr().out + prompt)
            line = next(answers, None)
            if line is None:
                raise EOFError
            line = line(printed[-1]) if callable(line) else line
            printed.append(f"{line}\n")
            return line

        monkeypatch.setattr(builtins, "input", typed)
        return printed

    return answer_with


def run_program(typed, *argv):
    """Run `python -m boardenvs.goat_race` with piped standard input."""
    command = [sys.executable, "-m", "boardenvs.goat_race", *argv]
    return subprocess.run(
        command, input=typed, capture_output=True, text=True, timeout=120, check=False
    )


def players_answers(rng):
    """Return a function that answers forever by looking at the screen; some answers are refused."""

    def answer(shown):
        prompt = shown.splitlines()[-1]
        if "throw" in prompt:
            return rng.choice(["t", " T "])
        if "row of the gate" in prompt:
            return str(rng.integers(1, 7))
        if "sideways" in prompt and rng.random() < 0.7:
            return "s"
        row = re.search(r"row (\d)", prompt)
        row = int(row[1]) if row else int(rng.integers(1, 7))
        column = rng.integers(0, 8)
        if "sideways" in prompt:
            to = row + (1 if row < 6 else -1)
            return f"{'ABCDEFGHI'[column]}{row}{'ABCDEFGHI'[column]}{to}"
        return f"{'ABCDEFGHI'[column]}{row}{'ABCDEFGHI'[column + 1]}{row}".lower()

    while True:
        yield answer


@pytest.mark.parametrize("seed", range(4))
def test_a_game_is_played_to_its_end(seed, keyboard, capsys):
    rng = np.random.default_rng(seed)
    lines = (line for part in (["3"], players_answers(rng)) for line in part)
    printed = keyboard(lines, capsys)
    start(seed=seed)
    text = "".join(printed) + capsys.readouterr().out
    throws = re.findall(r"(WHITE|BLACK|RED) throws (\d)\.", text)
    first = throws[:3]
    assert [color for color, _ in first] == ["WHITE", "BLACK", "RED"]
    order = sorted(range(3), key=lambda k: (int(first[k][1]), k), reverse=True)
    names = [first[k][0] for k in order]
    assert f"Order of play: {', '.join(names)}\n" in text
    # In the race, the players throw in this order, in turn.
    assert [color for color, _ in throws[3:]] == (names * len(throws))[: len(throws) - 3]
    assert text.count("Phase: 2\n") == 12
    assert text.endswith((" wins!\n", "No goat can move forward: a draw.\n"))
    assert "higher stack" in text
    assert "There is no goat on" in text
    last = text[text.rindex("    A   B") :]
    goats = len(re.findall(r"\| [WBR] ", last))
    assert 1 <= goats <= 12


def test_the_start_of_a_game_is_printed_exactly(keyboard, capsys):
    printed = keyboard(["6", "", "two", "2", "x", "t", "T", "7", "-1", "1", "1", "q"], capsys)
    start(seed=1)
    text = "".join(printed) + capsys.readouterr().out
    board = re.search(r"    A   B.*?\n\n", text, re.DOTALL)[0]
    assert len(re.findall("X", board)) == 6
    throws = [int(t) for t in re.findall(r"throws (\d)", text)]
    first, second = ("WHITE", "BLACK") if throws[0] > throws[1] else ("BLACK", "WHITE")
    below = f"Players: WHITE, BLACK\nPhase: 2\nPlayer whose turn it is: {first}\n"
    after = board.replace("1 |   |", f"1 | {first[0]} |")
    prompt = "row of the gate for a goat, 1 to 6: "
    again = f"Players: WHITE, BLACK\nPhase: 2\nPlayer whose turn it is: {second}\n"
    assert text == (
        "Goat Race: t throws the die, s skips a sideways move, q quits.\n"
        "Number of players (2 to 5): 6\nPlease type a number from 2 to 5.\n"
        "Number of players (2 to 5): \nPlease type a number from 2 to 5.\n"
        "Number of players (2 to 5): two\nPlease type a number from 2 to 5.\n"
        "Number of players (2 to 5): 2\n"
        "WHITE, t to throw the die: x\nPlease type t, or q to quit.\n"
        f"WHITE, t to throw the die: t\nWHITE throws {throws[0]}.\n"
        f"BLACK, t to throw the die: T\nBLACK throws {throws[1]}.\n"
        f"Order of play: {first}, {second}\n"
        f"{board}{below}"
        f"{first}, {prompt}7\nRow must be a whole number from 1 to 6, got 7.\n"
        f"{first}, {prompt}-1\nPlease type a row, such as 1.\n"
        f"{first}, {prompt}1\n{after}{again}"
        f"{second}, {prompt}1\nRow 1 of the gate has a higher stack than another row.\n"
        f"{second}, {prompt}q\nGoodbye.\n"
    )


HOSTILE = ["", " ", "C4", "C4C5C6", "C4 C9", "I1J1", "A1A0", "Z9Z8", "C99C98", "C\u0664C5", "s s",
           "\0", "é1é2", "A1B1B", "9" * 5000, "a" * 5000, "t", "[1[2"]  # fmt: skip


def test_invalid_answers_are_asked_again(keyboard, capsys):
    """Every prompt refuses invalid answers in one or two lines and asks again."""
    lines = [*HOSTILE[:-2], "2", *HOSTILE[:-2], "t", "t"]
    placing = [str(k % 6 + 1) for k in range(8)]
    moves = [*HOSTILE[:-2], "t", *HOSTILE[:10], "s", *HOSTILE, None]
    feed = [*lines, *[x for row in placing for x in (*HOSTILE, row)], *moves]
    printed = keyboard(feed, capsys)
    with pytest.raises(EOFError):
        start(seed=3)
    text = "".join(printed)
    assert "Traceback" not in text
    for prompt in ("Number of players", "to throw", "row of the gate", "sideways", "forward move"):
        assert text.count(prompt) > 8


@pytest.mark.parametrize("at", range(0, 14, 3))
def test_q_quits_anywhere(at, keyboard, capsys):
    lines = ["2", "t", "t", *[str(k % 6 + 1) for k in range(8)], "t", "s", "x"]
    printed = keyboard([*lines[:at], " Q "], capsys)
    start(seed=5)
    assert ("".join(printed) + capsys.readouterr().out).endswith(" Q \nGoodbye.\n")


@pytest.mark.slow
def test_the_program_reads_standard_input():
    done = run_program("2\nt\nt\n1\n2\n", "--seed", "4")
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.startswith("Goat Race: t throws the die, ")
    assert done.stdout.endswith("\nEnd of input, the game is unfinished.\n")
    again = run_program("2\nt\nt\n1\n2\nq\n", "--seed", "4")
    assert (again.stderr, again.returncode) == ("", 0)
    assert again.stdout.endswith("Goodbye.\n")
    cut = done.stdout.rindex("\nEnd of")
    assert again.stdout.startswith(done.stdout[:cut])


@pytest.mark.parametrize("argv", [["--seed", "x"], ["3"], ["--seed"], ["-N", "5"]])
def test_bad_arguments_are_refused_in_one_line(argv, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(argv)
    out, err = capsys.readouterr()
    assert (stopped.value.code, out, err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    "move",
    [
        ((1, "A"), (1, "B")),
        [[1, "A"], [1, "B"]],
        [(1, "A"), [1, "B"]],
        [(1, "A")],
        [(1, "A"), (1, "B"), (1, "C")],
        "A1B1",
    ],
)
def test_a_move_is_a_list_of_two_tuples(move):
    game = make()
    game.check_valid_move_format([(1, "A"), (1, "B")])
    for check in (
        game.check_valid_move_format,
        game.move_sideways,
        lambda given: game.move_forward(given, 1),
    ):
        with pytest.raises(ValueError, match=r"\(row, column\)"):
            check(move)
