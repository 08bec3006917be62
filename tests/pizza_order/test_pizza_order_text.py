"""The pizza order in text and JSON: the dialogue, typed answers, and positions."""

from __future__ import annotations

import pytest

import boardenvs

CUSTOM, DONE, YES, NO = 4, 20, 21, 22

# The page's example: one custom pizza.
SAMPLE = """\
Pizza order 1:
1. Hawaiian
2. Garden Feast
3. Meat Festival
4. Carbonara
5. Custom
Select a flavor: 5
1: Ham, 2: Sausage, 3: Bacon, 4: Beef, 5: Meatball
6: Spinach, 7: Olive, 8: Mushroom, 9: Tomato, 10: Eggplant
11: Garlic, 12: Cheese, 13: Pineapple, 14: Onion, 15: Caper
Select id's of ingredients: 3 5 7 10 12 15
Do you want more pizzas (y/n)? n
Pizza order 1's summary:
1. Custom (Bacon, Meatball, Olive, Eggplant, Cheese, Caper)
"""
SAMPLE_ANSWERS = [CUSTOM, 7, 9, 11, 14, 16, 19, DONE, NO]

MENU = "1. Hawaiian\n2. Garden Feast\n3. Meat Festival\n4. Carbonara\n5. Custom\n"
INGREDIENTS = """\
1: Ham, 2: Sausage, 3: Bacon, 4: Beef, 5: Meatball
6: Spinach, 7: Olive, 8: Mushroom, 9: Tomato, 10: Eggplant
11: Garlic, 12: Cheese, 13: Pineapple, 14: Onion, 15: Caper
"""
FLAVOR = f"{MENU}Select a flavor: "
CHOOSE = f"{INGREDIENTS}Select id's of ingredients: "
MORE = "Do you want more pizzas (y/n)? "


@pytest.fixture(scope="module")
def pizza():
    return boardenvs.make("pizza_order")


@pytest.fixture(scope="module")
def two():
    return boardenvs.make("pizza_order", max_pizzas=2)


# -- The dialogue ---------------------------------------------------------------------

DIALOGUES = [
    ([], FLAVOR),
    ([0], f"{FLAVOR}1\n{MORE}"),
    ([CUSTOM], f"{FLAVOR}5\n{CHOOSE}"),
    ([CUSTOM, 5], f"{FLAVOR}5\n{CHOOSE}1"),
    ([CUSTOM, 19, 5], f"{FLAVOR}5\n{CHOOSE}15 1"),
    ([CUSTOM, 19, 5, DONE], f"{FLAVOR}5\n{CHOOSE}15 1\n{MORE}"),
    ([CUSTOM, 19, DONE, YES], f"{FLAVOR}5\n{CHOOSE}15\n{MORE}y\n{FLAVOR}"),
    (
        [3, NO],
        f"{FLAVOR}4\n{MORE}n\nPizza order 1's summary:\n1. Carbonara (Bacon, Cheese)",
    ),
    # The shop accepts two pizzas, so the order ends as if the customer had said no.
    (
        [3, YES, 0],
        f"{FLAVOR}4\n{MORE}y\n{FLAVOR}1\n{MORE}n\nPizza order 1's summary:\n"
        "1. Carbonara (Bacon, Cheese)\n2. Hawaiian (Ham, Pineapple)",
    ),
    (
        [3, YES, CUSTOM, 14, 6, DONE],
        f"{FLAVOR}4\n{MORE}y\n{FLAVOR}5\n{CHOOSE}10 2\n{MORE}n\nPizza order 1's summary:\n"
        "1. Carbonara (Bacon, Cheese)\n2. Custom (Eggplant, Sausage)",
    ),
]


@pytest.mark.parametrize(("answers", "text"), DIALOGUES)
def test_the_dialogue_is_printed(two, answers, text):
    text = f"Pizza order 1:\n{text}\n"
    state = two.from_dict({"wanted": [[3, 12]], "answers": answers})
    assert two.to_text(state) == text
    for given_text in (text, text.rstrip("\n"), text.rstrip(), text.replace(" \n", "\n")):
        assert two.from_text(given_text, wanted=[[3, 12]]) == state
    assert two.to_dict(state)["answers"] == answers


