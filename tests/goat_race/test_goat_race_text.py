"""Goat Race in text and JSON: the board, typed moves, and positions."""

from __future__ import annotations

import re

import numpy as np
import pytest

import boardenvs
from boardenvs.show.svg import WIN, cell_area

THREE = boardenvs.make("goat_race")
VARIANTS = {
    "three": THREE,
    "two, short": boardenvs.make("goat_race", num_players=2, max_plies=40),
    "five, jump": boardenvs.make("goat_race", num_players=5, draw_rule="jump", max_plies=600),
    "small, jump": boardenvs.make("goat_race", num_players=2, width=5, height=3, draw_rule="jump"),
}

# The document's example, with red instead of orange goats.
BOARD = """\
    A   B   C   D   E   F   G   H   I
  +---+---+---+---+---+---+---+---+---+
1 | B |   | X |   |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+---+
2 | R |   |   |   | X |   |   |   |   |
  +---+---+---+---+---+---+---+---+---+
3 |   | R |   | W |   |   | X |   |   |
  +---+---+---+---+---+---+---+---+---+
4 |   |   | W | X |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+---+
5 | B |   |   |   |   |   | X |   |   |
  +---+---+---+---+---+---+---+---+---+
6 | B |   | X |   |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+---+
"""
TEXT = BOARD + "\nPlayers: WHITE, BLACK, RED\nPhase: 3\nPlayer whose turn it is: BLACK\n"
POSITION = {
    "obstacles": [[1, "C"], [2, "E"], [3, "G"], [4, "D"], [5, "G"], [6, "C"]],
    "stacks": {
        "A1": "RB", "A2": "BR", "A5": "B", "A6": "WB", "B3": "R", "C4": "WW", "D3": "RW"
    },
    "order": [2, 0, 1],
    "decision": "sideways",
    "die": 3,
    "last_die": 0,
    "to_move": 1,
}  # fmt: skip


@pytest.fixture(scope="module", params=VARIANTS)
def variant(request):
    return VARIANTS[request.param]


@pytest.fixture(scope="module")
def positions(random_positions):
    """Return positions of random games of each variant, including forfeited ones."""
    found = {}
    for game in VARIANTS.values():
        played = random_positions(game, 3, 0)
        forfeited = played[game.legal(played).any(1)][::25].copy()
        game.play(forfeited, (~game.legal(forfeited)).argmax(1))
        found[game] = np.concatenate([played, forfeited])
    return found


# -- Text -----------------------------------------------------------------------------


def test_a_position_is_printed():
    assert THREE.to_text(THREE.from_dict(POSITION)) == TEXT


def test_a_new_game_is_printed():
    game = boardenvs.make("goat_race", obstacles=POSITION["obstacles"])
    state = game.new(1, 0)[0]
    lines = game.to_text(state).splitlines()
    assert lines[:14] == re.sub(r"\| [WBR] ", "|   ", BOARD).splitlines()
    assert lines[14:17] == ["", "Players: WHITE, BLACK, RED", "Phase: 2"]
    assert lines[17] == f"Player whose turn it is: {('WHITE', 'BLACK', 'RED')[state['to_move']]}"


def test_the_turn_line_describes_the_decision():
    state = THREE.from_dict(POSITION)
    turn_line = THREE.presentation.turn_line
    assert turn_line(state) == ("Order: RED, WHITE, BLACK; die: 3; move sideways, or s to stay")
    forward = THREE.from_dict({**POSITION, "decision": "forward"})
    assert turn_line(forward) == "Order: RED, WHITE, BLACK; die: 3; move a goat of row 3 forward"
    assert "place a goat" in turn_line(THREE.new(1, 0)[0])


def test_from_text_completes_missing_fields():
    state = THREE.from_text(TEXT)
    assert THREE.to_text(state) == TEXT
    data = THREE.to_dict(state)
    assert data["stacks"] == {
        "A1": "WWBRRB", "A2": "R", "A5": "B", "A6": "B", "B3": "R", "C4": "W", "D3": "W"
    }  # fmt: skip
    assert (data["decision"], data["die"], data["order"]) == ("sideways", 1, [0, 1, 2])
    assert data["ply"] == 12 + 1 + 2 + 3
    # If some stacks are given, the remaining goats lie elsewhere.
    data = THREE.to_dict(THREE.from_text(TEXT, die=3, stacks={"A1": "B", "C4": "WW"}))
    assert data["stacks"]["A2"] == "WBRRR"
    assert data["stacks"]["C4"] == "WW"
    # The default die allows a choice.
    forward = THREE.to_dict(THREE.from_text(TEXT, decision="forward"))
    assert forward["die"] == 1


