"""The console program of the pizza order and the classes of its source document.

`sample_run.txt` is the document's sample run as shown on a terminal, including typed answers. The
text extracted from the document is garbled there.
"""

import builtins
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keyboards import answering

import boardenvs
from boardenvs.pizza_order.__main__ import main
from boardenvs.pizza_order.console import Pizza, PizzaOrder

SAMPLE_RUN = (Path(__file__).parent / "sample_run.txt").read_text(encoding="ascii")
QUESTION = re.compile(r"^(Select [^:]*: |Do you .*\? )(.*)$", re.MULTILINE)
TYPED = [answer for _, answer in QUESTION.findall(SAMPLE_RUN)]

MENU = "1. Hawaiian\n2. Garden Feast\n3. Meat Festival\n4. Carbonara\n5. Custom\n"
NO_FLAVOR = "Please enter a number from 1 to 5.\n"
NO_INGREDIENTS = "Please enter one or more numbers from 1 to 15, with blanks between.\n"
NEITHER = "Please answer y or n.\n"


@pytest.fixture(autouse=True)
def _first_order(monkeypatch):
    monkeypatch.setattr(PizzaOrder, "total_orders", 0)


def run_program(typed, *argv):
    """Run `python -m boardenvs.pizza_order` with piped standard input."""
    command = [sys.executable, "-m", "boardenvs.pizza_order", *argv]
    return subprocess.run(command, input=typed, capture_output=True, timeout=120, check=False)


# -- The document's sample run ----------------------------------------------------------


def test_the_sample_run_gives_its_answers():
    assert [
        *("1", "y", "3", "n"),
        *("4", "y", "5", "3 5 7 10 12 15", "y", "5", "4 6 8 9 11 13", "n"),
        *("2", "n"),
    ] == TYPED


def test_the_sample_run_works_on_a_terminal(keyboard, capsys):
    keyboard(*TYPED)
    assert main([]) == 0
    assert capsys.readouterr().out == SAMPLE_RUN


def test_the_client_code_of_the_document_runs(keyboard, capsys):
    keyboard(*TYPED)
    PizzaOrder.total_orders = 0
    orders = []
    for _ in range(3):
        orders.append(PizzaOrder())
        print(orders[-1])
    assert capsys.readouterr().out == SAMPLE_RUN
    assert [order.order for order in orders] == [1, 2, 3]
    assert PizzaOrder.total_orders == 3
    assert [[p.flavor for p in order.pizza_list] for order in orders] == [
        ["Hawaiian", "Meat Festival"],
        ["Carbonara", "Custom", "Custom"],
        ["Garden Feast"],
    ]
    assert orders[1].pizza_list[1].ingreds == [3, 5, 7, 10, 12, 15]


@pytest.mark.slow
def test_the_sample_run_works_with_standard_input():
    printed = re.sub(QUESTION.pattern + "\n", r"\1", SAMPLE_RUN, flags=re.MULTILINE)
    done = run_program("".join(f"{line}\n" for line in TYPED).encode())
    assert (done.stdout.decode(), done.stderr, done.returncode) == (printed, b"", 0)


def test_the_program_restarts_its_counter(keyboard, capsys):
    PizzaOrder.total_orders = 7
    keyboard(*TYPED)
    assert main([]) == 0
    assert capsys.readouterr().out == SAMPLE_RUN


# -- Pizza ------------------------------------------------------------------------------


def test_ingredients_and_flavors_are_those_of_the_document():
    assert list(Pizza.ingredients) == list(range(1, 16))
    assert (Pizza.ingredients[1], Pizza.ingredients[10], Pizza.ingredients[15]) == (
        "Ham",
        "Eggplant",
        "Caper",
    )
    assert Pizza.flavors == {
        "Hawaiian": [1, 13],
        "Garden Feast": [6, 7, 8, 9, 10],
        "Meat Festival": [2, 3, 4, 5],
        "Carbonara": [3, 12],
        "Custom": [],
    }


