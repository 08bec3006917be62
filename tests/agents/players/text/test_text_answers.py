"""Extraction of a move from an answer."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import boardenvs
from agents.players.text.answers import LONGEST, MoveError, find_move, read_move

GAMES = {name: boardenvs.make(name) for name in boardenvs.GAMES}
ONE_LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"))


FORMS = r"""
@
  @.
`@`
**@**
"@"
(@)
[@]
{@}
$@$
<@>
***@***
@</s>
@<|im_end|>
@<|eot_id|>
@<eos>
@<end_of_turn>
Move: @
move:@
MOVE : @
My move: @.
Next move: @
Best move: @
**Move:** @
**Move**: `@`
**Move: @**
### Move: @
- Move: @
> Move: @
Move: "@"
Move: “@”
Move: @</s>
Move: @<|im_end|>
Move: @ (the best one)
Move: @ [only move]
Move: **@** (it stops a line).
Move: `@` (see above)
Move: (@)
Move: @↵That is all.
Move:↵@
Move:↵↵@↵↵I like it.
Move:↵```↵@↵```
**Move:**↵`@`
Answer: @
Final answer: @
**Final Answer:** @
Final answer:↵@
Final answer: **@**.
The answer: \boxed{@}
{"move": "@"}
{"answer": "@"}
```json↵{"move": "@"}↵```
\boxed{@}
$\boxed{@}$
\(\boxed{@}\)
\boxed{\text{@}}
\boxed{\textbf{@}}
\boxed{\mathrm{@}}
\boxed{"@"}
\boxed{Move: @}
\boxed {@}
I take it. $$\boxed{@}$$↵That is final.
\boxed{@} and so \boxed{@}
<answer>@</answer>
<answer> @ </answer>
<answer>Move: @</answer>
<answer>↵@↵</answer>
<answer>**@**</answer></s>
<answer>\boxed{@}</answer>
<think>Move: ?? or \boxed{??}</think>@
<think>↵Move: ??↵</think>↵↵Move: @
<think>It hurts.</think><answer>@</answer>
I thought for long.↵@
I thought for long.↵↵**@**↵
Move: ??↵No, wait.↵Move: @
Move: ?? or rather move: @
Move: ??↵↵\boxed{@}
""".strip("\n").split("\n")
"""Forms of answers: `@` is the move, `??` another legal move, and `↵` a new line."""


def test_the_move_is_read_in_every_form(name, random_positions):
    assert len(FORMS) >= 60
    game = GAMES[name]
    states = random_positions(game, 6, 1)
    for state in states[~game.over(states)][::20]:
        legal = np.flatnonzero(game.legal(game.arrays.batch(state))[0])
        texts = [game.action_to_text(int(action), state) for action in legal]
        for number, form in enumerate(FORMS):
            action, text = legal[number % len(legal)], texts[number % len(legal)]
            answer = form.replace("@", text).replace("??", texts[number % len(legal) - 1])
            answer = answer.replace("↵", "\n")
            assert tried(game, state, answer) == (action, None), answer


@pytest.mark.parametrize(
    "form",
    [
        "@ or ??",
        "@, then ??",
        "Move: @ and ??",
        "Move: @ (??)",
        "@ [??]",
        r"\boxed{@} or \boxed{??}",
        "<answer>@</answer> <answer>??</answer>",
        r"<answer>@</answer>, so \boxed{??}",
        "I take @.",
        "@ is better than ??",
        "not @",
        "@ - a fine move",
        "Move:",
        r"\boxed{}",
        "Move: @↵Move:",
        "Move: @↵Answer: none",
        "@↵I am sure.",
    ],
)
def test_an_answer_with_two_moves_or_other_words_is_refused(name, form, random_positions):
    game = GAMES[name]
    states = random_positions(game, 6, 1)
    for state in states[~game.over(states)][::20]:
        legal = np.flatnonzero(game.legal(game.arrays.batch(state))[0])
        texts = [game.action_to_text(int(action), state) for action in legal[[0, -1]]]
        if len(legal) > 1:
            answer = form.replace("@", texts[0]).replace("??", texts[1]).replace("↵", "\n")
            assert tried(game, state, answer)[0] is None, answer


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("", "^it was empty$"),
        (" \n\n", "^it was empty$"),
        ("**", "^it was empty$"),
        ("Move: A1\nMove:", '^nothing stands after the last "Move:"$'),
        ("Final answer:", '^nothing stands after the last "answer:"$'),
        (f"Move: {'A' * (LONGEST + 1)}", "^a move has at most 100 characters$"),
        (r"\boxed{Z9 (far)}", r"^Z9 \(far\): 'Z9' is off the board"),
        ("Move: <Z9>", "^<Z9>: 'Z9' is off the board"),
        (r"\boxed{A1}, no, \boxed{B2}", "^it has different moves, A1 and B2$"),
        ("A1 (B2)", "^it has different moves, A1 and B2$"),
    ],
)
def test_an_answer_without_a_move_is_refused(answer, error):
    game = GAMES["gekitai"]
    with pytest.raises(MoveError, match=error):
        read_move(game, game.new(1, 0)[0], answer)


@pytest.mark.parametrize("answer", ["A1", "Move: A1", "I take the corner.\n\n**Move:** `A1`."])
def test_a_strict_reader_accepts_the_form_of_the_prompt(answer):
    game = GAMES["gekitai"]
    assert read_move(game, game.new(1, 0)[0], answer, strict=True) == 0


@pytest.mark.parametrize(
    "answer",
    [
        "Hm.\nA1",
        "Move:\nA1",
        r"\boxed{A1}",
        "<answer>A1</answer>",
        "Answer: A1",
        "A1 (far)",
        "A1</s>",
    ],
)
def test_a_strict_reader_refuses_other_forms(answer):
    game = GAMES["gekitai"]
    with pytest.raises(MoveError):
        read_move(game, game.new(1, 0)[0], answer, strict=True)


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
