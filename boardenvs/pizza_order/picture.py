"""Pictures of the pizza order: wanted pizzas, taken pizzas, and the menu with the last answer."""

from __future__ import annotations

import math
from collections.abc import Sequence

from boardenvs.pizza_order.rules import CUSTOM, DONE, FIRST
from boardenvs.pizza_order.text import FLAVORS, INGREDIENTS, Pizza
from boardenvs.show.svg import INK, Area, element, label, last_frame, moving, svg

__all__ = ["answer_area", "order_picture"]

_EDGE = 12
_IN_A_ROW = 3
_PIZZA = 75  # radius
_ROW = 2 * _PIZZA + 38  # height of a row of pizzas
_TOPPING = 14.5  # radius
_CHIP_WIDTH, _CHIP_HEIGHT = 186, 27  # size of an answer in the menu, including its margin
_WIDTH = 3 * _CHIP_WIDTH + 2 * _EDGE
_MENU_ROWS = 8
_LETTERS = 17  # default font size
_CRUST = "#b97a35"
_CHEESE = "#f8e09a"
_GOOD = "#23713c"
_BAD = "#b3261e"
# Colours of meat, vegetables and others.
_FILLS = ["#b3442f"] * 5 + ["#3d7a3a"] * 5 + ["#fffdf5"] * 5


def order_picture(
    wanted: Sequence[Pizza],
    pizzas: Sequence[Pizza],
    most: int,
    hand: bool,
    last: int,
    legal: Sequence[bool],
    status: str,
) -> str:
    """Return the wanted order, the order taken so far and the answers as SVG.

    Args:
        wanted: flavour and ingredients of each wanted pizza.
        pizzas: flavour and ingredients of each taken pizza and the pizza in hand.
        most: maximum number of pizzas of an order, for which the picture has room.
        hand: whether the last of `pizzas` is in hand.
        last: last action; -1 before the first answer.
        legal: mask of legal actions.
        status: current question or result.
    """
    shapes = []
    y = float(_EDGE)
    missing = [sorted(ids) for _, ids in wanted]
    for heading, order in (("Wanted", wanted), ("Taken", pizzas)):
        taken = order is pizzas
        shapes.append(
            _left(_EDGE, y + 10, f"{heading}: {status}" if taken else heading, 19, bold=True)
        )
        for k in range(max(len(order), len(wanted))):
            x = _WIDTH * (k % _IN_A_ROW + 0.5) / _IN_A_ROW
            middle = y + 26 + _PIZZA + k // _IN_A_ROW * _ROW
            if k >= len(order):  # an empty plate for a missing pizza
                shapes.append(_circle(x, middle, _PIZZA, "none", INK, stroke_opacity=0.25))
                continue
            flavor, ids = order[k]
            in_hand = taken and hand and k == len(order) - 1
            shapes += _pizza(x, middle, ids, in_hand)
            name = FLAVORS[flavor] + (", in hand" if in_hand else "")
            shapes.append(label(x, middle + _PIZZA + 15, name, _LETTERS))
            if taken and not in_hand:
                good = sorted(ids) in missing
                if good:
                    missing.remove(sorted(ids))
                shapes += _badge(x + 0.72 * _PIZZA, middle - 0.72 * _PIZZA, good)
        y += _height(most)
    shapes += _menu(y, last, legal)
    return svg(_WIDTH, y + _MENU_ROWS * _CHIP_HEIGHT + _EDGE, f"Pizza order: {status}", shapes)


def answer_area(action: int, most: int) -> Area:
    """Return the area of an answer in the menu.

    Args:
        action: the answer.
        most: maximum number of pizzas of an order.
    """
    column, row = _place(action)
    y = _EDGE + 2 * _height(most) + row * _CHIP_HEIGHT
    return _EDGE + column * _CHIP_WIDTH, y, _CHIP_WIDTH, _CHIP_HEIGHT


