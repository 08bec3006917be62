"""Goat Race's rules: drawn positions and invariants."""

from __future__ import annotations

import itertools
from string import ascii_uppercase

import numpy as np
import pytest

import boardenvs
from boardenvs.goat_race.rules import size

# Each record shape needs its own compilation, so there are few shapes.
VARIANTS = {
    "two": {"num_players": 2},
    "three": {},
    "five, jump": {"num_players": 5, "draw_rule": "jump", "max_plies": 600},
    "small, jump": {"num_players": 2, "width": 5, "height": 3, "draw_rule": "jump"},
    "small": {"num_players": 2, "width": 5, "height": 3, "max_plies": 60},
    # More cells than a word has bits, which needs other code in the rules.
    "largest": {"num_players": 2, "width": 26, "height": 26, "max_plies": 400},
}
TWO = boardenvs.make("goat_race", num_players=2)
JUMP = boardenvs.make("goat_race", num_players=2, draw_rule="jump")
THREE = boardenvs.make("goat_race")


LONG = ("five, jump", "small, jump", "small", "largest")
"""Slow variants, since each record size is compiled; faster variants test the same rules."""


@pytest.fixture(
    scope="module",
    params=[pytest.param(k, marks=[pytest.mark.slow] if k in LONG else []) for k in VARIANTS],
)
def variant(request):
    return boardenvs.make("goat_race", **VARIANTS[request.param])


def set_up(drawing, game=TWO, decision="forward", die=1, to_move=0, **fields):
    """Return a drawn position. A cell is `X`, `.`, or a stack of letters from the bottom.

    Missing goats of the two players are covered in the stack marked `*`.
    """
    rows = [row.split() for row in drawing.strip().splitlines()]
    obstacles, stacks, base = [], {}, None
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            address = ascii_uppercase[c] + str(r + 1)
            if cell == "X":
                obstacles.append([r + 1, ascii_uppercase[c]])
            elif cell != ".":
                stacks[address] = cell.strip("*")
                base = address if "*" in cell else base
    standing = "".join(stacks.values())
    letters = "WBROG"[: game.num_players]
    missing = "".join(letter * (4 - standing.count(letter)) for letter in letters)
    if missing:
        stacks[base] = missing + stacks[base]
    data = {
        "obstacles": obstacles,
        "stacks": stacks,
        "order": list(range(game.num_players)),
        "decision": decision,
        "die": die,
        "last_die": 0,
        "to_move": to_move,
        **fields,
    }
    return np.array([game.from_dict(data)])


def choices(game, states):
    return {game.action_to_text(a, states[0]) for a in np.flatnonzero(game.legal(states)[0])}


def play(game, states, *moves):
    for move in moves:
        game.play(states, [game.action_from_text(move, states[0])], illegal="raise")


def stacks(game, states):
    return game.to_dict(states[0])["stacks"]


def outcome(game, states):
    return game.returns(states)[0].tolist() if game.terminated(states)[0] else None


# -- The worked example ---------------------------------------------------------------


EXAMPLE = """
    RB  .  X  .  .  .  .  .  .
    BR  .  .  .  X  .  .  .  .
    .   R  .  RW .  .  X  .  .
    .   .  WW X  .  .  .  .  .
    B   .  .  .  .  .  X  .  .
    WB  .  X  .  .  .  .  .  .
"""


def test_the_worked_example_of_the_document_is_followed():
    states = set_up(EXAMPLE, THREE, "sideways", 3)
    assert choices(THREE, states) == {"s", "C4C3", "C4C5", "D3D2"}
    play(THREE, states, "C4C5")
    assert "4 |   |   | W | X |" in THREE.to_text(states[0])
    assert "5 | B |   | W |   |" in THREE.to_text(states[0])
    assert THREE.to_move(states)[0] == 0
    assert THREE.info(states[0])["die"] == 3
    assert choices(THREE, states) == {"B3C3", "D3E3"}
    play(THREE, states, "B3C3")
    assert "3 |   |   | R | W |   |   | X |" in THREE.to_text(states[0])
    assert THREE.to_move(states)[0] == 1
    assert states["last_die"][0] == 3