def test_from_text_reads_positions_of_the_placement():
    text = TEXT.replace("Phase: 3", "Phase: 2").replace("BLACK\n", "RED\n")
    text = text.replace("|   | R |   | W |", "| W |   |   |   |").replace(
        "4 |   |   | W |", "4 |   |   |   |"
    )
    text = text.replace("6 | B |", "6 | W |")
    with pytest.raises(ValueError, match=r"decision.*'forward'"):
        THREE.from_text(text, decision="forward")
    state = THREE.from_text(text)
    assert THREE.to_text(state) == text
    data = THREE.to_dict(state)
    assert (data["ply"], data["decision"], data["die"], data["to_move"]) == (5, "place", 0, 2)
    assert data["order"] == [0, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"to_move": 0}, "to_move must be 1.*BLACK"),
        ({"to_move": 3}, "to_move"),
        ({"to_move": True}, "to_move"),
        ({"die": 7}, "die"),
        ({"die": 0}, "die"),
        ({"die": 1.0}, "die"),
        ({"decision": "place"}, "gate"),
        ({"decision": "jump"}, "decision"),
        ({"decision": 1}, "decision"),
        ({"decision": "forward", "die": 6, "stacks": {"A6": "WB"}, "order": [0, 0, 1]}, "order"),
        ({"order": [0, 1]}, "order"),
        ({"order": "012"}, "order"),
        ({"ply": 5}, "ply"),
        ({"ply": -1}, "ply"),
        ({"ply": 2001}, "ply"),
        ({"last_die": 3}, "last_die"),
        ({"stacks": {"C4": "WB"}}, "stacks"),
        ({"stacks": {"C5": "W"}}, "stacks"),
        ({"stacks": {"J1": "W"}}, "stacks"),
        ({"stacks": {"C4": "WWWWW"}}, "stacks"),
        ({"stacks": {"C4": ""}}, "stacks"),
        ({"stacks": {"C4": "GW"}}, "stacks"),
        ({"stacks": ["C4"]}, "stacks"),
    ],
)
def test_from_text_refuses_contradictions(arguments, what):
    with pytest.raises(ValueError, match=what) as error:
        THREE.from_text(TEXT, **arguments)
    assert "\n" not in str(error.value)


FLAWED = [
    "",
    BOARD,
    TEXT + "\n",
    TEXT.replace("BLACK\n", "GREEN\n"),
    TEXT.replace("WHITE, BLACK", "BLACK, WHITE"),
    TEXT.replace("Phase: 3", "Phase: 1"),
    TEXT.replace("Phase: 3", "Phase: 2"),
    TEXT.replace("D", "d"),
    TEXT.replace("| W | X |", "| X | X |"),
    TEXT.replace("| X |   |   |   |   |   |   |\n", "|   |   |   |   |   |   | X |\n"),
    TEXT.replace("| W | X |", "| W |   |"),
    TEXT.replace("| R |", "| G |"),
    TEXT.replace("4 |", "5 |"),
    TEXT.replace("+---+\n", "+---\n"),
]


@pytest.mark.parametrize("text", FLAWED)
def test_flawed_texts_are_refused(text):
    with pytest.raises(ValueError, match=r".") as error:
        THREE.from_text(text)
    assert "\n" not in str(error.value)


# -- Moves ----------------------------------------------------------------------------


def test_actions_have_numbers_and_texts():
    state = THREE.from_dict(POSITION)
    expected = {
        0: "1", 5: "6", 6: "A1A0", 7: "A1A2", 6 + 2 * 29: "C4C3", 6 + 2 * 29 + 1: "C4C5",
        113: "I6I7", 114: "s", 115: "A3B3", 116: "B3C3", 123: "I3J3",
    }  # fmt: skip
    for action, text in expected.items():
        assert THREE.action_to_text(action, state) == text
        assert THREE.action_from_text(text, state) == action
    assert THREE.action_to_text(116) == "BC"
    assert THREE.action_from_text("BC") == 116


@pytest.mark.slow
def test_the_widest_and_tallest_board_round_trips():
    game = boardenvs.make("goat_race", num_players=5, width=26, height=26)
    state = game.new(1, 0)[0]
    texts = [game.action_to_text(a, state) for a in range(game.num_actions)]
    assert [game.action_from_text(t, state) for t in texts] == [*range(len(texts))]
    assert texts[-1] == "Z["
    assert game.to_text(state).startswith("     A   B   C")
    assert game.from_dict(game.to_dict(state)) == state


