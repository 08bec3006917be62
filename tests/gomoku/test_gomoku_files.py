"""Gomoku in files of other programs: PSQ of Piskvork, and SGF."""

import re

import numpy as np
import pytest

import boardenvs
from boardenvs import Episode
from boardenvs.envs.playout import playout

FIVE = [112, 0, 113, 1, 114, 2, 115, 3, 116]
"""Black wins on row 7 of a board of 15 by 15, from the centre to the right; White is on row 0."""
# As Piskvork saves a game of two people, and a game of a tournament.
SAVED = """Piskvorky 15x15, 0:0, 0
8,8,4500
1,1,2100
9,8,800
2,1,900
10,8,700
3,1,1100
11,8,600
4,1,500
12,8,400
-1
"""
IN_A_TOURNAMENT = SAVED.replace("-1\n", "pbrain-wine.exe\npbrain-pela.exe\n0\n").replace(
    "0:0", "11:9"
)
# As published by Gomocup.
PUBLISHED = IN_A_TOURNAMENT.removesuffix("0\n") + "-1\n1,Freestyle1\n"
# As written by c-gomoku-cli, and by a program with comments, escapes and variations.
SGF = """(;FF[4]GM[4]GN[1]EV[wine x pela]DT[2021.05.01]RU[0]SZ[15]PB[wine]PW[pela]RE[B+1]TE[five]

;B[hh]C[opening move];W[aa]C[opening move]
;B[ih]C[12ms];W[ba]C[15ms];B[jh]C[9ms];W[ca]C[8ms];B[kh]C[9ms];W[da]C[7ms]
;B[lh]C[1ms])

"""
TREE = r"""(;GM[4] FF[4]
CA[UTF-8]SZ[15]AP[Some \[old\] editor:1.0]C[a ) and a ;B[aa\] in a comment \\]
PB[Ann [\] \
Lee]PW[五]RE[B+R]
  ;B[hh]N[first](;W[aa];B[ih](;W[ba]LB[hh:A][ih:B]TR[aa](;B[jh];W[ca];B[kh];W[da];B[lh])(;B[aa]))
(;W[ii];B[ii]))(;W[bb];AB[cc]))"""