# -- Order of play and placement ------------------------------------------------------


def draws(word, bound):
    """Yield the numbers from 0 to `bound - 1` of the stream that starts at a word."""
    word = int(word)
    while True:
        word = (word + 0x9E3779B97F4A7C15) % 2**64
        z = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        yield ((z ^ z >> 31) >> 32) * bound >> 32


def order_of_play(throws):
    """Return the players by descending throw; of equal throws, the later one is first."""
    return sorted(range(len(throws)), key=lambda player: (-throws[player], -player))


def test_throws_determine_the_order_of_play():
    assert order_of_play([3, 5, 1]) == [1, 0, 2]
    assert order_of_play([2, 2, 2]) == [2, 1, 0]
    assert order_of_play([6, 4, 6, 4, 1]) == [2, 0, 3, 1, 4]


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_the_deal_follows_from_the_stream(num_players):
    """The record's stream gives the obstacles, then one throw per player."""
    game = boardenvs.make("goat_race", num_players=num_players)
    words = np.random.default_rng(0).integers(0, 2**64, 300, np.uint64)
    ties = 0
    for word, state in zip(words, game.arrays.new(words), strict=True):
        columns = draws(word, 7)
        obstacles = [next(columns) + 1 for _ in range(6)]
        assert state["blocked"].tolist() == [1 << column for column in obstacles]
        stream = draws(word, 6)
        throws = [next(stream) for _ in range(6 + num_players)][6:]
        assert state["order"].tolist() == order_of_play(throws)
        assert state["to_move"] == state["order"][0]
        ties += len(set(throws)) < num_players
    assert ties > 30


def test_obstacles_are_uniform_between_gate_and_destination():
    states = THREE.new(3000, 5)
    columns = np.log2(states["blocked"]).astype(int)
    for row in range(6):
        counts = np.bincount(columns[:, row], minlength=9)
        assert counts[0] == counts[8] == 0
        assert np.abs(counts[1:8] - 3000 / 7).max() < 4.5 * (3000 / 7) ** 0.5


def test_given_obstacles_are_the_same_in_every_game():
    pairs = [(2, "C"), (1, "H"), (3, "B"), (4, "D"), (6, "D"), (5, "G")]
    game = boardenvs.make("goat_race", obstacles=pairs)
    ordered = [[1, "H"], [2, "C"], [3, "B"], [4, "D"], [5, "G"], [6, "D"]]
    assert game.params["obstacles"] == ordered
    states = game.new(50, 0)
    assert all(game.to_dict(state)["obstacles"] == ordered for state in states)
    assert len({tuple(state["order"]) for state in states}) == 6
    assert boardenvs.make("goat_race", **game.params) == game


def test_placement_follows_the_examples_of_the_document():
    """Goats may be placed only in the rows with the fewest goats."""
    states = THREE.new(1, 0)
    assert choices(THREE, states) == {"1", "2", "3", "4", "5", "6"}
    play(THREE, states, "1", "2", "3", "6")
    assert choices(THREE, states) == {"4", "5"}
    play(THREE, states, "5", "4")
    play(THREE, states, "1", "4")
    assert choices(THREE, states) == {"2", "3", "5", "6"}
    assert THREE.info(states[0])["die"] == 0
    order = states["order"][0].tolist()
    assert states["to_move"][0] == order[2]
    placed = stacks(THREE, states)
    assert [len(placed[f"A{row}"]) for row in range(1, 7)] == [2, 1, 1, 2, 1, 1]
    assert placed["A1"] == "WBR"[order[0]] + "WBR"[order[0]]


def test_the_first_player_in_order_starts_the_race():
    states = THREE.new(20, 3)
    for _ in range(12):
        assert (states["to_move"] == states["order"][np.arange(20), states["ply"] % 3]).all()
        assert (states["decision"] == 0).all()
        THREE.play(states, THREE.legal(states).argmax(1))
    assert (states["decision"] > 0).all()
    assert (states["die"] > 0).all()
    # Nobody is skipped: every player has a top goat on the gate, beside a free row.
    assert (states["to_move"] == states["order"][:, 0]).all()


# -- Moves ----------------------------------------------------------------------------