@pytest.mark.parametrize(
    ("flavor", "ids", "text"),
    [
        ("Custom", [3, 5], "Custom (Bacon, Meatball)"),
        ("Custom", [5, 3], "Custom (Meatball, Bacon)"),
        ("Hawaiian", None, "Hawaiian (Ham, Pineapple)"),
        ("Garden Feast", None, "Garden Feast (Spinach, Olive, Mushroom, Tomato, Eggplant)"),
        ("Meat Festival", [1], "Meat Festival (Sausage, Bacon, Beef, Meatball)"),
        ("Carbonara", [], "Carbonara (Bacon, Cheese)"),
    ],
)
def test_a_pizza_has_flavor_ingredients_and_text(flavor, ids, text):
    pizza = Pizza(flavor, ids)
    assert pizza.flavor == flavor
    assert pizza.ingreds == (ids if flavor == "Custom" else Pizza.flavors[flavor])
    assert str(pizza) == text


def test_a_custom_pizza_has_its_own_ingredients():
    Pizza("Carbonara").ingreds.append(1)
    assert Pizza("Carbonara").ingreds == [3, 12]


@pytest.mark.parametrize("flavor", ["", "hawaiian", "Margherita", None, 1, ["Custom"]])
def test_an_unknown_flavor_is_refused(flavor):
    with pytest.raises(ValueError, match="flavor") as error:
        Pizza(flavor, [1])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("ids", [None, "1", 1, [0], [16], ["1"], [1.0], [True], (1,), [None]])
def test_unknown_ingredients_are_refused(ids):
    with pytest.raises(ValueError, match="custom_ingreds") as error:
        Pizza("Custom", ids)
    assert "\n" not in str(error.value)


# -- The menus --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        (["1"], ("Hawaiian", None)),
        ([" 4\t"], ("Carbonara", None)),
        (["02"], ("Garden Feast", None)),
        (["5", "15"], ("Custom", [15])),
        (["5", "  5 3   1 "], ("Custom", [5, 3, 1])),
        (["5", "3 3"], ("Custom", [3, 3])),
        (["5", "1 2 1"], ("Custom", [1, 2, 1])),
        (["5", "7 " * 100], ("Custom", [7] * 100)),
        (["5", " ".join(map(str, range(15, 0, -1)))], ("Custom", list(range(15, 0, -1)))),
    ],
)
def test_select_menu_returns_the_chosen_ingredients(typed, answer, keyboard):
    keyboard(*typed)
    assert PizzaOrder.select_menu() == answer


HOSTILE = ["", " ", "0", "6", "16", "-1", "+1", "1.0", "1,2", "one", "1 x", "\u0661", "\u00b2"]
HOSTILE += ["1_0", "0x1", "9" * 5000, "0" * 5000 + "x", "\x00", "Custom", "y"]


@pytest.mark.parametrize("typed", HOSTILE, ids=lambda typed: ascii(typed)[:12])
def test_an_invalid_flavor_is_asked_again(typed, keyboard, capsys):
    keyboard(typed, "3")
    assert PizzaOrder.select_menu() == ("Meat Festival", None)
    assert capsys.readouterr().out == (
        f"{MENU}Select a flavor: {typed}\n{NO_FLAVOR}Select a flavor: 3\n"
    )


@pytest.mark.parametrize(
    "typed",
    [*(t for t in HOSTILE if t != "6"), "1 2 16", "3 3 0"],
    ids=ascii,
)
def test_invalid_ingredients_are_asked_again(typed, keyboard, capsys):
    keyboard("5", typed, "6 2")
    assert PizzaOrder.select_menu() == ("Custom", [6, 2])
    question = "Select id's of ingredients: "
    out = capsys.readouterr().out
    assert out.endswith(f"{question}{typed}\n{NO_INGREDIENTS}{question}6 2\n")