@pytest.fixture
def path(tmp_path):
    """Return the function that writes a file and returns its path."""

    def written(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


@pytest.mark.parametrize(
    ("name", "content", "players"),
    [
        ("game.psq", SAVED, ["player_0", "player_1"]),
        ("game.PSQ", SAVED.replace("\n", "\r\n"), ["player_0", "player_1"]),
        ("game.psq", SAVED.removesuffix("-1\n"), ["player_0", "player_1"]),
        ("game.psq", re.sub(r",\d+\n", "\n", SAVED, count=3), ["player_0", "player_1"]),
        ("game.psq", IN_A_TOURNAMENT, ["pbrain-wine.exe", "pbrain-pela.exe"]),
        # The second player started.
        (
            "game.psq",
            IN_A_TOURNAMENT.replace("9, 0", "9, 1"),
            ["pbrain-pela.exe", "pbrain-wine.exe"],
        ),
        ("game.psq", PUBLISHED, ["pbrain-wine.exe", "pbrain-pela.exe"]),
        # Remarks after the end.
        ("game.psq", SAVED + "a remark\n", ["player_0", "player_1"]),
        ("game.psq", SAVED + "1,Freestyle1\n", ["player_0", "player_1"]),
        ("game.psq", SAVED + "a remark\nanother\n7\n8\n", ["player_0", "player_1"]),
        ("game.psq", PUBLISHED + "a remark\n", ["pbrain-wine.exe", "pbrain-pela.exe"]),
        (
            "game.psq",
            IN_A_TOURNAMENT + "a remark\n1,Renju\n",
            ["pbrain-wine.exe", "pbrain-pela.exe"],
        ),
        ("game.psq", re.sub("pbrain-.*", "-1", PUBLISHED), ["-1", "-1"]),
        # Character sets.
        (
            "game.psq",
            PUBLISHED.replace("pela", "pél\x90").encode("latin-1"),
            ["pbrain-wine.exe", r"pbrain-pél\x90.exe"],
        ),
        ("game.sgf", SGF.replace("pela", "pél\x90").encode("latin-1"), ["wine", r"pél\x90"]),
        (
            "game.sgf",
            TREE.replace("UTF-8", "windows-1251").replace("五", "Игрок").encode("cp1251"),
            ["Ann [] Lee", "Игрок"],
        ),
        (
            "game.sgf",
            TREE.replace("UTF-8", " Shift_JIS ").replace("五", "ソ").encode("shift_jis"),
            ["Ann [] Lee", "ソ"],
        ),
        ("game.sgf", SGF.replace("SZ", "CA[]SZ"), ["wine", "pela"]),
        (
            "game.sgf",
            SGF.replace("[12ms]", "[see; CA[koi8-r\\]]").replace("pela", "péla"),
            ["wine", "péla"],
        ),
        (
            "game.sgf",
            TREE.replace("CA[UTF-8]", "\r\nCA\r\n[KOI8-R]").replace("五", "Игрок").encode("koi8-r"),
            ["Ann [] Lee", "Игрок"],
        ),
        (
            "game.sgf",
            SGF.replace("pela", "功").replace("RU[0]", "CA[Big5]RU[0]").encode("big5"),
            ["wine", "功"],
        ),
        ("game.sgf", SGF, ["wine", "pela"]),
        ("game.sgf", "\ufeff" + SGF.replace("RU[0]", "RU[Freestyle]"), ["wine", "pela"]),
        ("game.sgf", SGF.replace("RU[0]SZ[15]", "SZ[15:15]"), ["wine", "pela"]),
        ("game.sgf", TREE, ["Ann [] Lee", "五"]),
        ("game.sgf", TREE.replace("UTF-8", "GB2312").encode("gb2312"), ["Ann [] Lee", "五"]),
    ],
)
def test_files_of_other_programs_are_read(path, name, content, players):
    place = path(name, content)
    episode = Episode.load(place)
    assert episode.game == boardenvs.make("gomoku")
    assert episode.actions == FIVE
    assert episode.players == players
    assert episode.result == f"{players[0]} wins"
    assert Episode.load(place, boardenvs.make("gomoku", max_plies=100)).actions == FIVE


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("game.psq", PUBLISHED.replace("Freestyle", "Standard")),
        ("game.sgf", SGF.replace("RU[0]", "RU[1]")),
        ("game.sgf", SGF.replace("RU[0]", "RU[standard]")),
    ],
)
def test_the_rule_of_the_file_is_used(path, name, content):
    place = path(name, content)
    exact = boardenvs.make("gomoku", exact=True)
    assert Episode.load(place).game == Episode.load(place, exact).game == exact
    with pytest.raises(ValueError, match=r"rule.*freestyle.*exact=True"):
        Episode.load(place, boardenvs.make("gomoku"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("game.psq", PUBLISHED.replace("Freestyle", "Renju")),
        ("game.sgf", SGF.replace("RU[0]", "RU[Japanese]")),
    ],
)
@pytest.mark.parametrize("exact", [False, True])
def test_the_callers_game_replaces_an_unknown_rule(path, name, content, exact):
    place = path(name, content)
    game = boardenvs.make("gomoku", exact=exact)
    assert Episode.load(place, game).game == game
    with pytest.raises(ValueError, match=r"rule.*(Renju|Japanese).*`game`"):
        Episode.load(place)


def test_load_all_returns_all_games_of_a_file(path):
    second = SGF.replace("SZ[15]", "SZ[9]").replace("PB[wine]PW[pela]", "PB[pela]PW[wine]")
    second = second[: second.index(";B[ih]")].replace("[hh]", "[ee]") + ")"
    both = Episode.load_all(path("match.sgf", f"{SGF}\n{second}\n"))
    assert [one.actions for one in both] == [FIVE, [40, 0]]
    assert [one.players for one in both] == [["wine", "pela"], ["pela", "wine"]]
    assert [one.game.params["board_size"] for one in both] == [15, 9]
    place = path("game.json", both[0].to_json())
    assert Episode.load_all(place, both[0].game) == both[:1]


def test_a_game_continues_after_six_in_a_row_only_with_exact(path):
    six = [7, 8, 9, 10, 12, 11]
    stones = [f"{column},{row},0" for column in six for row in (3, column)]
    place = path("game.psq", "\n".join(["Piskvorky 15x15, 0:0, 0", *stones]))
    exact = boardenvs.make("gomoku", exact=True)
    assert len(Episode.load(place, exact)) == 12
    with pytest.raises(ValueError, match=r"freestyle.* 11"):
        Episode.load(place)