MIDDLE = """
    .    .   W   X  .  .  .  .  .
    W    X   B   .  .  .  .  .  .
    .    .   .   .  .  .  .  X  .
    BW   .   B   B  X  .  .  .  .
    .    .   X   .  .  .  .  .  .
    .    .   .   .  .  .  .  X  W
"""


def test_sideways_moves_follow_the_rules():
    states = set_up(MIDDLE, decision="sideways", die=4)
    assert choices(TWO, states) == {"s", "A2A1", "A2A3", "A4A3", "A4A5", "C1C2", "I6I5"}
    states = set_up(MIDDLE, decision="sideways", die=4, to_move=1)
    # D4 may move up and down. C4 may not move onto the obstacle below it.
    assert choices(TWO, states) == {"s", "C2C1", "C2C3", "C4C3", "D4D3", "D4D5"}


@pytest.mark.parametrize(
    ("die", "moves"),
    [(1, set()), (2, {"C2D2"}), (4, {"A4B4", "C4D4"}), (3, set()), (5, set()), (6, set())],
)
def test_forward_moves_follow_the_rules(die, moves):
    if moves:
        states = set_up(MIDDLE, die=die)
        assert choices(TWO, states) == moves
    else:
        with pytest.raises(ValueError, match="decision"):
            set_up(MIDDLE, die=die)


def test_a_moved_goat_covers_its_target_and_uncovers_its_origin():
    states = set_up(MIDDLE, decision="sideways", die=4)
    play(TWO, states, "A4A3")
    assert stacks(TWO, states)["A3"] == "W"
    assert stacks(TWO, states)["A4"] == "B"
    play(TWO, states, "C4D4")
    assert "C4" not in stacks(TWO, states)
    assert stacks(TWO, states)["D4"] == "BB"


def test_staying_changes_only_the_decision():
    states = set_up(MIDDLE, decision="sideways", die=4)
    before = stacks(TWO, states)
    play(TWO, states, "s")
    assert stacks(TWO, states) == before
    assert (states["decision"][0], states["die"][0], states["to_move"][0]) == (2, 4, 0)


def test_an_unusable_throw_ends_the_turn():
    states = set_up(MIDDLE, decision="sideways", die=3)
    play(TWO, states, "s")
    assert states["to_move"][0] == 1
    assert states["decision"][0] == 1
    assert states["last_die"][0] == 3
    # Sideways moves can make the row of the throw usable or useless.
    states = set_up(MIDDLE, decision="sideways", die=3)
    play(TWO, states, "A2A3")
    assert choices(TWO, states) == {"A3B3"}
    states = set_up(MIDDLE, decision="sideways", die=2, to_move=1)
    play(TWO, states, "C2C3")
    assert states["to_move"][0] == 0


def test_a_player_without_sideways_moves_moves_forward_at_once():
    """If WHITE has no top goat, or none that can move sideways, no sideways move is requested."""
    drawing = """
        WWWWB*  .  X  .  .  .  .  .  .
        B       .  .  .  .  .  X  .  .
        .       .  X  .  .  .  .  .  .
        .       .  X  .  .  .  .  .  .
        .       .  X  .  .  .  .  .  .
        .       .  X  .  .  .  .  .  .
    """
    seen = set()
    for rng in range(60):
        states = set_up(drawing, decision="sideways", die=2, to_move=1, rng=rng)
        play(TWO, states, "s", "A2B2")
        seat, decision, die = (int(states[key][0]) for key in ("to_move", "decision", "die"))
        seen.add((seat, decision, die))
        if seat == 0:
            assert choices(TWO, states) == {"A1B1" if die == 1 else "B2C2"}
    # WHITE plays throws of 1 and 2. After any other throw, BLACK throws again.
    assert seen == {(0, 2, 1), (0, 2, 2), *((1, 1, die) for die in range(1, 7))}


# -- Ends -----------------------------------------------------------------------------


NEARLY = """
    .   .   .   .   X   .   .   W   BW
    .   .   .   .   X   .   .   .   W
    B*  .   .   .   X   .   .   .   .
    .   .   .   .   X   .   .   .   .
    .   .   .   .   X   .   .   .   .
    .   .   .   .   X   .   .   .   .
"""


