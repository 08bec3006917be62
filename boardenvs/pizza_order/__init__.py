"""The pizza order, a dialogue with a pizza shop. The README.md here has its rules."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from boardenvs.core.checks import counted, require_implied, require_lines, whole_number
from boardenvs.game import Game, States
from boardenvs.pizza_order import rules
from boardenvs.pizza_order import text as notation
from boardenvs.pizza_order.picture import order_picture
from boardenvs.pizza_order.presentation import PizzaOrderPresentation

__all__ = ["PizzaOrder"]

_QUESTIONS = {
    rules.FLAVOR: "flavor",
    rules.INGREDIENT: "ingredients",
    rules.MORE: "more",
    rules.NOTHING: "nothing",
}
_STATUS = {
    rules.FLAVOR: "asked for a flavour",
    rules.INGREDIENT: "asked for ingredients",
    rules.MORE: "asked whether there are more",
}


class PizzaOrder(Game):  # noqa: D101 its docstring begins with `about`
    about = """
    A customer answers the menus of a pizza shop to place a given order.

    - Rules: the shop asks for the flavour of each pizza, for the ingredients of a custom
      pizza, then whether there are more pizzas. The order is right if it has the wanted
      pizzas, in any order. Pizzas with the same ingredients are the same.
    - Arguments: `max_pizzas=3` (1 to 9), `max_plies=53` (default: the longest dialogue,
      18 * max_pizzas - 1).
    - Observation: int8 (2 * max_pizzas + 2, 16): the wanted pizzas, the taken pizzas, the
      pizza in hand, the question.
    - Actions: Discrete(23): 5 flavours, 15 ingredients, done, yes, no; as text `Custom`,
      `Bacon`, `done`, `y`, `n`.
    - Rewards: 1 for the right order, 0 for a wrong one, -1 for an illegal action.
    - Start and end: no answers; "no", or the end of pizza `max_pizzas`.
    - Hidden and random: the wanted order is random; nothing is hidden.
    """
    __doc__ = f"""{about}
    Version history: v0, first version.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> import boardenvs
        >>> game = boardenvs.make("pizza_order")
        >>> state = game.new(1, seed=0)
        >>> game.play(state, [game.action_from_text("Hawaiian")])
        >>> game.observe(state, seat=0).shape, game.legal(state).sum().item()
        ((1, 8, 16), 2)
    """

    name = "pizza_order"
    title = "Pizza order"
    presentation_class = PizzaOrderPresentation
    has_chance = True
    info_is_fixed = True
    seat_names = ("Customer",)

    def __init__(self, max_pizzas: int = 3, max_plies: int | None = None) -> None:
        max_pizzas = self.max_pizzas = whole_number("max_pizzas", max_pizzas, 1, rules.MOST)
        if max_plies is None:
            # For each pizza a flavour, all ingredients and "done"; "yes" between pizzas.
            max_plies = (rules.INGREDIENTS + 3) * max_pizzas - 1
        super().__init__(
            params={"max_pizzas": max_pizzas, "max_plies": max_plies},
            num_players=1,
            num_actions=rules.NO + 1,
            observation_shape=(2 * max_pizzas + 2, rules.INGREDIENTS + 1),
            # Always nine pizzas, so that one compiled kernel serves every size.
            fields=[
                ("wanted", np.uint16, (rules.MOST,)),  # sets of ingredients
                ("taken", np.uint16, (rules.MOST,)),
                ("typed", np.uint64, (rules.MOST,)),  # custom ingredients as hexadecimal digits
                ("flavor", np.int8, (rules.MOST,)),
                ("num_wanted", np.int8),
                ("num_taken", np.int8),
                ("asks", np.int8),
            ],
            constants={"most": (np.int64, max_pizzas)},
        )

    @property
    def most_chance_outcomes(self) -> int:
        return rules.INGREDIENTS

    def info(self, state: np.void | States) -> dict[str, Any]:
        """Return `wanted`: the wanted order, int8 of shape (max_pizzas, 15).

        Each row is a pizza, with 1 for each of its ingredients, else 0. Unused rows are -1.
        """
        sets = state["wanted"][..., : self.max_pizzas]
        rows = _ingredient_rows().take(sets, 0, mode="wrap")
        return {"wanted": rows[..., : rules.INGREDIENTS].copy()}

    def infos(self, states: States) -> dict[str, npt.NDArray[Any]]:
        return self.info(self.arrays.records(states))

    def to_text(self, state: np.void) -> str:
        record = self.arrays.one(state)
        return notation.dialogue_text(_pizzas(record), _QUESTIONS[int(record["asks"])])

    def from_text(
        self,
        text: str,
        *,
        to_move: int | None = None,
        ply: int | None = None,
        wanted: Sequence[Sequence[int]] | None = None,
    ) -> np.void:
        """Return the position that a dialogue shows.

        Args:
            text: a text from `to_text`; blanks at the ends of lines may be missing.
            to_move: 0 or `None`.
            ply: number of answers, which must match the text; `None` to derive it.
            wanted: wanted order, a list of ingredient ids for each pizza. By default the order in
                the text so far, or one Hawaiian pizza if the text has no pizzas.

        Raises:
            ValueError: if the text is not a valid dialogue, or `wanted` is invalid.
        """
        answers = notation.answers_from_text(text, self.max_pizzas)
        # The text does not depend on the wanted order, so check it with any order.
        any_order = {"wanted": [list(rules.PRESETS[0])], "answers": answers}
        record = self._from_fields(any_order, to_move, ply)
        expected = [line.rstrip() for line in self.to_text(record).splitlines()]
        require_lines([line.rstrip() for line in text.splitlines()], expected)
        if wanted is None:
            wanted = [list(ids) for _, ids in _pizzas(record) if ids] or notation.wanted(record)
        return self._from_fields({"wanted": wanted, "answers": answers}, to_move, ply)

    def action_to_text(self, action: int, state: np.void | None = None) -> str:
        return notation.action_to_text(whole_number("action", action, 0, self.num_actions - 1))

    def action_from_text(self, text: str, state: np.void | None = None) -> int:
        asks = None if state is None else _QUESTIONS[int(self.arrays.one(state)["asks"])]
        return notation.action_from_text(text, asks)

    def picture(self, state: np.void) -> str:
        record = self.arrays.one(state)
        if record["offender"] >= 0:
            status = "stopped by an illegal answer"
        elif record["asks"] == rules.NOTHING:
            status = "the order is right" if record["returns"][0] > 0 else "the order is wrong"
        elif record["truncated"]:
            status = "stopped unfinished"
        else:
            status = _STATUS[int(record["asks"])]
        return order_picture(
            [(notation.flavor_of(ids), ids) for ids in notation.wanted(record)],
            _pizzas(record),
            most=self.max_pizzas,
            hand=record["asks"] == rules.INGREDIENT,
            last=int(record["last_action"]),
            legal=self.legal(self.arrays.batch(record))[0].tolist(),
            status=status,
        )

    def _position_to_dict(self, state: np.void) -> dict[str, Any]:
        answers: list[int] = []
        pizzas = _pizzas(state)
        for k, (flavor, ids) in enumerate(pizzas):
            answers.append(flavor)
            if flavor == rules.CUSTOM:
                answers += [rules.FIRST + i - 1 for i in ids]
            if flavor == rules.CUSTOM and k < state["num_taken"]:
                answers.append(rules.DONE)
            if k < len(pizzas) - 1 or state["asks"] == rules.FLAVOR:
                answers.append(rules.YES)
        if state["asks"] == rules.NOTHING and state["num_taken"] < self.max_pizzas:
            answers.append(rules.NO)
        return {"wanted": notation.wanted(state), "answers": answers}

    def _position_from_dict(self, fields: dict[str, Any], state: np.void) -> None:
        wanted, answers = fields["wanted"], fields["answers"]
        if not isinstance(wanted, list) or not 1 <= len(wanted) <= self.max_pizzas:
            raise ValueError(
                f"wanted must be a list of 1 to {counted(self.max_pizzas, 'pizza')}, "
                f"got {wanted!r:.100}"
            )
        for k, ids in enumerate(wanted):
            if (
                not isinstance(ids, list)
                or not ids
                or not all(type(i) is int and 1 <= i <= rules.INGREDIENTS for i in ids)
                or len(set(ids)) < len(ids)
            ):
                raise ValueError(
                    f"wanted must have for each pizza a list of at least one number from 1 to "
                    f"{rules.INGREDIENTS}, each once, got {ids!r:.100}"
                )
            state["wanted"][k] = sum(1 << (i - 1) for i in ids)
        state["num_wanted"] = len(wanted)
        if not isinstance(answers, list) or not all(
            type(a) is int and 0 <= a < self.num_actions for a in answers
        ):
            raise ValueError(
                f"answers must be a list of actions from 0 to {self.num_actions - 1}, "
                f"got {answers!r:.100}"
            )
        require_implied(
            fields, f"with {counted(len(answers), 'answer')}", ply=len(answers), to_move=0
        )
        last = answers[-1] if answers else -1
        if state["last_action"] not in (-1, last):
            raise ValueError(
                f"last_action must be -1 or the last answer, {last}, got {state['last_action']}"
            )
        states = self.start.copy()
        states[0] = state
        masks = self.arrays.legal(states)
        for number, answer in enumerate(answers, 1):
            if not masks[0, answer]:
                raise ValueError(
                    f"answers must be legal and end with the game, got "
                    f"{self.action_to_text(answer)!r} as number {number} of {len(answers)}"
                )
            self.kernels.play_games(states, self.constants, np.array([answer]), masks)
        for field in self.state_dtype.names or ():
            state[field] = states[0][field]


def _pizzas(state: np.void) -> list[notation.Pizza]:
    """Return all pizzas with a flavour, including the pizza in hand."""
    num = int(state["num_taken"]) + (state["asks"] == rules.INGREDIENT)
    pizzas: list[notation.Pizza] = []
    for flavor, typed in zip(state["flavor"][:num].tolist(), state["typed"].tolist(), strict=False):
        preset = 0 <= flavor < rules.CUSTOM
        typed_ids = [int(digit, 16) for digit in f"{typed:x}"] if typed else []
        pizzas.append((flavor, rules.PRESETS[flavor] if preset else typed_ids))
    return pizzas


@functools.cache
def _ingredient_rows() -> npt.NDArray[np.int8]:
    """Return a row for each set of ingredients: 1 for each ingredient in the set, else 0.

    The row of the empty set is -1. Rows have an unused 16th entry, since NumPy copies rows of 16
    bytes faster.
    """
    sets = np.arange(1 << rules.INGREDIENTS, dtype="<u2")[:, None]
    rows = np.unpackbits(sets.view(np.uint8), axis=1, bitorder="little").view(np.int8)
    rows[0] = -1
    return rows
