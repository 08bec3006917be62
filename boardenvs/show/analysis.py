"""`Analysis`: what a player made of a position before its move there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from boardenvs.core.checks import shown, text_value, truth_value, whole_number
from boardenvs.game import Game

__all__ = ["KINDS", "Analysis", "Try", "line_texts"]

KINDS = ("visits", "probabilities")
"""What weights may be: how often a search tried each action, or how probable it is."""
_TOLD = ("line", "depth", "proven", "tries")  # only where there is something to tell
_FEWEST = 0.001  # of a policy's probabilities, those below are not kept


class Try(NamedTuple):
    """How a player that reads and writes was asked for a move once, and what it answered."""

    prompt: str
    answer: str
    error: str = ""
    """What was wrong with the answer, "" if it was a legal move."""


@dataclass(frozen=True)
class Analysis:
    """How a player weighed the actions of one position, and how it judged the position."""

    kind: str
    """One of `KINDS`."""
    weights: Mapping[int, float]
    """Of each action that has one: visits as whole numbers of at least 1, or probabilities
    above 0. At least one action, unless there are tries: a player that wrote no legal move
    weighed none."""
    values: tuple[float | None, ...]
    """The result that it expects for each seat, `None` where it expects nothing."""
    line: tuple[int, ...] = ()
    """The actions that it expects, from its own on; empty if it reports none."""
    depth: int = 0
    """How many plies deep it searched; 0 if it does not report that."""
    proven: bool = False
    """Whether the values are certain."""
    tries: tuple[Try, ...] = ()
    """How it was asked and what it answered, of a player that reads and writes; see
    `agents.from_text`."""

    @classmethod
    def of_visits(cls, visits: npt.NDArray[np.integer[Any]], values: Any) -> Analysis:
        """Return the analysis of a search.

        Args:
            visits: of each action, shape (num_actions,).
            values: the result expected for each seat, shape (num_players,).
        """
        tried = np.flatnonzero(visits > 0)
        return cls("visits", {int(a): int(visits[a]) for a in tried}, _rounded(values))

    @classmethod
    def of_policy(cls, probabilities: npt.NDArray[np.floating[Any]], values: Any) -> Analysis:
        """Return the analysis of a policy without actions of less than a thousandth.

        Args:
            probabilities: of each action, shape (num_actions,).
            values: the result expected for each seat, NaN for none, shape (num_players,).
        """
        probable = np.flatnonzero(probabilities >= min(_FEWEST, probabilities.max()))
        weights = {int(a): round(float(probabilities[a]), 4) for a in probable}
        return cls("probabilities", weights, _rounded(values))

    @property
    def shares(self) -> dict[int, float]:
        """Each action's part of the whole, from 0 to 1, the largest first."""
        whole = sum(self.weights.values()) if self.kind == "visits" else 1.0
        ranked = sorted(self.weights.items(), key=lambda item: (-item[1], item[0]))
        return {action: weight / whole for action, weight in ranked}

    def to_dict(self) -> dict[str, Any]:
        """Return JSON values; `from_dict` gives an equal analysis back."""
        optional = {
            "line": list(self.line),
            "depth": self.depth,
            "proven": self.proven,
            "tries": [one._asdict() for one in self.tries],
        }
        return {
            "kind": self.kind,
            "actions": list(self.weights),
            "weights": list(self.weights.values()),
            "values": list(self.values),
            **{key: value for key, value in optional.items() if value},
        }

    @classmethod
    def from_dict(cls, data: Any) -> Analysis:
        """Return the analysis that `to_dict` has written.

        Raises:
            ValueError: it is no such dictionary.
        """
        keys = ["actions", "kind", "values", "weights"]
        if not isinstance(data, Mapping) or sorted(map(str, set(data) - set(_TOLD))) != keys:
            raise ValueError(f"an analysis must have the keys {keys}, got {data!r}")
        lists = [data[key] for key in ("actions", "weights", "values")] + [data.get("line", [])]
        if not all(isinstance(one, list) for one in lists) or len(lists[0]) != len(lists[1]):
            raise ValueError(
                f"an analysis has lists of actions, as many weights, and values, got {data!r}"
            )
        actions = [whole_number("an analysed action", action, 0) for action in lists[0]]
        if len(set(actions)) < len(actions):
            raise ValueError(f"an analysis names an action twice: {actions}")
        return cls(
            data["kind"],
            dict(zip(actions, lists[1], strict=True)),
            tuple(lists[2]),
            tuple(whole_number("an action of a line", action, 0) for action in lists[3]),
            whole_number("the depth of an analysis", data.get("depth", 0), 0),
            truth_value("proven", data.get("proven", False)),
            _tries(data.get("tries", [])),
        )

    def check(self, game: Game, legal: npt.NDArray[np.bool_]) -> None:
        """Raise `ValueError` unless this is an analysis of a position.

        Args:
            game: what is played.
            legal: the position's legal actions, bool of shape (num_actions,).
        """
        if self.kind not in KINDS:
            raise ValueError(f"the kind of an analysis must be one of {KINDS}, got {self.kind!r}")
        if not (isinstance(self.tries, tuple) and all(isinstance(t, Try) for t in self.tries)):
            raise ValueError(f"tries must be a tuple of Try, got {shown(self.tries)}")
        for one in self.tries:
            for what, text in one._asdict().items():
                text_value(f"the {what} of a try", text)
        if not self.weights and not self.tries:
            raise ValueError("an analysis must weigh at least one action")
        for action, weight in self.weights.items():
            number = whole_number("an analysed action", action, 0, game.num_actions - 1)
            if not legal[number]:
                raise ValueError(f"an analysis weighs action {number}, which is illegal there")
            if self.kind == "visits":
                whole_number("visits", weight, 1)
            elif not _is_number(weight) or not 0 < weight <= 1:
                raise ValueError(f"a probability must be above 0 and at most 1, got {weight!r}")
        for action in self.line:
            whole_number("an action of a line", action, 0, game.num_actions - 1)
        if self.kind == "probabilities" and sum(self.weights.values()) > 1.01:
            raise ValueError("the probabilities of an analysis must not sum to more than 1")
        if len(self.values) != game.num_players or not all(
            value is None or (_is_number(value) and math.isfinite(value)) for value in self.values
        ):
            raise ValueError(
                f"an analysis must have a number or None for each of {game.num_players} seats, "
                f"got {self.values!r}"
            )


def line_texts(game: Game, state: np.void, line: Iterable[int]) -> list[str]:
    """Return the actions of a line, each as it is typed where it is played.

    Args:
        game: what is played.
        state: where the line begins.
        line: actions, of which those after the end of the game are left out.
    """
    states = game.arrays.batch(state).copy()
    texts = []
    for action in line:
        texts.append(game.action_to_text(action, states[0]))
        game.play(states, [action])
        if game.over(states)[0]:
            break
    return texts


def _tries(data: Any) -> tuple[Try, ...]:
    """Return the tries that `to_dict` has written, or raise `ValueError`."""
    keys = Try._fields
    if not isinstance(data, list) or not all(
        isinstance(one, Mapping) and set(one) == set(keys) for one in data
    ):
        raise ValueError(f"tries must be a list of dictionaries of {list(keys)}, got {shown(data)}")
    return tuple(Try(**one) for one in data)


def _is_number(value: Any) -> bool:
    """Return whether it is a number that JSON can be given as it is."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _rounded(values: Any) -> tuple[float | None, ...]:
    """Return expected results with four decimals; `None` for NaN and infinity."""
    return tuple(round(float(v), 4) if math.isfinite(v) else None for v in values)