def test_a_resigned_game_is_unfinished(path):
    place = path("game.sgf", "(;GM[4]SZ[9]RE[W+R];B[ee];W[ef])")
    assert Episode.load(place).result == "unfinished"


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        ("game.psq", SAVED, "", "first line"),
        ("game.psq", "Piskvorky", "Gomoku", "first line"),
        ("game.psq", "15x15", "20x15", r"board.*20 by 15"),
        ("game.psq", "15x15", "30x30", r"board_size.*30"),
        ("game.psq", "0:0, 0", "0:0, 4", r"first line.*4"),
        ("game.psq", "9,8,800", "9,8,0\n16,8,0", r"line 5.*16,8"),
        ("game.psq", "9,8,800", "0,8,800", r"line 4.*0,8"),
        ("game.psq", "9,8,800", "9;8;800", "line 6"),
        ("game.psq", "12,8,400", "12,8,4x", "line 10"),
        ("game.psq", "400\n-1\n", "400\n12,", "line 11"),
        ("game.psq", "9,8,800", "8,8,800", r"move 3.*7 H"),
        ("game.psq", "-1\n", "a\nb\n-1\n2,Renju1\n", "rule"),
        ("game.psq", "-1\n", "a\nb\n-1\n2,Caro\n", r"rule.*Caro"),
        ("game.psq", "12,8,400", "12,8,0\n1,2,0", r" 9 .*10"),
        ("game.psq", "12,8,400\n-1\n", "-1\n12,8,400\n", r"line 11.*stone.*12,8,400"),
        ("game.sgf", SGF, "", "SGF"),
        ("game.sgf", "GM[4]", "GM[1]", r"GM.*got 1"),
        ("game.sgf", "GM[4]", "", "GM"),
        ("game.sgf", "RU[0]", "RU[4]", "rule"),
        ("game.sgf", "RU[0]", "RU[renju]", r"rule.*renju"),
        ("game.sgf", "SZ[15]", "SZ[15:13]", r"board.*15 by 13"),
        ("game.sgf", "SZ[15]", "SZ[large]", r"SZ.*large"),
        ("game.sgf", "SZ[15]", "SZ[11]", r"move 9.*'k'.*'lh'"),
        ("game.sgf", "RE[B+1]", "RE[W+1]", r"RE.*freestyle"),
        ("game.sgf", "RE[B+1]", "RE[0]", r"RE.*freestyle"),
        ("game.sgf", "RE[B+1]", "AB[aa][bb]", r"empty board.*AB"),
        ("game.sgf", ";W[ba]", ";AW[ba]", r"empty board.*AW"),
        ("game.sgf", "W[ba]", "W[]", r"move 4.*pass"),
        ("game.sgf", "W[ba]", "W[tt]", r"move 4.*pass"),
        ("game.sgf", "W[ba]", "W[b2]", r"move 4.*'o'.*'b2'"),
        ("game.sgf", "W[ba]", "B[ba]", r"move 4.*White"),
        ("game.sgf", ";W[ba]", "W[ba]", r"one move.*2.*move 3"),
        ("game.sgf", "W[ba]", "W[hh]", r"move 4.*7 H"),
        ("game.sgf", "C[15ms]", "C[15ms", r"move 5.*Black"),
        ("game.sgf", "W[ba]C[15ms]", "W", "without a value"),
        ("game.sgf", "W[ba]", "W[ba]%", r"damaged.*%C"),
        ("game.sgf", "[1ms])", "[1ms]", r"'\)'"),
        ("game.sgf", "[1ms])", "[1ms", r"damaged.*\[1ms"),
        ("game.sgf", "[1ms])", "[1ms])(;GM[4];B[hh])", "one game.*2.*load_all.*--game"),
        ("game.sgf", "[1ms])", "[1ms])(;GM[4];B[hh]", r"game 2: .*'\)'"),
        ("game.sgf", "[1ms])", "[1ms])(;GM[4];W[hh])", "game 2: move 1 .*Black"),
        ("game.sgf", "[1ms])", "[1ms])(;GM[4]CA[big5])(;GM[4]CA[gbk])", "game 3: CA .*big5.*gbk"),
        ("game.sgf", "(;FF[4]", "\ufeff(;FF[4]CA[latin1]", "CA must be UTF-8.*latin1"),
        ("game.sgf", "RU[0]", "RU[0]CA[klingon]", "CA .*'klingon'"),
        ("game.sgf", "RU[0]", "RU[0]CA[utf-16]", "CA .*'utf-16'"),
        ("game.sgf", "RU[0]", "RU[0]CA[hex]", "CA .*'hex'"),
        ("game.sgf", "RU[0]", "RU[0]CA[ascii]PC[五]", "CA .*ascii.* 0xe4"),
    ],
)  # fmt: skip
def test_invalid_files_are_refused(path, name, old, new, reason):
    content = SAVED if name == "game.psq" else SGF
    assert old in content
    place = path(name, content.replace(old, new))
    with pytest.raises(ValueError, match=reason) as caught:
        Episode.load(place)
    assert str(caught.value).startswith(f"{place}: ")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["game.psq", "game.sgf"])