@pytest.mark.parametrize("text", ["c4c5", " C4 C5 ", "c4\tC5\n", "C4c5"])
def test_case_and_blanks_are_ignored(text):
    assert THREE.action_from_text(text) == 6 + 2 * 29 + 1
    assert THREE.action_from_text(" S") == 114


BAD_MOVES = ["", " ", "0", "7", "10", "C", "C4", "C4C", "C4C4", "C4C6", "C4D5", "C4D4", "B2C2",
             "B3D3", "C3B3", "BC", "J1J2", "C7C6", "C4C5C6", "C0C1", "C10C11", "C4-C5", "ss", "-1",
             "\u0661", "C\u0664C5", "A3", "4C5C", "[1[2", "²"]  # fmt: skip


@pytest.mark.parametrize("text", BAD_MOVES)
def test_invalid_moves_are_refused(text):
    with pytest.raises(ValueError, match=r".") as error:
        THREE.action_from_text(text, THREE.from_dict(POSITION))
    assert "\n" not in str(error.value)


# -- JSON -----------------------------------------------------------------------------


def test_derived_fields_are_optional(variant, positions):
    for state in positions[variant]:
        data = variant.to_dict(state)
        own = ("obstacles", "stacks", "order", "decision", "die", "last_die")
        bare = {key: data[key] for key in (*own, "to_move", "ply", "last_action", "offender")}
        bare = variant.from_dict(bare)
        bare["rng"] = state["rng"]
        assert bare == state


BAD_FIELDS = [
    ("obstacles", POSITION["obstacles"][:5], "obstacles"),
    ("obstacles", [*POSITION["obstacles"][:5], [6, "A"]], "obstacles"),
    ("obstacles", [*POSITION["obstacles"][:3], [4, "C"], *POSITION["obstacles"][4:]], "stacks"),
    ("stacks", {**POSITION["stacks"], "C1": "W"}, "obstacle"),
    ("stacks", {**POSITION["stacks"], "A3": "W"}, "stacks.*4 goats"),
    ("stacks", {**POSITION["stacks"], "A0": "W"}, "stacks.*addresses"),
    ("stacks", {**POSITION["stacks"], "a3": "W"}, "stacks.*addresses"),
    ("stacks", {**POSITION["stacks"], "A3": "O"}, "stacks.*letters"),
    ("stacks", {**POSITION["stacks"], "A3": ["W"]}, "stacks.*letters"),
    ("stacks", {**POSITION["stacks"], "A3": "W" * 13}, "stacks.*got 13"),
    ("stacks", {**POSITION["stacks"], 3: "W"}, "stacks.*addresses"),
    ("stacks", {}, "stacks.*4 goats"),
    ("order", [0, 1, 1], "order"),
    ("order", [0, 1, 2.0], "order"),
    ("order", [True, 0, 2], "order"),
    ("order", [2**70, 0, 1], "order"),
    ("decision", "wait", "decision"),
    ("decision", ["sideways"], "decision"),
    ("decision", "place", "gate"),
    ("die", 0, "die"),
    ("die", 7, "die"),
    ("last_die", 7, "last_die"),
    ("last_die", 1, "last_die"),
    ("last_action", 0, "last_action"),
    ("last_action", 116, "last_die"),
    ("ply", 22, "ply"),
    ("terminated", True, "terminated"),
]


@pytest.mark.parametrize(("field", "value", "what"), BAD_FIELDS, ids=str)
def test_a_field_that_does_not_fit_is_refused(field, value, what):
    assert THREE.from_dict(POSITION)["ply"] == 23
    with pytest.raises(ValueError, match=what) as error:
        THREE.from_dict({**POSITION, field: value})
    assert "\n" not in str(error.value)


def test_a_decision_without_a_choice_is_refused():
    """No goat in row 4 can move forward, because C4 is at the row's obstacle."""
    with pytest.raises(ValueError, match=r"decision.*BLACK.*die 4.*'forward'"):
        THREE.from_dict({**POSITION, "decision": "forward", "die": 4})


def test_last_actions_must_fit_the_board():
    good = [(116 - 1, 3), (114, 2), (6 + 2 * 29 - 18 + 1, 5), (6 + 2 * (4 * 9 + 2), 1)]
    # Forward from A3 to B3, no move, sideways from C3 to C4 and from C5 to C4.
    for action, last_die in good:
        data = {**POSITION, "last_action": action, "last_die": last_die, "ply": 40}
        assert THREE.from_dict(data)["last_action"] == action
        with pytest.raises(ValueError, match="last_die"):
            THREE.from_dict({**data, "last_die": 0})
    bad = [(0, 0), (115, 1), (123, 3), (6, 1), (113, 6), (6 + 2 * 29, 1)]
    for action, last_die in bad:
        with pytest.raises(ValueError, match="last_action"):
            THREE.from_dict({**POSITION, "last_action": action, "last_die": last_die, "ply": 40})