def test_the_sample_of_the_page_round_trips(pizza):
    states = pizza.restore({"wanted": [[3, 5, 7, 10, 12, 15]], "answers": []})
    for answer in SAMPLE_ANSWERS:
        pizza.play(states, [answer], illegal="raise")
    assert pizza.to_text(states[0]) == SAMPLE
    assert pizza.from_text(SAMPLE) == states[0]
    assert pizza.returns(states)[0, 0] == 1


def test_the_default_wanted_order_is_the_given_one(pizza):
    def wanted(*answers):
        text = pizza.to_text(pizza.from_dict({"wanted": [[9]], "answers": list(answers)}))
        return pizza.to_dict(pizza.from_text(text))["wanted"]

    assert wanted() == wanted(CUSTOM) == [[1, 13]]
    assert wanted(1, YES) == [[6, 7, 8, 9, 10]]
    assert wanted(3, YES, CUSTOM, 7, 5) == [[3, 12], [1, 3]]
    assert pizza.from_text(SAMPLE)["returns"][0] == 1
    assert pizza.from_text(SAMPLE, wanted=[[3]])["returns"][0] == 0


def test_turn_and_ply_are_optional_and_checked(pizza):
    assert pizza.from_text(SAMPLE, to_move=0, ply=9)["ply"] == 9
    for wrong in ({"to_move": 1}, {"ply": 8}, {"ply": 10}, {"to_move": False}, {"ply": 9.0}):
        with pytest.raises(ValueError, match=r"to_move|ply"):
            pizza.from_text(SAMPLE, **wrong)
    for nothing_wanted in ([[0]], [], [[]], ((1,),), "1"):
        with pytest.raises(ValueError, match="wanted"):
            pizza.from_text(SAMPLE, wanted=nothing_wanted)


FLAWED = [
    "",
    "\n",
    "Pizza order 1:",
    f"Pizza order 1:\n{MENU}",
    f"Pizza order 2:\n{FLAVOR}",
    f"pizza order 1:\n{FLAVOR}",
    f" Pizza order 1:\n{FLAVOR}",
    f"\nPizza order 1:\n{FLAVOR}",
    f"Pizza order 1:\n{FLAVOR}\n\n",
    f"Pizza order 1:\n\n{FLAVOR}",
    f"Pizza order 1:\n{FLAVOR}0",
    f"Pizza order 1:\n{FLAVOR}6",
    f"Pizza order 1:\n{FLAVOR}1",  # the next question is missing
    f"Pizza order 1:\n{FLAVOR}01\n{MORE}",
    f"Pizza order 1:\n{FLAVOR}1 1\n{MORE}",
    f"Pizza order 1:\n{FLAVOR}Hawaiian\n{MORE}",
    f"Pizza order 1:\n{FLAVOR}\u0661\n{MORE}",
    f"Pizza order 1:\n{FLAVOR}{'1' * 5000}\n{MORE}",
    f"Pizza order 1:\n{FLAVOR}1\n{CHOOSE}",
    f"Pizza order 1:\n{FLAVOR}5\n{MORE}",
    f"Pizza order 1:\n{FLAVOR}5\n{CHOOSE}\n{MORE}",  # no ingredient
    f"Pizza order 1:\n{FLAVOR}5\n{CHOOSE}3 3",
    f"Pizza order 1:\n{FLAVOR}5\n{CHOOSE}0",
    f"Pizza order 1:\n{FLAVOR}5\n{CHOOSE}16",
    f"Pizza order 1:\n{FLAVOR}5\n{CHOOSE}3  5",
    f"Pizza order 1:\n{FLAVOR}5\n{CHOOSE}3, 5",
    f"Pizza order 1:\n{FLAVOR}1\n{MORE}y",
    f"Pizza order 1:\n{FLAVOR}1\n{MORE}n",  # the summary is missing
    f"Pizza order 1:\n{FLAVOR}1\n{MORE}Y\n{FLAVOR}",
    f"Pizza order 1:\n{FLAVOR}1\n{MORE}maybe\n{FLAVOR}",
    SAMPLE.replace("Caper)", "Onion)"),
    SAMPLE.replace("1. Custom", "2. Custom"),
    SAMPLE.replace("order 1's", "order 2's"),
    SAMPLE.replace("3: Bacon", "3: Ham"),
    SAMPLE.replace("2. Garden Feast\n", ""),
    SAMPLE + "1. Custom (Bacon)\n",
    SAMPLE + f"{MORE}n\n",
    SAMPLE * 2,
    # The shop does not accept a fourth pizza.
    "Pizza order 1:\n" + f"{FLAVOR}1\n{MORE}y\n" * 3 + FLAVOR,
    "Pizza order 1:\n" + f"{FLAVOR}1\n{MORE}y\n" * 2 + f"{FLAVOR}1\n{MORE}",
]