def test_files_of_another_game_are_refused(path, name):
    place = path(name, SAVED if name == "game.psq" else SGF)
    with pytest.raises(ValueError, match=r"board.*13.*15"):
        Episode.load(place, boardenvs.make("gomoku", board_size=13))
    with pytest.raises(ValueError, match="game must be Gomoku"):
        Episode.load(place, boardenvs.make("gomoku", win_length=4))


@pytest.mark.parametrize("suffix", [".psq", ".sgf"])
def test_unsupported_episodes_are_refused(tmp_path, suffix):
    place = tmp_path / f"game{suffix}"
    four = boardenvs.make("gomoku", win_length=4)
    with pytest.raises(ValueError, match="game must be Gomoku"):
        Episode(four, four.new(1, 0), [0]).save(place)
    game = boardenvs.make("gomoku", board_size=5)
    begun = game.from_dict({"board": ["X...."] + ["....."] * 4})
    with pytest.raises(ValueError, match="empty board"):
        Episode(game, begun, [3]).save(place)
    assert not place.exists()


@pytest.mark.parametrize("suffix", [".psq", ".sgf"])
def test_an_illegal_action_is_left_out(tmp_path, suffix):
    place = tmp_path / f"game{suffix}"
    game = boardenvs.make("gomoku", board_size=9)
    Episode(game, game.new(1, 0), [40, 41, 40]).save(place)
    assert Episode.load(place).actions == [40, 41]
    assert (b"RE[W+F]" in place.read_bytes()) is (suffix == ".sgf")


def test_corners_are_written_as_in_other_programs(tmp_path):
    """Columns come first, and rows count from the top."""
    game = boardenvs.make("gomoku")
    moves = [game.action_from_text(text) for text in ("0 A", "0 O", "14 A", "2 F")]
    episode = Episode(game, game.new(1, 0), moves, ["a]b", "c\\"])
    episode.save(tmp_path / "game.psq")
    stones = (tmp_path / "game.psq").read_text().splitlines()
    assert stones == [
        "Piskvorky 15x15, 11:11, 0", "1,1,0", "15,1,0", "1,15,0", "6,3,0", "a]b", "c\\", "-1",
        "-1,freestyle",
    ]  # fmt: skip
    episode.save(tmp_path / "game.sgf")
    text = (tmp_path / "game.sgf").read_text()
    assert ";B[aa];W[oa];B[ao];W[fc]" in text
    assert r"PB[a\]b]PW[c\\]" in text


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(("size", "games"), [(5, 40), (9, 40), (15, 20), (26, 5)])
def test_round_trip_of_random_games(size, games, exact):
    game = boardenvs.make("gomoku", board_size=size, exact=exact)
    rng = np.random.default_rng(size)
    moves = [[] for _ in range(games)]

    def choose(states, places):
        actions = (game.legal(states) * rng.random((len(states), game.num_actions))).argmax(1)
        for place, action in zip(places, actions.tolist(), strict=True):
            moves[place].append(action)
        return actions

    playout(game, game.new(games, 0), choose)
    for number, actions in enumerate(moves):
        episode = Episode(game, game.new(1, 0), actions, [f"<{number}]", "a \\:b;"])
        for read, write in game.file_formats.values():
            assert read(write(episode)) == [episode]