PLACED = {**POSITION, "decision": "place", "die": 0, "order": [1, 0, 2], "to_move": 0}


@pytest.mark.parametrize(
    ("stacks", "changes", "what"),
    [
        ({"A1": "B", "A4": "W", "A6": "R", "A2": "B"}, {}, None),
        ({"A1": "B", "A4": "W", "A6": "R", "A2": "W"}, {}, "layer 1"),
        ({"A1": "B", "A4": "W", "A6": "R", "B2": "B"}, {}, "stacks.*gate"),
        ({"A1": "BB", "A4": "W", "A6": "R"}, {}, "layer|level"),
        ({"A1": "BBB", "A4": "W"}, {}, "level"),
        ({"A1": "B", "A4": "W", "A6": "R", "A2": "B"}, {"to_move": 2}, "to_move must be 0"),
        ({"A1": "B", "A4": "W", "A6": "R", "A2": "B"}, {"ply": 5}, "ply must be 4"),
        ({"A1": "B", "A4": "W", "A6": "R", "A2": "B"}, {"die": 1}, "die must be 0"),
        ({"A1": "B", "A4": "W", "A6": "R", "A2": "B"}, {"last_action": 3}, "last_action"),
        ({"A1": "B", "A4": "W", "A6": "R", "A2": "B"}, {"last_action": 1}, None),
    ],
)
def test_placements_must_follow_the_rule(stacks, changes, what):
    data = {**PLACED, "stacks": stacks, **changes}
    if what is None:
        assert THREE.from_dict(data)["ply"] == 4
    else:
        with pytest.raises(ValueError, match=what):
            THREE.from_dict(data)


def test_obstacles_of_a_position_must_be_those_of_the_game():
    game = boardenvs.make("goat_race", obstacles=POSITION["obstacles"])
    assert game.from_dict(POSITION)
    other = [[1, "B"], *POSITION["obstacles"][1:]]
    with pytest.raises(ValueError, match="obstacles"):
        game.from_dict({**POSITION, "obstacles": other})


def test_won_and_drawn_ends_are_distinguished():
    """After a win the die is 0, but after a draw by a sideways move it is unchanged."""
    won = {
        **POSITION,
        "stacks": {"I1": "WWW", "A1": "WBBBB", "A2": "RRRR"},
        "die": 0,
    }
    assert THREE.from_dict(won)["returns"].tolist() == [1, -0.5, -0.5]
    for changes in ({"die": 3}, {"decision": "forward"}, {"decision": "forward", "die": 3}):
        with pytest.raises(ValueError, match="die"):
            THREE.from_dict({**won, **changes})
    drawn = {**POSITION, "stacks": {"B1": "WWWWBBBB", "D2": "RRRR"}}
    for changes in ({"die": 0}, {"decision": "forward"}):
        state = THREE.from_dict({**drawn, **changes})
        assert state["terminated"]
        assert not state["returns"].any()
    with pytest.raises(ValueError, match="die"):
        THREE.from_dict(drawn)
    for stacks in ({"I1": "WWWW"}, {"I1": "WWWBBB", "A1": "WB"}):
        with pytest.raises(ValueError, match="stacks"):
            THREE.from_dict({**won, "stacks": {"A2": "RRRR", "A4": "BBBB", **stacks}})


# -- Picture --------------------------------------------------------------------------


def test_every_position_has_a_picture(variant, positions):
    for state in positions[variant][::11]:
        picture = variant.picture(state)
        shown = variant.to_text(state).split("\n\n")[0]
        # Labels of rows, and letters of goats and players.
        goats = sum(shown.count(f"| {letter} ") for letter in "WBROG")
        assert picture.count('font-weight="bold"') >= goats + variant.num_players
        # A rock for each obstacle, and the drawn goats below top goats.
        heights = [len(pile) for pile in variant.to_dict(state)["stacks"].values()]
        below = sum(min(height - 1, 3) for height in heights)
        assert picture.count("#8a7f6d") == (state["blocked"] > 0).sum() + below
        for height in heights:
            assert height == 1 or f'font-weight="bold">{height}</text>' in picture
        if state["terminated"] and state["returns"].any() and state["offender"] < 0:
            assert "has won" in picture
            assert picture.count(WIN) == 1  # the star
        elif state["terminated"] or state["truncated"]:
            assert "over without a winner" in picture
        else:
            assert "to move" in picture