def test_a_repeated_ingredient_is_in_the_summary_each_time(keyboard):
    keyboard("5", "3 3", "n")
    assert str(PizzaOrder()) == "Pizza order 1's summary:\n1. Custom (Bacon, Bacon)"


@pytest.mark.parametrize("typed", ["n", "N", " n", "n  ", "\tN "])
def test_the_answer_no_ends_an_order(typed, keyboard):
    keyboard("1", typed)
    assert len(PizzaOrder().pizza_list) == 1


@pytest.mark.parametrize("typed", ["y", "Y", "  y", "Y\t"])
def test_yes_continues_an_order(typed, keyboard):
    keyboard("1", typed, "2", "n")
    assert [pizza.flavor for pizza in PizzaOrder().pizza_list] == ["Hawaiian", "Garden Feast"]


@pytest.mark.parametrize("typed", ["", "yes", "no", "1", "y n", "\u0443", "nn"], ids=ascii)
def test_answers_other_than_yes_and_no_are_asked_again(typed, keyboard, capsys):
    keyboard("1", typed, "n")
    order = PizzaOrder()
    question = "Do you want more pizzas (y/n)? "
    assert capsys.readouterr().out.endswith(f"{question}{typed}\n{NEITHER}{question}n\n")
    assert str(order) == "Pizza order 1's summary:\n1. Hawaiian (Ham, Pineapple)"


def test_an_order_can_have_any_number_of_pizzas(keyboard):
    keyboard(*["1", "y"] * 29, "1", "n")
    order = PizzaOrder()
    assert len(order.pizza_list) == 30
    assert str(order).endswith("\n30. Hawaiian (Ham, Pineapple)")


@given(typed=st.lists(st.text(max_size=6) | st.sampled_from(["5", "1", "1 2", "y"]), max_size=12))
def test_any_input_is_accepted_without_an_error(typed):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PizzaOrder, "total_orders", 0)
        patch.setattr(builtins, "input", answering([*typed, *["1", "n"] * 3]))
        assert main([]) == 0
        assert 1 <= PizzaOrder.total_orders <= 3


# -- The environment's text is the console's --------------------------------------------


def test_the_environment_renders_like_the_console(keyboard, capsys, random_positions):
    game = boardenvs.make("pizza_order")
    states = random_positions(game, 60, 4)
    for state in states[states["terminated"]]:
        text = game.to_text(state)
        keyboard(*(answer for _, answer in QUESTION.findall(text)))
        PizzaOrder.total_orders = 0
        print(PizzaOrder())
        assert capsys.readouterr().out == text


def test_orders_of_the_console_agree_with_the_environment(keyboard):
    game = boardenvs.make("pizza_order")
    keyboard("5", "12 3", "y", "1", "n")
    order = PizzaOrder()
    wanted = [sorted(pizza.ingreds) for pizza in order.pizza_list]
    states = game.restore({"wanted": wanted, "answers": [4, 16, 7, 20, 21, 0]})
    game.play(states, np.array([22]))
    assert game.returns(states)[0, 0] == 1
    assert game.to_text(states[0]).endswith(f"{order}\n")


# -- Other ends of the program, and its arguments -----------------------------------------


@pytest.mark.slow
def test_end_of_input_ends_the_program():
    done = run_program(b"1\nn\n5\n\xff\xfe\n")  # undecodable bytes are not an answer
    assert (done.stderr, done.returncode) == (b"", 0)
    out = done.stdout.decode()
    assert "Pizza order 1's summary:\n1. Hawaiian (Ham, Pineapple)\nPizza order 2:\n" in out
    assert out.endswith(
        f"ingredients: {NO_INGREDIENTS}Select id's of ingredients: \n"
        "End of input, the game is unfinished.\n"
    )


def test_an_order_raises_eof_error_at_the_end_of_input(keyboard):
    keyboard("1")
    with pytest.raises(EOFError):
        PizzaOrder()