def _height(pizzas: int) -> int:
    """Return the height of a number of pizzas and their heading."""
    return 30 + -(-pizzas // _IN_A_ROW) * _ROW


def _circle(
    x: float, y: float, r: float, fill: str, stroke: str = "none", **more: str | float
) -> str:
    return element("circle", cx=round(x, 1), cy=round(y, 1), r=r, fill=fill, stroke=stroke, **more)


def _left(x: float, y: float, text: str, size: float, bold: bool = False) -> str:
    """Return a left-aligned text."""
    weight = {"font_weight": "bold"} if bold else {}
    return element("text", text, x=x, y=y + 0.36 * size, font_size=size, fill=INK, **weight)


def _topping(x: float, y: float, ingredient: int, radius: float = _TOPPING) -> list[str]:
    """Return a disc with the ingredient's number in the menu."""
    fill = _FILLS[ingredient - 1]
    light = ingredient > 10
    number = element(
        "text",
        str(ingredient),
        x=0,
        y=round(0.4 * radius, 1),
        text_anchor="middle",
        font_size=1.1 * radius,
        font_weight="bold",
        fill=INK if light else "#fff",
    )
    disc = _circle(0, 0, radius, fill, INK if light else "none")
    return [moving(f"topping {ingredient}", round(x, 1), round(y, 1), [disc, number])]


def _pizza(x: float, y: float, ids: Sequence[int], in_hand: bool) -> list[str]:
    """Return a pizza; each ingredient has its own place, ten outside and five inside."""
    dashes = {"stroke_dasharray": "9 6"} if in_hand else {}
    shapes = [_circle(x, y, _PIZZA - 4, _CHEESE, _CRUST, stroke_width=8, **dashes)]
    for i in ids:
        # Inner places are between the angles of outer places.
        places, radius, turn = (10, 52, 0.0) if i <= 10 else (5, 25, 0.25)
        angle = 2 * math.pi * ((i - 1) % 10 + turn) / places
        shapes += _topping(x + radius * math.sin(angle), y - radius * math.cos(angle), i)
    return shapes


def _badge(x: float, y: float, good: bool) -> list[str]:
    """Return a tick for a wanted pizza, a cross for another one."""
    path = "m-5 0l3.5 4.5l7 -8.5" if good else "m-4.5 -4.5l9 9m0 -9l-9 9"
    stroke: dict[str, str | float] = {"stroke": "#fff", "stroke_width": 2.5, "fill": "none"}
    return [
        _circle(x, y, 12, _GOOD if good else _BAD, "#fff", stroke_width=1.5),
        element("path", d=f"M{x:g} {y:g}{path}", stroke_linecap="round", **stroke),
    ]


def _menu(y: float, last: int, legal: Sequence[bool]) -> list[str]:
    """Return all answers; legal ones are framed, the last one is marked."""
    shapes: list[str] = []
    for action, is_legal in enumerate(legal):
        column, row = _place(action)
        left, top = _EDGE + column * _CHIP_WIDTH + 2.0, y + row * _CHIP_HEIGHT + 1.0
        width, height = _CHIP_WIDTH - 4.0, _CHIP_HEIGHT - 2.0
        box: dict[str, str | float] = {"x": left, "y": top, "width": width, "height": height}
        if is_legal:
            shapes.append(element("rect", **box, rx=6, fill="#fff", stroke=INK))
        middle = top + height / 2
        if FIRST <= action < DONE:
            ingredient = action - FIRST + 1
            shapes += _topping(left + 16, middle, ingredient, 11)
            shapes.append(_left(left + 34, middle, INGREDIENTS[ingredient - 1], _LETTERS))
        else:
            name = f"{action + 1}. {FLAVORS[action]}" if action <= CUSTOM else _WORDS[action - DONE]
            shapes.append(_left(left + 7, middle, name, _LETTERS))
        if action == last:
            shapes.append(last_frame(left, top, width, height))
    return shapes


def _place(action: int) -> tuple[int, int]:
    """Return the column and row of an answer in the menu."""
    if action <= CUSTOM:
        return action % 3, action // 3
    if action < DONE:
        kind, number = divmod(action - FIRST, 5)
        return kind, 2 + number
    return action - DONE, _MENU_ROWS - 1


_WORDS = ("That is all", "Yes, more", "No more")