@pytest.mark.parametrize("mover", [0, 1])
def test_three_arrived_goats_win_for_any_mover(mover):
    states = set_up(NEARLY, die=1, to_move=mover)
    play(TWO, states, "H1I1")
    assert outcome(TWO, states) == [1, -1]
    assert stacks(TWO, states)["I1"] == "BWW"
    assert (states["die"][0], states["to_move"][0]) == (0, 1 - mover)


def test_one_of_three_players_wins_with_three_goats():
    states = set_up(
        NEARLY.replace("B*", "RB*").replace("BW", "BRW"), THREE, die=1, to_move=2, ply=200
    )
    play(THREE, states, "H1I1")
    assert outcome(THREE, states) == [1, -0.5, -0.5]


def test_covered_goats_count_as_arrived():
    states = set_up(NEARLY.replace("BW", "WB"), die=1)
    play(TWO, states, "H1I1")
    assert outcome(TWO, states) == [1, -1]


# The last goat that can move forward is on C2.
JAMMED = """
    .   .   .   W        X   .   .   .   .
    .   .   B   WWWBBB*  X   .   .   .   .
    .   .   .   .        X   .   .   .   .
    .   .   .   .        X   .   .   .   .
    .   .   .   .        X   .   .   .   .
    .   .   .   .        X   .   .   .   .
"""


def test_a_game_without_forward_moves_is_drawn():
    states = set_up(JAMMED, die=2)
    play(TWO, states, "C2D2")
    assert outcome(TWO, states) == [0, 0]
    assert (states["die"][0], states["to_move"][0]) == (0, 1)


def test_sideways_moves_continue_a_game_only_with_the_jump_rule():
    states = set_up(JAMMED, JUMP, die=2)
    play(JUMP, states, "C2D2")
    assert outcome(JUMP, states) is None
    seen = set()
    for _ in range(20):  # both players have only sideways moves
        assert states["decision"][0] == 1
        assert "s" in choices(JUMP, states)
        seen.add(int(states["to_move"][0]))
        play(JUMP, states, "s")
    assert seen == {0, 1}


def test_a_sideways_move_can_end_the_game_in_a_draw():
    drawing = """
        .   .   .   WWWBBBB*  X   .   .   .   .
        .   .   .   W         .   X   .   .   .
        .   .   .   .         X   .   .   .   .
        .   .   .   .         X   .   .   .   .
        .   .   .   .         X   .   .   .   .
        .   .   .   .         X   .   .   .   .
    """
    states = set_up(drawing, decision="sideways", die=6)
    play(TWO, states, "D2D1")
    assert outcome(TWO, states) == [0, 0]
    assert (states["die"][0], states["decision"][0], states["to_move"][0]) == (6, 2, 0)
    # If the goat below it can move forward, the game continues.
    states = set_up(drawing.replace("BBBB", "BBB").replace("  W  ", "  BW "), TWO, "sideways", 6)
    play(TWO, states, "D2D1")
    assert outcome(TWO, states) is None


def test_a_win_has_precedence_over_a_draw():
    drawing = """
        .   .   .   .   X   .   .   W   W
        .   .   .   .   X   .   .   .   W
        .   .   .   BBBW*  X   .   .   .   .
        .   .   .   .   X   .   .   .   .
        .   .   .   .   X   .   .   .   .
        .   .   .   .   X   .   .   .   .
    """
    states = set_up(drawing, die=1, to_move=1)
    play(TWO, states, "H1I1")  # nobody can move forward now
    assert outcome(TWO, states) == [1, -1]


@pytest.mark.parametrize("draw_rule", ["forward", "jump"])
def test_a_blocked_race_is_drawn_or_truncated(draw_rule):
    """A race is drawn, or truncated with "jump", if all obstacles are directly behind the gate."""
    game = boardenvs.make(
        "goat_race",
        num_players=2,
        obstacles=[(row, "B") for row in range(1, 7)],
        draw_rule=draw_rule,
        max_plies=40,
    )
    states = game.new(30, 0)
    for _ in range(8):
        assert not game.terminated(states).any()
        game.play(states, game.legal(states).argmax(1))
    assert game.terminated(states).all() == (draw_rule == "forward")
    assert not game.returns(states).any()
    rng = np.random.default_rng(0)
    while draw_rule == "jump" and not game.truncated(states).any():
        assert (states["decision"] == 1).all()  # only sideways moves
        game.play(states, np.argmax(rng.random((30, game.num_actions)) * game.legal(states), 1))
        assert (states["ply"] <= 40).all()


