"""Pictures show the position."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from pictures import SVG, tree

import boardenvs
from boardenvs.show.svg import CELL, MARGIN, centre, element, svg, text_picture


def parsed(picture):
    assert picture.endswith("</svg>\n")
    root = tree(picture)
    assert root.tag == SVG + "svg"
    _, _, width, height = map(float, root.get("viewBox").split())
    assert (float(root.get("width")), float(root.get("height"))) == (width, height)
    for shape in root.iter():  # nothing is cut off
        for key, limit in (("cx", width), ("cy", height), ("x", width), ("y", height)):
            assert 0 <= float(shape.get(key, 0)) <= limit
    return root


def shapes(root, tag, **attributes):
    return [
        shape
        for shape in root.iter(SVG + tag)
        if all(shape.get(k.replace("_", "-")) == v for k, v in attributes.items())
    ]


def cell(shape, x="cx", y="cy"):
    """Return row and column of a shape's point."""
    return tuple(int((float(shape.get(k)) - MARGIN) // CELL) for k in (y, x))


def discs(root):
    return {cell(s) for s in shapes(root, "circle", r="18")}


def frames(root):
    return [cell(s, "x", "y") for s in shapes(root, "rect", stroke_width="3")]


def bands(root):
    return [
        (cell(s, "x1", "y1"), cell(s, "x2", "y2"))
        for s in shapes(root, "line", stroke_linecap="round")
    ]


def after(game, *moves):
    states = game.new(1, 0)
    for move in moves:
        game.play(states, [game.action_from_text(move)])
    return states[0]


def hand_rows(root):
    """Return the heights of the rows of pieces in hand or their empty places, top to bottom."""
    return sorted({float(s.get("cy")) for r in ("9", "10") for s in shapes(root, "circle", r=r)})


def stars(root):
    """Return the centres of the stars that mark a winner."""
    found = []
    for star in shapes(root, "path", stroke_width="1.2"):
        points = np.array(re.findall(r"[\d.]+ [\d.]+", star.get("d")))
        places = np.array([point.split() for point in points], float)
        assert places.shape == (10, 2)
        x, y = places.mean(0)
        found.append((pytest.approx(x, abs=0.1), pytest.approx(y, abs=0.1)))
    return found


@pytest.fixture
def gekitai():
    return boardenvs.make("gekitai")


@pytest.fixture
def game112():
    return boardenvs.make("game112", board_size=5)


def test_gekitai_shows_pieces_and_last_move(gekitai):
    root = parsed(gekitai.picture(after(gekitai, "a1", "a6", "c3", "f2")))
    assert discs(root) == {(0, 0), (5, 0), (2, 2), (1, 5)}
    assert frames(root) == [(1, 5)]
    assert bands(root) == []
    assert root.get("aria-label") == "Gekitai: X to move"


def test_gekitai_players_differ_without_colour(gekitai):
    root = parsed(gekitai.picture(after(gekitai, "a1", "c3")))
    crosses = shapes(root, "path", stroke_linecap="round")
    rings = shapes(root, "circle", fill="none", stroke="#fff")
    assert len(crosses) == len(rings) == 8  # on the board and in hand
    assert cell(rings[0]) == (2, 2)
    x, y = centre(0, 0)
    assert crosses[0].get("d").startswith("M-6.48 -6.48")
    assert crosses[0].get("at") == f"{x:g} {y:g}"


def test_gekitai_shows_the_hands(gekitai):
    root = parsed(gekitai.picture(after(gekitai, "a1", "c3", "f6")))
    hands = [(float(s.get("cy")), s.get("fill")) for s in shapes(root, "circle", r="10")]
    upper, lower = sorted({y for y, _ in hands})
    assert [y for y, _ in hands] == [upper] * 6 + [lower] * 7
    assert len({fill for _, fill in hands}) == 2
    assert len(shapes(root, "circle", r="9", fill="none")) == 3  # pieces on the board


def test_gekitai_marks_the_player_to_move(gekitai):
    def pointers(*moves):
        root = parsed(gekitai.picture(after(gekitai, *moves)))
        rows = hand_rows(root)
        assert len(stars(root)) == (root.get("aria-label") == "Gekitai: X has won")
        tips = [re.search(r"^M[\d.]+ ([\d.]+)l12 7", s.get("d")) for s in shapes(root, "path")]
        return [rows.index(float(tip[1]) + 7) for tip in tips if tip]

    assert pointers() == [0]
    assert pointers("a1") == [1]
    assert pointers("a1", "a6", "c3", "d4", "c3") == []


def test_gekitai_marks_the_winning_line(gekitai):
    root = parsed(gekitai.picture(after(gekitai, "a1", "a6", "c3", "d4", "c3")))
    assert stars(root) == [(MARGIN - 12, min(hand_rows(root)))]
    assert bands(root) == [((0, 0), (2, 2))]
    assert root.get("aria-label") == "Gekitai: X has won"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["XXXX.."] + ["......"] * 5, [((0, 0), (0, 3))]),
        ([".....X"] * 3 + ["......"] * 3, [((0, 5), (2, 5))]),
        (["......"] * 3 + ["...X..", "..X...", ".X...."], [((3, 3), (5, 1))]),
        (["XXX...", "X.....", "X....."] + ["......"] * 3, [((0, 0), (0, 2)), ((0, 0), (2, 0))]),
        # Both players have a line. X moved last and wins, so the line of O is not marked.
        (["XXX...", "......", "OOO..."] + ["......"] * 3, [((0, 0), (0, 2))]),
        # X wins by having all pieces on the board.
        (["X.X.X.", "......", "X.X.X.", "......", "X.X...", "......"], []),
    ],
)
def test_gekitai_marks_any_winning_line(gekitai, rows, expected):
    state = gekitai.from_dict({"board": rows, "to_move": 1})
    assert state["terminated"]
    root = parsed(gekitai.picture(state))
    assert bands(root) == expected
    assert stars(root) == [(MARGIN - 12, min(hand_rows(root)))]


