"""Dominoes 175 in text, JSON and pictures: the console's table, actions, and positions."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import boardenvs

GAME = boardenvs.make("dominoes175")
TILES = [[low, high] for high in range(7) for low in range(high + 1)]
# Dots mark the blanks at line ends.
TABLE = """\
Selection Grid:
      0        1        2        3        4        5        6····
0    ***     [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    [?|?]··
1   [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    [?|?]··
2   [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    [?|?]··
3   [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    [?|?]··

Domino Stacks:
0|| [6|6]-
1||·
2||·
-----------------------------------------------------------------
""".replace("·", " ")
HELD = """\
Selection Grid:
      0        1        2        3        4        5        6····
0    ***      ***     [?|?]    [?|?]    [?|?]    [?|?]     *** ··
1   [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    [?|?]··
2   [?|?]    [?|?]     ***     [?|?]    [?|?]    [?|?]    [?|?]··
3    ***     [?|?]    [?|?]    [?|?]    [?|?]    [?|?]     *** ··

Domino Stacks:
0||·
1|| [6|3]-[3|3]-[3|0]-
2|| [0|1]-[1|2]-
-----------------------------------------------------------------
""".replace("·", " ")


def position(stacks=(), hand=None, **others):
    """Return the dictionary of a position whose tiles lie on the first cells."""
    stacks = [*stacks, [], [], []][:3]
    used = [sorted(tile) for stack in stacks for tile in stack] + ([hand] if hand else [])
    grid = used + [tile for tile in TILES if tile not in used]
    return {"grid": grid, "taken": list(range(len(used))), "stacks": stacks, **others}


# -- Text -----------------------------------------------------------------------------


def test_the_table_of_the_page_is_printed():
    state = GAME.from_dict(position([[[6, 6]]]))
    assert GAME.to_text(state) == TABLE
    assert GAME.from_text(TABLE) == state
    assert GAME.presentation.turn_line(state) == ""


def test_a_tile_in_hand_is_printed():
    data = position([[], [[6, 3], [3, 3], [3, 0]], [[0, 1], [1, 2]]], [2, 6])
    used = data["grid"][:6]
    others = data["grid"][6:]
    taken = [0, 1, 6, 16, 21, 27]
    grid = [used.pop(0) if cell in taken else others.pop(0) for cell in range(28)]
    state = GAME.from_dict({**data, "grid": grid, "taken": taken})
    assert GAME.to_text(state) == HELD
    assert GAME.from_text(HELD, hand=(2, 6)) == state
    assert GAME.from_text(HELD, hand=[6, 2], to_move=0, ply=11) == state
    assert GAME.presentation.turn_line(state) == "Tile in hand: [2|6]"
    for ply in (10, 12):
        with pytest.raises(ValueError, match="ply must be 11"):
            GAME.from_text(HELD, hand=(2, 6), ply=ply)
    with pytest.raises(ValueError, match="to_move"):
        GAME.from_text(HELD, hand=(2, 6), to_move=1)


def test_trailing_blanks_can_be_omitted():
    bare = "\n".join(line.rstrip() for line in TABLE.splitlines())
    assert GAME.from_text(bare) == GAME.from_text(TABLE)


def test_texts_with_a_known_deck_restore_the_whole_record(random_positions):
    deck = np.random.default_rng(1).permutation(TILES).tolist()
    game = boardenvs.make("dominoes175", deck=deck)
    for state in random_positions(game, 20, 3):
        again = game.from_text(game.to_text(state))
        again["rng"], again["last_action"] = state["rng"], state["last_action"]
        assert again == state
        hand = game.info(state)["hand"]
        assert game.from_text(game.to_text(state), hand=hand)["hand"] == state["hand"]
    start = game.to_text(game.new(1)[0])
    with pytest.raises(ValueError, match="hand must be None"):
        game.from_text(start, hand=(0, 1))
    with pytest.raises(ValueError, match="stacks"):
        game.from_text(start.replace("0|| ", "0|| [0|1]-"))


@pytest.mark.parametrize(
    ("text", "hand", "named"),
    [
        ("", None, "lines"),
        (TABLE.removesuffix("-\n"), None, "line 12"),
        (TABLE + "\n", None, "13"),
        (TABLE.replace("0    ***", "0   [?|?]"), None, "line 3"),
        (TABLE.replace("0    *** ", "0   [?|?]"), None, "cells are taken, 0, got 1"),
        (TABLE.replace("[6|6]-", "[6|6]"), None, "line 9"),
        (TABLE.replace("[6|6]-", "[6|7]-"), None, "line 9"),
        (TABLE.replace("[6|6]-", ""), None, "cells are taken, 1, got 0"),
        (TABLE.replace("[6|6]-", "[6|6]-[6|6]-"), None, "twice"),
        (TABLE.replace("6    \n", "7    \n"), None, "line 2"),
        (TABLE, (6, 6), "twice"),
        (TABLE, (0, 6), "cells are taken, 1, got 2"),
        (TABLE, (0, 7), "hand"),
        (TABLE, 5, "hand"),
        (HELD, None, "cells are taken, 6, got 5"),
        (HELD.replace("[3|3]", "[3|4]"), (2, 6), "stacks"),
        (HELD.replace("[3|3]", "[3|6]"), (2, 6), "twice"),
    ],
)
def test_invalid_texts_are_refused(text, hand, named):
    with pytest.raises(ValueError, match=named) as error:
        GAME.from_text(text, hand=hand)
    assert "\n" not in str(error.value)


# -- Actions --------------------------------------------------------------------------


def test_cells_are_numbered_row_by_row():
    for action in range(28):
        text = GAME.action_to_text(action)
        assert text == f"{action // 7},{action % 7}"
        assert GAME.action_from_text(text) == action
        assert GAME.action_from_text(f"  {text[0]} , {text[2]}\n") == action


def test_placements_are_named_by_the_end_on_top():
    state = GAME.from_dict(position(hand=[2, 5]))
    texts = [GAME.action_to_text(action, state) for action in range(28, 34)]
    assert texts == ["0 5", "0 2", "1 5", "1 2", "2 5", "2 2"]
    assert [GAME.action_from_text(text, state) for text in texts] == list(range(28, 34))
    assert GAME.action_from_text(" 2   5 ", state) == 32


def test_ends_without_the_tile_are_named_larger_or_smaller():
    state = GAME.from_dict(position(hand=[2, 5]))
    for where in (None, GAME.new(1, 0)[0], state):
        for action in range(28, 34):
            text = f"{(action - 28) // 2} {('larger', 'smaller')[action % 2]}"
            assert GAME.action_from_text(text, where) == action
            if where is not state:
                assert GAME.action_to_text(action, where) == text


def test_a_double_has_one_way():
    state = GAME.from_dict(position(hand=[4, 4]))
    assert GAME.action_to_text(30, state) == "1 4"
    assert GAME.action_to_text(31, state) == "1 smaller"
    assert GAME.action_from_text("1 4", state) == 30
    assert GAME.legal(state)[0, 28:].tolist() == [True, False] * 3


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("4,0", "off the grid"),
        ("0,7", "off the grid"),
        ("3 5", "no stack 3"),
        ("0 4", r"\[2\|5\], has no end with 4"),
        *((text, "a cell such as") for text in ["", "0", "0 7", "0,", ",0", "00,0", "0;0", "-1,0"]),
        *((text, "a cell such as") for text in ["0 5 5", "05", "0 Larger", "0\n,\n\u0661", "²,0"]),
    ],
)
def test_invalid_actions_are_refused(text, named):
    state = GAME.from_dict(position(hand=[2, 5]))
    with pytest.raises(ValueError, match=named) as error:
        GAME.action_from_text(text, state)
    assert "\n" not in str(error.value)


def test_an_end_requires_a_tile_in_hand():
    for state in (None, GAME.new(1, 0)[0]):
        with pytest.raises(ValueError, match="in hand"):
            GAME.action_from_text("0 6", state)


# -- JSON -----------------------------------------------------------------------------


def test_the_dictionary_contains_the_position():
    game = boardenvs.make("dominoes175", deck=TILES)
    states = game.new(1, 3)
    for action in (1, 29, 4):
        game.play(states, [action])
    data = game.to_dict(states[0])
    assert data.pop("rng") == int(states["rng"][0])
    assert data == {
        "game": "dominoes175",
        "params": {"deck": TILES, "max_plies": 32},
        "grid": TILES,
        "taken": [1, 4],
        "stacks": [[[1, 0]], [], []],
        "to_move": 0,
        "ply": 3,
        "last_action": 4,
        "offender": -1,
        "terminated": False,
        "truncated": False,
        "returns": [0.0],
    }


def test_changing_a_dictionary_does_not_change_the_game():
    game = boardenvs.make("dominoes175", deck=TILES)
    game.to_dict(game.new(1, 0)[0])["params"]["deck"][0][0] = 6
    assert game.params["deck"] == TILES


def test_won_games_round_trip():
    won = 0
    states = GAME.new(400, 0)
    words = np.arange(400, dtype=np.uint64)
    GAME.kernels.play_out(states, GAME.constants, words, np.zeros(34, np.bool_))
    for state in states[states["returns"][:, 0] > 0]:
        won += 1
        data = GAME.to_dict(state)
        assert GAME.from_dict(data) == state
        low = int(np.argmin(state["heights"]))
        wrong = {**data, "last_action": 28 + 2 * low}
        if state["heights"][low] < 6:
            with pytest.raises(ValueError, match="last_action"):
                GAME.from_dict(wrong)
    assert won


def test_pairs_can_be_written_in_either_order():
    data = position([[[6, 6], [6, 1]]], [1, 3])
    turned = {**data, "grid": [(high, low) for low, high in data["grid"]]}
    turned["stacks"] = tuple(tuple(map(tuple, stack)) for stack in data["stacks"])
    assert GAME.from_dict(turned) == GAME.from_dict(data)


SIX = [[0, 0], [0, 1], [1, 1], [1, 2], [2, 2], [2, 3]]
OTHER_SIX = [[4, 4], [4, 5], [5, 5], [5, 6], [6, 6], [6, 4]]
WRONG = {
    "a tile too few": {**position(), "grid": TILES[:27]},
    "a tile twice": {**position(), "grid": [*TILES[:27], [0, 0]]},
    "no tile": {**position(), "grid": [*TILES[:27], [6, 7]]},
    "no pair": {**position(), "grid": [*TILES[:27], [6, 6, 6]]},
    "no list": {**position(), "grid": "grid"},
    "a cell off the grid": {**position(), "taken": [28]},
    "a cell twice": {**position([[[0, 0]]]), "taken": [0, 0]},
    "cells out of order": {**position([[[0, 0]]], [0, 1]), "taken": [1, 0]},
    "two in hand": {**position(), "taken": [0, 1]},
    "a stack too few": {**position(), "stacks": [[], []]},
    "a stack that is none": {**position(), "stacks": [[], [], 5]},
    "a tile of one end": {**position(), "taken": [0], "stacks": [[[0]], [], []]},
    "a tile not turned over": {**position(), "stacks": [[[0, 0]], [], []]},
    "a tile on two stacks": {**position(), "taken": [0], "stacks": [[[0, 0]], [[0, 0]], []]},
    "no match": position([[[0, 1], [0, 2]]]),
    "seven": position([[*SIX, [3, 3]]]),
    "two of six": position([SIX, OTHER_SIX]),
    "on after six": position([SIX], [3, 3]),
    "ply too many": position([[[0, 1]]], ply=3),
    "ply too few": position([[[0, 1]]], [2, 2], ply=2),
    "last at the start": position(last_action=0),
    "last not the tile in hand": position([[[0, 1]]], [2, 2], last_action=0),
    "last played, but one in hand": position([[[0, 1]]], [2, 2], last_action=28),
    "last turned over, but none in hand": position([[[0, 1]]], last_action=0),
    "last on an empty stack": position([[[0, 1]]], last_action=30),
    "last the other end up": position([[[0, 1]]], last_action=29),
    "last the smaller end up": position([[[1, 0]]], last_action=28),
    "last a double the other way": position([[[1, 1]]], last_action=29),
    "last not on the stack of six": position([SIX, [[4, 4]]], last_action=30),
    "not lost": position([[[0, 1]], [[2, 3]], [[2, 4]]], [5, 6], terminated=False),
    "not won": position([SIX], returns=[0.0]),
    "offender after the end": position([SIX], offender=0),
}


@pytest.mark.parametrize("data", WRONG.values(), ids=WRONG)
def test_invalid_positions_are_refused(data):
    fields = "grid|taken|stacks|ply|last_action|terminated|returns|offender"
    with pytest.raises(ValueError, match=fields) as error:
        GAME.from_dict(data)
    assert "\n" not in str(error.value)


def test_valid_positions_near_invalid_ones_are_accepted():
    for data in (
        position([SIX]),
        position([SIX[:5], OTHER_SIX[:5]], [3, 3]),
        position([SIX, [[4, 4]]], last_action=28),
        position([[[0, 1]]], [2, 2], last_action=1),
        position([[[0, 1]]], last_action=28),
        position([[[1, 0]]], last_action=29),
        position([[[1, 1]]], last_action=28),
        position([[[0, 1]], [[2, 3]], [[2, 4]]], [5, 6], terminated=True, returns=[-1.0]),
    ):
        state = GAME.from_dict(data)
        assert GAME.from_dict(GAME.to_dict(state)) == state


def test_a_position_past_max_plies_is_refused():
    game = boardenvs.make("dominoes175", max_plies=2)
    assert game.from_dict(position([[[0, 1]]]))["truncated"]
    with pytest.raises(ValueError, match=r"ply.*got 3"):
        game.from_dict(position([[[0, 1]]], [2, 2]))


def test_positions_that_contradict_the_deck_are_refused():
    game = boardenvs.make("dominoes175", deck=TILES)
    data = {"grid": [TILES[1], TILES[0], *TILES[2:]], "taken": [], "stacks": [[], [], []]}
    game.from_dict(data)  # unseen tiles may lie elsewhere, as `conceal` places them
    with pytest.raises(ValueError, match="grid"):
        game.from_dict({**data, "taken": [0]})


# -- Pictures -------------------------------------------------------------------------


def shapes(state):
    """Return the elements of a picture by tag."""
    found = {}
    for element in ET.fromstring(GAME.picture(state)).iter():
        found.setdefault(element.tag.rpartition("}")[2], []).append(element)
    return found


def pips(state):
    return len(shapes(state).get("circle", []))


def hidden(state):
    return sum(element.text == "?" for element in shapes(state)["text"])


def test_pictures_show_pips_and_hide_face_down_tiles(random_positions):
    for state in random_positions(GAME, 12, 0):
        data = GAME.to_dict(state)
        shown = [data["grid"][cell] for cell in data["taken"]]
        assert pips(state) == sum(map(sum, shown))
        assert hidden(state) == 28 - len(shown)
        known = GAME.conceal(state, 0, np.random.default_rng(0))[0]
        assert GAME.picture(known) == GAME.picture(state)


@pytest.mark.parametrize(
    ("data", "title"),
    [
        (position(), "turn over a tile"),
        (position(hand=[0, 1]), "play the tile"),
        (position([SIX]), "won"),
        (position([[[0, 1]], [[2, 3]], [[2, 4]]], [5, 6]), "lost"),
        (position(offender=0), "lost by an illegal action"),
    ],
)
def test_titles_describe_the_state_of_the_game(data, title):
    state = GAME.from_dict(data)
    root = ET.fromstring(GAME.picture(state))
    assert root.get("aria-label") == f"Dominoes 175: {title}"
    words = " ".join(element.text for element in shapes(state)["text"])
    assert title in words.lower()
    assert ("fits nowhere" in words) == (title == "lost")


def test_the_title_says_that_a_game_was_truncated():
    game = boardenvs.make("dominoes175", max_plies=1)
    states = game.new(1, 0)
    game.play(states, [0])
    assert 'aria-label="Dominoes 175: over, neither won nor lost"' in game.picture(states[0])