@pytest.mark.slow
def test_the_narrowest_board_can_be_played():
    game = boardenvs.make("goat_race", num_players=2, width=3, height=2)
    states = game.new(10, 0)
    for _ in range(8):
        game.play(states, game.legal(states).argmax(1))
    assert game.terminated(states).all()
    assert not game.returns(states).any()


@pytest.mark.parametrize("max_plies", [2, 8, 9, 30])
def test_a_game_beyond_max_plies_is_truncated(max_plies):
    game = boardenvs.make("goat_race", num_players=2, max_plies=max_plies)
    states = game.new(20, 1)
    rng = np.random.default_rng(0)
    for ply in range(max_plies):
        assert not (game.truncated(states) | game.terminated(states)).any()
        assert (states["ply"] == ply).all()
        game.play(states, np.argmax(rng.random((20, game.num_actions)) * game.legal(states), 1))
    assert game.truncated(states).all()
    assert not game.returns(states).any()


# -- Invariants -----------------------------------------------------------------------


def test_derived_fields_agree_with_the_stacks(variant, random_positions):
    letters = "WBROG"[: variant.num_players]
    for state in random_positions(variant, 4, 2)[::7]:
        piles = variant.to_dict(state)["stacks"]
        standing = "".join(piles.values())
        expected = min(4 * variant.num_players, int(state["ply"]))
        assert len(standing) == expected
        assert all(standing.count(letter) <= 4 for letter in letters)
        last = ascii_uppercase[variant.width - 1]
        for seat, letter in enumerate(letters):
            shown = sorted(key for key, pile in piles.items() if pile[-1] == letter)
            bits = [
                ascii_uppercase[c] + str(r + 1)
                for r in range(variant.height)
                for c in range(variant.width)
                if state["tops"][seat, r] >> c & 1
            ]
            assert sorted(bits) == shown
            arrived = sum(p.count(letter) for key, p in piles.items() if key[0] == last)
            assert state["arrived"][seat] == arrived


def test_random_play_of_two_has_its_known_length_and_draw_rate():
    """Two random players play about 148 actions and draw about a third of games."""
    states = TWO.new(1500, 11)
    words = np.random.default_rng(11).integers(0, 2**64, 1500, np.uint64)
    TWO.kernels.play_out(states, TWO.constants, words, np.zeros(TWO.num_actions, bool))
    assert TWO.terminated(states).all()
    assert 145 < states["ply"].mean() < 151
    draws = (~TWO.returns(states).any(1)).mean()
    assert abs(draws - 1 / 3) < 0.05
    wins = (TWO.returns(states) > 0).mean(0)
    assert abs(wins[0] - wins[1]) < 0.1


def test_conceal_resamples_only_future_dice(variant, random_positions):
    states = random_positions(variant, 20, 4)
    states = states[variant.legal(states)[:, -variant.width :].any(1)]  # before forward moves
    known = variant.conceal(states, 0, np.random.default_rng(0))
    assert (known["rng"] != states["rng"]).all()
    same = known.copy()
    same["rng"] = states["rng"]
    assert np.array_equal(same, states)
    actions = variant.legal(states).argmax(1)
    variant.play(states, actions)
    variant.play(known, actions)
    thrown = states["die"] > 0
    assert (known["stacks"] == states["stacks"]).all()
    others = (known["die"] != states["die"])[thrown].mean()
    assert abs(others - (1 - 1 / variant.height)) < 0.16


def test_a_race_without_a_throw_is_refused():
    states = TWO.new(1, 0)
    for _ in range(8):
        TWO.play(states, TWO.legal(states).argmax(1))
    assert states["die"] > 0
    states["die"] = 0
    with pytest.raises(ValueError, match="goat_race position"):
        TWO.legal(states)


