"""The picture of a pizza order shows the position."""

import pytest
from pictures import SVG, tree

import boardenvs
from boardenvs.pizza_order.text import FLAVORS, INGREDIENTS

GREEN, RED = "#23713c", "#b3261e"
ANSWERS = [
    *(f"{number}. {name}" for number, name in enumerate(FLAVORS, 1)),
    *INGREDIENTS,
    *("That is all", "Yes, more", "No more"),
]


def drawn(wanted, answers, most=3):
    game = boardenvs.make("pizza_order", max_pizzas=most)
    states = game.restore({"wanted": wanted, "answers": answers})
    return tree(game.picture(states[0]))


def texts(root, **attributes):
    return [
        shape.text
        for shape in root.iter(SVG + "text")
        if all(shape.get(k.replace("_", "-")) == v for k, v in attributes.items())
    ]


def circles(root, **attributes):
    return [
        shape
        for shape in root.iter(SVG + "circle")
        if all(shape.get(k.replace("_", "-")) == v for k, v in attributes.items())
    ]


def badges(root):
    return [c.get("fill") for c in circles(root, r="12")]


def test_the_picture_shows_pizzas_toppings_and_names():
    root = drawn([[3, 12], [1, 7]], [3, 21, 4, 5])
    pizzas = circles(root, stroke_width="8")
    assert len(pizzas) == 4  # two wanted, one taken, one in hand
    assert [p.get("stroke-dasharray") for p in pizzas] == [None, None, None, "9 6"]
    # The numbers on the pizzas, then the numbers in the menu.
    numbers = texts(root, font_weight="bold", text_anchor="middle")
    assert numbers == ["3", "12", "1", "7", "3", "12", "1"] + [str(i) for i in range(1, 16)]
    captions = ["Carbonara", "Custom", "Carbonara", "Custom, in hand"]
    assert texts(root, font_size="17", text_anchor="middle") == captions
    assert texts(root, font_size="19") == ["Wanted", "Taken: asked for ingredients"]


def test_missing_ingredients_leave_an_empty_place():
    assert len(circles(drawn([[1]] * 3, [0]), fill="none")) == 2
    assert len(circles(drawn([[1]] * 3, [0, 22]), fill="none")) == 2
    assert len(circles(drawn([[1]], [0, 21, 0, 21, 0]), fill="none")) == 0


@pytest.mark.parametrize(
    ("wanted", "answers", "expected"),
    [
        ([[1, 13]], [], []),
        ([[1, 13]], [0], [GREEN]),
        ([[1, 13]], [3], [RED]),
        ([[1, 13]], [0, 21, 0], [GREEN, RED]),
        ([[1, 13], [3, 12]], [3, 21, 0], [GREEN, GREEN]),
        ([[3, 12]], [4, 16, 7], []),  # in hand
        ([[3, 12]], [4, 16, 7, 20], [GREEN]),
    ],
)
def test_ticks_and_crosses_mark_right_and_wrong_pizzas(wanted, answers, expected):
    root = drawn(wanted, answers)
    assert badges(root) == expected
    marks = [p.get("d") for p in root.iter(SVG + "path")]
    assert [mark.endswith("l-9 9") for mark in marks] == [fill == RED for fill in expected]


@pytest.mark.parametrize(
    ("answers", "asked", "last"),
    [
        ([], range(5), None),
        ([0], [21, 22], 0),
        ([4, 19], [*range(5, 19), 20], 19),
        ([0, 21], range(5), 21),
        ([0, 22], [], 22),
    ],
)
def test_the_menu_frames_the_question_and_marks_the_last_answer(answers, asked, last):
    root = drawn([[1, 13]], answers)

    def places(**attributes):
        """Return the answers whose words are inside the rectangles."""
        found = []
        for shape in root.iter(SVG + "rect"):
            if all(shape.get(k.replace("_", "-")) == v for k, v in attributes.items()):
                x, y, width, height = (
                    float(shape.get(key)) for key in ("x", "y", "width", "height")
                )
                found += [
                    ANSWERS.index(text.text)
                    for text in root.iter(SVG + "text")
                    if x < float(text.get("x")) < x + width
                    and y < float(text.get("y")) < y + height
                    and text.text in ANSWERS
                ]
        return found

    assert places(rx="6") == list(asked)
    assert places(stroke_width="3") == ([] if last is None else [last])


@pytest.mark.parametrize(
    ("answers", "status"),
    [
        ([], "asked for a flavour"),
        ([4], "asked for ingredients"),
        ([0], "asked whether there are more"),
        ([0, 22], "the order is right"),
        ([1, 22], "the order is wrong"),
    ],
)
def test_the_title_describes_the_state_of_the_order(answers, status):
    assert drawn([[1, 13]], answers).get("aria-label") == f"Pizza order: {status}"


def test_the_title_describes_an_end_without_an_order():
    game = boardenvs.make("pizza_order", max_plies=1)
    states = game.new(2, 0)
    game.play(states, [0, 22])
    titles = [tree(game.picture(state)).get("aria-label") for state in states]
    assert titles == [
        "Pizza order: stopped unfinished",
        "Pizza order: stopped by an illegal answer",
    ]


def test_the_largest_order_fits():
    full = [4, *range(5, 20), 20, 21]
    root = drawn([list(range(1, 16))] * 9, (full * 9)[:-1], most=9)
    _, _, width, height = map(float, root.get("viewBox").split())
    assert width < 600
    for circle in root.iter(SVG + "circle"):
        x, y, r = (float(circle.get(key)) for key in ("cx", "cy", "r"))
        assert r <= x <= width - r
        assert r <= y <= height - r
    assert len(badges(root)) == 9