@pytest.mark.parametrize("text", FLAWED, ids=range(len(FLAWED)))
def test_invalid_dialogues_are_refused(pizza, text):
    with pytest.raises(ValueError, match=r"line|ends|expected|answers") as error:
        pizza.from_text(text)
    assert "\n" not in str(error.value)


# -- Fields that the text does not show ------------------------------------------------


def test_the_turn_line_contains_the_wanted_order(pizza):
    state = pizza.from_dict({"wanted": [[12, 3], [1], [13, 1]], "answers": []})
    assert pizza.presentation.turn_line(state) == (
        "Wanted: 1. Carbonara (Bacon, Cheese); 2. Custom (Ham); 3. Hawaiian (Ham, Pineapple)"
    )
    assert pizza.to_dict(state)["wanted"] == [[3, 12], [1], [1, 13]]


# -- Actions --------------------------------------------------------------------------

NAMES = [
    *("Hawaiian", "Garden Feast", "Meat Festival", "Carbonara", "Custom"),
    *("Ham", "Sausage", "Bacon", "Beef", "Meatball"),
    *("Spinach", "Olive", "Mushroom", "Tomato", "Eggplant"),
    *("Garlic", "Cheese", "Pineapple", "Onion", "Caper"),
    *("done", "y", "n"),
]


def test_actions_can_be_given_by_name(pizza):
    assert pizza.num_actions == 23
    assert [pizza.action_to_text(action) for action in range(23)] == NAMES
    for action, name in enumerate(NAMES):
        for text in (name, name.lower(), f"  {name.upper()}\t"):
            assert pizza.action_from_text(text) == action
    assert pizza.action_from_text("yes") == YES
    assert pizza.action_from_text("NO") == NO
    assert pizza.action_from_text("garden  feast") == 1


def test_numbers_answer_the_current_question(pizza):
    def position(*answers):
        return pizza.from_dict({"wanted": [[1]], "answers": list(answers)})

    assert [pizza.action_from_text(str(k), position()) for k in range(1, 6)] == [*range(5)]
    named = [pizza.action_from_text(f" {k} ", position(CUSTOM)) for k in range(1, 16)]
    assert named == [*range(5, 20)]
    for text, state in [
        ("0", position()),
        ("6", position()),
        ("16", position(CUSTOM)),
        ("1", position(0)),
        ("1", None),
        ("\u0661", position()),
        ("1 2", position(CUSTOM)),
        ("-1", position()),
        ("1" * 5000, position()),
    ]:
        with pytest.raises(ValueError, match="expected a") as error:
            pizza.action_from_text(text, state)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["", "pizza", "Ham Beef", "done!", "y n", "1.", "Custom\x00"])
def test_invalid_answers_are_refused(pizza, text):
    with pytest.raises(ValueError, match="a flavour, an ingredient, done, y or n"):
        pizza.action_from_text(text)


# -- JSON -----------------------------------------------------------------------------