# -- Observation ----------------------------------------------------------------------


def expected_observation(game, state, seat):
    """Return the observation from the position's dictionary, as the page describes it."""
    data = game.to_dict(state)
    n, height, width = game.num_players, game.height, game.width
    k = data["order"].index(seat)
    letters = ["WBROG"[s] for s in data["order"][k:] + data["order"][:k]]
    planes = np.zeros(game.observation_shape, np.int8)

    def cell(address):
        return int(address[1:]) - 1, ascii_uppercase.index(address[0])

    for address, pile in data["stacks"].items():
        planes[letters.index(pile[-1])][cell(address)] = 1
        if game.params["memory"]:
            for below, letter in enumerate(pile[-2::-1]):
                planes[2 * n + 5 + below * n + letters.index(letter)][cell(address)] = 1
    for row, column in data["obstacles"]:
        planes[n][cell(f"{column}{row}")] = 1
    if data["die"]:
        planes[n + 1, data["die"] - 1] = 1
    planes[n + 2 + ["place", "sideways", "forward"].index(data["decision"])] = 1
    planes[n + 5 + letters.index("WBROG"[data["to_move"]])] = 1
    assert planes.shape[1:] == (height, width)
    return planes


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize(
    "name", ["two", "three", "small", pytest.param("largest", marks=pytest.mark.slow)]
)
def test_the_observation_contains_the_position(name, memory, random_positions):
    game = boardenvs.make("goat_race", **VARIANTS[name], memory=memory)
    n = game.num_players
    planes = 2 * n + 5 + (4 * n - 1) * n * memory
    assert game.observation_shape == (planes, game.height, game.width)
    for state in random_positions(game, 2, 3)[::5]:
        for seat in range(n):
            seen = game.observe(state, seat)[0]
            np.testing.assert_array_equal(seen, expected_observation(game, state, seat))


# -- Arguments ------------------------------------------------------------------------


GOOD = [(1, "C"), (2, "E"), (3, "G"), (4, "D"), (5, "G"), (6, "C")]
BAD_OBSTACLES = [
    [],
    GOOD[:5],
    [*GOOD, (6, "D")],
    [*GOOD[:5], (5, "C")],
    [*GOOD[:5], (7, "C")],
    [*GOOD[:5], (0, "C")],
    [*GOOD[:5], (6, "A")],
    [*GOOD[:5], (6, "I")],
    [*GOOD[:5], (6, "J")],
    [*GOOD[:5], (6, "c")],
    [*GOOD[:5], (6, "CD")],
    [*GOOD[:5], (6, "")],
    [*GOOD[:5], (6, 3)],
    [*GOOD[:5], ("C", 6)],
    [*GOOD[:5], (6.0, "C")],
    [*GOOD[:5], (True, "C")],
    [*GOOD[:5], (6,)],
    [*GOOD[:5], 6],
    [*GOOD[:5], "6C"],
    {1: "C"},
    "C1 E2",
    5,
    True,
]


@pytest.mark.parametrize("obstacles", BAD_OBSTACLES, ids=str)
def test_bad_obstacles_are_refused(obstacles):
    with pytest.raises(ValueError, match="obstacles") as error:
        boardenvs.make("goat_race", obstacles=obstacles)
    assert "\n" not in str(error.value)


def test_the_number_of_actions_depends_on_the_board():
    for num_players, width, height in itertools.product((2, 5), (3, 9, 26), (2, 9)):
        game = boardenvs.make("goat_race", num_players=num_players, width=width, height=height)
        assert game.num_actions == height + 2 * height * width + 1 + width
        assert game.state_dtype.itemsize < 4096
    assert THREE.num_actions == 124


@pytest.mark.parametrize("compiled", [True, False])
def test_a_stack_has_the_same_size_in_plain_python(compiled):
    # In plain Python, adding NumPy truth values gives a truth value instead of a number.
    count = size if compiled else getattr(size, "py_func", size)
    for seat in range(5):
        stacks = np.zeros(21, np.int64)
        for goats in range(20):
            stacks[goats + 1] = stacks[goats] << 3 | (seat + 1)
        assert [int(count(stack)) for stack in stacks] == list(range(21))