# -- Boards of other sizes -------------------------------------------------------------


@pytest.mark.slow
def test_row_numbers_of_two_digits_keep_the_grid():
    game = boardenvs.make("goat_race", num_players=2, width=4, height=10)
    state = game.from_dict(
        {
            "obstacles": [[row, "BC"[row % 2]] for row in range(1, 11)],
            "order": [0, 1],
            "decision": "sideways",
            "die": 10,
            "last_die": 0,
            "stacks": {"A1": "WBW", "A10": "BWB", "B9": "B", "C10": "W"},
        }
    )
    lines = game.to_text(state).splitlines()
    assert lines[:4] == [
        "     A   B   C   D",
        "   +---+---+---+---+",
        " 1 | W |   | X |   |",
        "   +---+---+---+---+",
    ]
    assert lines[18:22] == [
        " 9 |   | B | X |   |",
        "   +---+---+---+---+",
        "10 | B | X | W |   |",
        "   +---+---+---+---+",
    ]
    assert game.action_to_text(10 + 2 * 9 * 4 + 2 * 2, state) == "C10C9"
    assert game.action_from_text("c10c9", state) == 10 + 2 * 9 * 4 + 2 * 2
    assert game.action_from_text("10") == 9
    again = game.from_text(
        game.to_text(state), die=10, stacks={"A1": "WBW", "A10": "BWB", "B9": "B"}, order=[0, 1]
    )
    assert game.to_text(again) == game.to_text(state)
    assert 'aria-label="Goat Race' in game.picture(state)


@pytest.mark.slow
@pytest.mark.parametrize(("num_players", "width", "height"), [(5, 5, 1), (2, 4, 10), (5, 26, 26)])
def test_boards_of_other_sizes_round_trip(num_players, width, height):
    game = boardenvs.make(
        "goat_race", num_players=num_players, width=width, height=height, max_plies=3000
    )
    episode = boardenvs.Episode.play(game, ["random"] * num_players, seed=3)
    states = episode.states()
    for state in states[:: max(1, len(states) // 20)]:
        assert game.from_dict(game.to_dict(state)) == state
    dice = states["die"]
    assert dice.max() <= height
    assert len(states) > 20
    text = game.to_text(states[-1])
    assert all(
        len(line) == len(text.splitlines()[1]) for line in text.splitlines()[1 : 2 * height + 2]
    )


def test_missing_goats_do_not_count_as_arrived():
    game = boardenvs.make("goat_race", num_players=2)
    state = game.from_dict(
        {
            "obstacles": [[row, "D"] for row in range(1, 7)],
            "order": [0, 1],
            "decision": "sideways",
            "die": 2,
            "last_die": 0,
            "to_move": 1,
            "stacks": {"I1": "BW", "A2": "WBWBWB"},
        }
    )
    again = game.from_text(game.to_text(state), die=2, to_move=1)
    assert game.to_text(again) == game.to_text(state)
    assert game.to_dict(again)["stacks"] == {"I1": "W", "A2": "WWWBBBB"}


def test_areas_and_targets_of_moves_are_their_cells(variant, positions):
    def area(cell):
        return cell_area(int(cell[1:]) - 1, ord(cell[0]) - ord("A"))

    for state in positions[variant][::23]:
        for action in np.flatnonzero(variant.legal(variant.arrays.batch(state))[0]).tolist():
            cells = re.findall(r"[A-Z]\d+", variant.action_to_text(action, state))
            target = variant.presentation.action_target(action, state)
            if len(cells) == 2:
                begin = variant.presentation.action_area(action, state)
                assert [begin, target] == [*map(area, cells)]
            else:
                assert target is None


def test_placement_takes_one_ply_for_each_goat():
    game = boardenvs.make("goat_race", num_players=2)
    states = game.new(1, 0)
    for _ in range(8):
        before = game.to_dict(states[0])
        game.play(states, [int(game.legal(states)[0].argmax())])
    assert (before["ply"], before["decision"]) == (7, "place")
    short = {**before, "params": {**before["params"], "max_plies": 6}, "ply": 6}
    with pytest.raises(ValueError, match="ply must be 7"):
        boardenvs.make("goat_race", **short["params"]).from_dict(short)
    del short["ply"]
    with pytest.raises(ValueError, match=r"stacks.*6 goats.*got 7"):
        boardenvs.make("goat_race", **short["params"]).from_dict(short)
    after = {**game.to_dict(states[0]), "decision": "place", "die": 0}
    with pytest.raises(ValueError, match=r"decision.*8 goats.*'place'"):
        game.from_dict(after)