def test_gekitai_shows_a_truncated_game():
    game = boardenvs.make("gekitai", max_plies=2)
    root = parsed(game.picture(after(game, "a1", "c3")))
    assert root.get("aria-label") == "Gekitai: over without a winner"
    assert stars(root) == []


def test_gekitai_forfeit_marks_no_line(gekitai):
    root = parsed(gekitai.picture(after(gekitai, "a1", "a1")))
    assert bands(root) == []
    assert root.get("aria-label") == "Gekitai: X has won"


def test_112_shows_digits_last_move_and_line(game112):
    root = parsed(game112.picture(after(game112, "4 2", "1 2", "3 1")))
    digits = {cell(t, "x", "y"): t.text for t in shapes(root, "text", font_weight="bold")}
    assert digits == {(0, 3): "2", (0, 0): "2", (0, 2): "1"}
    assert frames(root) == [(0, 2)]
    assert bands(root) == []
    assert root.get("aria-label") == "112 game: player 2 to move"
    assert [t.text for t in shapes(root, "text", font_size="18")] == ["Player 2 to move"]
    root = parsed(game112.picture(after(game112, "4 2", "1 2", "3 1", "2 1")))
    assert bands(root) == [((0, 1), (0, 3))]
    assert root.get("aria-label") == "112 game: player 2 has won"
    assert [t.text for t in shapes(root, "text", font_size="18")] == ["Player 2 has won"]


def test_112_shows_a_tie():
    game = boardenvs.make("game112", board_size=1)
    assert parsed(game.picture(after(game, "1 1"))).get("aria-label") == "112 game: a tie"


@pytest.fixture
def gomoku():
    return boardenvs.make("gomoku", board_size=9)


def test_gomoku_shows_stones_last_move_and_turn(gomoku):
    root = parsed(gomoku.picture(after(gomoku, "2 F", "8 A", "0 I")))
    black = shapes(root, "circle", r="18")
    white = shapes(root, "circle", stroke_width="2.5", r="17")
    assert sorted(map(cell, black)) == [(0, 8), (2, 5)]
    assert list(map(cell, white)) == [(8, 0)]
    assert {s.get("fill") for s in white} == {"#fff"}
    assert frames(root) == [(0, 8)]
    assert bands(root) == []
    assert root.get("aria-label") == "Gomoku: white to move"
    assert [t.text for t in shapes(root, "text", font_size="18")] == ["White to move"]
    # A ring (white) or a disc (black) marks the player.
    assert len(shapes(root, "circle", r="11.96", stroke_width="2.5")) == 1
    root = parsed(gomoku.picture(after(gomoku)))
    assert len(shapes(root, "circle", r="12.96")) == 1
    assert root.get("aria-label") == "Gomoku: black to move"


def test_gomoku_shows_letters_above_and_numbers_at_the_left(gomoku):
    root = parsed(gomoku.picture(after(gomoku)))
    labels = shapes(root, "text", font_size="15")
    above = [t.text for t in labels if float(t.get("y")) < MARGIN]
    assert above == list("ABCDEFGHI")
    sides = [[t for t in labels if cell(t, "x", "y")[1] == column] for column in (-1, 9)]
    numbers = [{cell(t, "x", "y")[0]: t.text for t in side} for side in sides]
    assert numbers == [{k: str(k) for k in range(9)}, {}]


@pytest.mark.parametrize(
    ("size", "points"),
    [
        (5, [(2, 2)]),
        (6, []),
        (9, [(2, 2), (2, 6), (4, 4), (6, 2), (6, 6)]),
        (15, [(3, 3), (3, 11), (7, 7), (11, 3), (11, 11)]),
        (19, [(r, c) for r in (3, 9, 15) for c in (3, 9, 15)]),
        (26, [(3, 3), (3, 22), (22, 3), (22, 22)]),
    ],
)
def test_gomoku_shows_star_points(size, points):
    game = boardenvs.make("gomoku", board_size=size)
    root = parsed(game.picture(game.new(1, 0)[0]))
    assert [cell(s) for s in shapes(root, "circle", r="4.5")] == points