def test_the_dictionary_contains_the_position(pizza):
    states = pizza.new(1, 3)
    pizza.play(states, [CUSTOM])
    pizza.play(states, [7])
    data = pizza.to_dict(states[0])
    assert data.pop("rng") == int(states["rng"][0])
    assert data == {
        "game": "pizza_order",
        "params": {"max_pizzas": 3, "max_plies": 53},
        "wanted": [[2, 3, 4, 5], [2, 3, 4, 5]],
        "answers": [CUSTOM, 7],
        "to_move": 0,
        "ply": 2,
        "last_action": 7,
        "offender": -1,
        "terminated": False,
        "truncated": False,
        "returns": [0.0],
    }


WANTED = {"wanted": [[1, 13]]}
WRONG = {
    "nothing wanted": {"wanted": [], "answers": []},
    "too much wanted": {"wanted": [[1]] * 4, "answers": []},
    "an empty pizza": {"wanted": [[]], "answers": []},
    "an ingredient twice": {"wanted": [[1, 1]], "answers": []},
    "ingredient 0": {"wanted": [[0]], "answers": []},
    "ingredient 16": {"wanted": [[16]], "answers": []},
    "a truth value": {"wanted": [[True]], "answers": []},
    "a float": {"wanted": [[1.0]], "answers": []},
    "a name": {"wanted": [["Ham"]], "answers": []},
    "a flavour": {"wanted": ["Hawaiian"], "answers": []},
    "a tuple": {"wanted": ((1,),), "answers": []},
    "answers as text": {**WANTED, "answers": "15"},
    "an action below": {**WANTED, "answers": [-1]},
    "an action above": {**WANTED, "answers": [23]},
    "a float of an action": {**WANTED, "answers": [0.0]},
    "a truth value of one": {**WANTED, "answers": [False]},
    "no answer to the question": {**WANTED, "answers": [YES]},
    "nothing on the pizza": {**WANTED, "answers": [CUSTOM, DONE]},
    "twice on the pizza": {**WANTED, "answers": [CUSTOM, 7, 7]},
    "after the end": {**WANTED, "answers": [0, NO, 0]},
    "after the last pizza": {**WANTED, "answers": [0, YES, 0, YES, 0, NO]},
    "a million answers": {**WANTED, "answers": [0, YES] * 500_000},
    "the wrong ply": {**WANTED, "answers": [0], "ply": 2},
    "another last action": {**WANTED, "answers": [0], "last_action": 1},
    "a last action too many": {**WANTED, "answers": [], "last_action": 1},
    "over, says the dictionary": {**WANTED, "answers": [0], "terminated": True},
    "not over, says the dictionary": {**WANTED, "answers": [0, NO], "terminated": False},
    "wrong, says the dictionary": {**WANTED, "answers": [0, NO], "returns": [0]},
    "truncated, says the dictionary": {**WANTED, "answers": [0], "truncated": True},
    "an offender after the end": {**WANTED, "answers": [0, NO], "offender": 0},
}


@pytest.mark.parametrize("data", WRONG.values(), ids=WRONG)
def test_invalid_positions_are_refused(pizza, data):
    fields = "wanted|answers|ply|last_action|terminated|returns|truncated|offender"
    with pytest.raises(ValueError, match=fields) as error:
        pizza.from_dict(data)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


def test_answers_past_max_plies_are_refused():
    game = boardenvs.make("pizza_order", max_plies=2)
    assert game.from_dict({**WANTED, "answers": [0, YES]})["truncated"]
    with pytest.raises(ValueError, match=r"answers.*3 of 3"):
        game.from_dict({**WANTED, "answers": [0, YES, 0]})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("asks", 3),
        ("asks", 2),
        ("num_taken", 9),
        ("num_wanted", 0),
        ("num_wanted", 4),
        ("flavor", 1),
        ("wanted", 0xFFFF),
    ],
)
def test_invalid_records_are_not_restored(pizza, field, value):
    states = pizza.restore({**WANTED, "answers": [CUSTOM, 7]})
    states[field] = value
    with pytest.raises(ValueError, match=r"wanted|answers|position|ply"):
        pizza.restore(states)
