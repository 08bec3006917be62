"""Extraction of a move from an answer."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import boardenvs
from agents.players.text.answers import LONGEST, MoveError, find_move, read_move

GAMES = {name: boardenvs.make(name) for name in boardenvs.GAMES}
ONE_LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"))


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ("C3", "C3"),
        ("  C3.\n", "C3"),
        ("Move: C3", "C3"),
        ("move:c3", "c3"),
        ("MOVE : C3", "C3"),
        ("I take the middle.\n\nMove: C3\n", "C3"),
        ("My move: C3.", "C3"),
        ("**Move:** C3", "C3"),
        ("**Move**: `C3`", "C3"),
        ('Move: "7 H"', "7 H"),
        ("Move: (0,6)", "0,6"),
        ("Move: A1\nNo, wait.\nMove: B2", "B2"),
        ("Move: A1 or rather move: B2", "B2"),
        ("Move: Garden Feast\nThat is all", "Garden Feast"),
        ("Remove: A1\nMove: B2", "B2"),
        ("Move: B2\nI remove: A1", "B2"),
        ("Move: C3\r\nbye", "C3"),
    ],
)
def test_the_move_is_found_in_an_answer(answer, move):
    assert find_move(answer) == move


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("", "it was empty"),
        (" \n\n", "it was empty"),
        ("**", "it was empty"),
        ("C3\nC4", 'no line of your answer has "Move:"'),
        ("Move: A1\nMove:", 'nothing stands after the last "Move:"'),
        ("Move:\nA1", 'nothing stands after the last "Move:"'),
        (f"Move: {'A' * (LONGEST + 1)}", "at most 100 characters"),
    ],
)
def test_an_answer_without_a_move_is_refused(answer, error):
    with pytest.raises(MoveError, match=error):
        find_move(answer)


def test_every_legal_move_is_found_in_any_text(name, random_positions):
    game = GAMES[name]
    states = random_positions(game, 6, 1)
    for state in states[~game.over(states)][::20]:
        for action in np.flatnonzero(game.legal(game.arrays.batch(state))[0]):
            text = game.action_to_text(int(action), state)
            for answer in (text, f"Move: A1\nHm.\n\n**Move:** `{text}`.\n", f"move: {text}"):
                assert read_move(game, state, answer) == action


@given(before=st.text(), after=st.text(), move=st.from_regex(r"[A-Za-z0-9 ,]{1,9}", fullmatch=True))
@example(before="Move: ", after="\nMove", move="A1")
def test_the_last_move_of_an_answer_counts(before, after, move):
    if not move.strip() or "move" in f"{after}{move}".lower():
        return
    assert find_move(f"{before}\nMove: {move}\n{after}") == move.strip()


@given(answer=st.text() | ONE_LINE.map("Move: {}".format), name=st.sampled_from(sorted(GAMES)))
@example(answer="Move: ²", name="pizza_order")
@example(answer="Move: \ud800", name="gekitai")
@example(answer="9" * 5000, name="gomoku")
def test_any_answer_is_a_legal_move_or_refused_in_one_line(answer, name):
    game = GAMES[name]
    states = game.new(1, 0)
    action, refusal = tried(game, states[0], answer)
    if refusal is None:
        assert game.legal(states)[0, action]
    else:
        assert str(refusal).isprintable()
        assert len(str(refusal)) < 1000
        assert refusal.action is None or not game.legal(states)[0, refusal.action]


def tried(game, state, answer):
    """Return the action and the error, one of which is `None`."""
    try:
        return read_move(game, state, answer), None
    except MoveError as refusal:
        return None, refusal


def test_the_error_of_an_illegal_move_has_its_action():
    game = GAMES["gekitai"]
    states = game.new(1, 0)
    game.play(states, [7])
    with pytest.raises(MoveError, match=r"^b2 is not legal here$") as caught:
        read_move(game, states[0], "Move: b2")
    assert caught.value.action == 7
    with pytest.raises(MoveError, match=r"^Z9: 'Z9' is off the board") as caught:
        read_move(game, states[0], "Move: Z9")
    assert caught.value.action is None