@pytest.mark.parametrize(
    ("rows", "params", "expected"),
    [
        ("XXXXX OOOO. ..... ..... .....", {}, [((0, 0), (0, 4))]),
        ("O.... XO... X.O.. X..O. X...O", {}, [((0, 0), (4, 4))]),
        ("....X O..X. O.X.. OX... X.O..", {}, [((0, 4), (4, 0))]),
        ("XXXXX XOOOO XOOO. XO... X....", {}, [((0, 0), (0, 4)), ((0, 0), (4, 0))]),
        # One line is longer than necessary, and one of the loser is too short.
        ("XXXX. OOO.. ..... ..... .....", {"win_length": 3}, [((0, 0), (0, 3))]),
        # Only exactly three count, so four in the row do not.
        (
            "XXXX. X.... X.OO. O...O .OO..",
            {"win_length": 3, "exact": True},
            [((0, 0), (2, 0))],
        ),
    ],
)
def test_gomoku_marks_all_winning_lines(rows, params, expected):
    game = boardenvs.make("gomoku", board_size=5, **params)
    rows = rows.split()
    state = game.start[0].copy()
    cells = [".XO".index(symbol) for symbol in "".join(rows)]
    state["cells"][:25] = cells
    state["to_move"] = int(cells.count(1) > cells.count(2))
    state["ply"] = 25 - cells.count(0)
    states = game.arrays.batch(state)
    game.kernels.judge_games(states, game.constants)
    assert states["terminated"][0]
    assert bands(parsed(game.picture(states[0]))) == expected


def test_gomoku_shows_an_end_without_a_line(gomoku):
    draw = boardenvs.make("gomoku", board_size=5)
    state = draw.from_dict({"board": ["XXOXX", "OOXOO", "XXOXX", "OOXOO", "XXOXO"]})
    root = parsed(draw.picture(state))
    assert root.get("aria-label") == "Gomoku: over without a winner"
    assert bands(root) == []
    root = parsed(gomoku.picture(after(gomoku, "4 E", "4 E")))
    assert root.get("aria-label") == "Gomoku: black has won"
    assert bands(root) == []


def test_every_position_of_random_games_has_a_picture(name):
    game = boardenvs.make(name)
    for seed in range(5):
        for state in boardenvs.Episode.play(game, ["random"] * game.num_players, seed).states():
            before = state.copy()
            root = parsed(game.picture(state))
            if name in ("gekitai", "game112"):
                assert len(frames(root)) == (state["last_action"] >= 0)
            assert state == before


def test_a_picture_contains_no_hidden_information(game, random_positions):
    rng = np.random.default_rng(0)
    for state in random_positions(game, 2, seed=6)[::9]:
        for seat in range(game.num_players):
            assert game.picture(game.conceal(state, seat, rng)[0]) == game.picture(state)


def test_largest_board_and_most_pieces_fit():
    game = boardenvs.make("gekitai", board_size=8, pieces=12)
    parsed(game.picture(after(game, "h8")))
    game = boardenvs.make("gekitai", board_size=6, pieces=12)
    parsed(game.picture(after(game, "f6")))


def test_picture_requires_one_record(gekitai, game112):
    with pytest.raises(ValueError, match=r"^states .*gekitai"):
        gekitai.picture(game112.new(1, 0)[0])
    with pytest.raises(ValueError, match=r"^state .*gekitai.* 2"):
        gekitai.picture(gekitai.new(2, 0))


def test_game_without_a_picture_shows_its_text(gekitai):
    state = after(gekitai, "a1")
    root = parsed(boardenvs.Game.picture(gekitai, state))
    lines = [text.text for text in shapes(root, "text")]
    assert lines == gekitai.to_text(state).splitlines()
    assert root.get("aria-label") == "gekitai: a position"


def test_texts_are_escaped():
    root = parsed(text_picture('<b> & "\n\n ]]>\n', "\"<'&"))
    assert [t.text for t in shapes(root, "text")] == ['<b> & "', " ]]>"]
    assert root.get("aria-label") == "\"<'&"
    assert ET.fromstring(element("text", "&<", data_x="\"'<")).get("data-x") == "\"'<"


def test_a_game_without_text_has_an_empty_picture():
    assert shapes(parsed(text_picture("", "empty")), "text") == []


def test_coordinates_have_few_digits():
    assert element("circle", cx=np.float64(1.50), r=3) == '<circle cx="1.5" r="3"/>'
    assert 'viewBox="0 0 10.5 4"' in svg(10.5, 4, "", [])
