"""`Analysis`: a player's evaluation of a position before its move."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from boardenvs.core.checks import counted, shown, text_value, truth_value, whole_number
from boardenvs.game import Game

__all__ = ["KINDS", "Analysis", "Try", "line_texts"]

KINDS = ("visits", "probabilities")
"""Kinds of weights: the visits of a search, or the probabilities of a policy."""
_TOLD = ("line", "depth", "proven", "tries")  # optional keys
_FEWEST = 0.001  # smaller probabilities of a policy are omitted


class Try(NamedTuple):
    """One prompt to a player that answers with text, such as a language model, and its answer."""

    prompt: str
    answer: str
    error: str = ""
    """Error of the answer, "" for a legal move."""


@dataclass(frozen=True)
class Analysis:
    """A player's weights of the actions in a position, and its evaluation of the position."""

    kind: str
    """One of `KINDS`."""
    weights: Mapping[int, float]
    """Weight of each action: visits as ints of at least 1, or probabilities above 0. Empty only
    with tries, if no answer was a legal move."""
    values: tuple[float | None, ...]
    """Expected result of each seat, or `None`."""
    line: tuple[int, ...] = ()
    """Expected actions, beginning with the player's own, or empty."""
    depth: int = 0
    """Depth of the search in plies, 0 if unknown."""
    proven: bool = False
    """Whether the values are proven."""
    tries: tuple[Try, ...] = ()
    """Prompts and answers of a player that answers with text, see `agents.from_text`."""

    @classmethod
    def of_visits(cls, visits: npt.NDArray[np.integer[Any]], values: Any) -> Analysis:
        """Return the analysis of a search.

        Args:
            visits: visits of each action, shape (num_actions,).
            values: expected result of each seat, shape (num_players,).
        """
        tried = np.flatnonzero(visits > 0)
        return cls("visits", {int(a): int(visits[a]) for a in tried}, _rounded(values))

    @classmethod
    def of_policy(cls, probabilities: npt.NDArray[np.floating[Any]], values: Any) -> Analysis:
        """Return the analysis of a policy, without actions of probabilities below 0.001.

        Args:
            probabilities: probability of each action, shape (num_actions,).
            values: expected result of each seat or NaN, shape (num_players,).
        """
        probable = np.flatnonzero(probabilities >= min(_FEWEST, probabilities.max()))
        weights = {int(a): round(float(probabilities[a]), 4) for a in probable}
        return cls("probabilities", weights, _rounded(values))

    @property
    def shares(self) -> dict[int, float]:
        """Share of each action, from 0 to 1, the largest first."""
        whole = sum(self.weights.values()) if self.kind == "visits" else 1.0
        ranked = sorted(self.weights.items(), key=lambda item: (-item[1], item[0]))
        return {action: weight / whole for action, weight in ranked}

    def to_dict(self) -> dict[str, Any]:
        """Return JSON values, from which `from_dict` returns an equal analysis."""
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
        """Return the analysis of a dictionary of `to_dict`.

        Raises:
            ValueError: `data` is not such a dictionary.
        """
        keys = ["actions", "kind", "values", "weights"]
        if not isinstance(data, Mapping) or sorted(map(str, set(data) - set(_TOLD))) != keys:
            raise ValueError(f"analysis must have the keys {keys}, got {data!r}")
        lists = [data[key] for key in ("actions", "weights", "values")] + [data.get("line", [])]
        if not all(isinstance(one, list) for one in lists) or len(lists[0]) != len(lists[1]):
            raise ValueError(
                f"analysis must have lists of actions, equally many weights, and values, "
                f"got {data!r}"
            )
        actions = [whole_number("an action of the analysis", action, 0) for action in lists[0]]
        if len(set(actions)) < len(actions):
            raise ValueError(f"actions of the analysis must be unique, got {actions}")
        return cls(
            data["kind"],
            dict(zip(actions, lists[1], strict=True)),
            tuple(lists[2]),
            tuple(whole_number("an action of line", action, 0) for action in lists[3]),
            whole_number("depth", data.get("depth", 0), 0),
            truth_value("proven", data.get("proven", False)),
            _tries(data.get("tries", [])),
        )

    def check(self, game: Game, legal: npt.NDArray[np.bool_]) -> None:
        """Raise `ValueError` unless the analysis is valid for a position.

        Args:
            game: the game.
            legal: legal actions of the position, bool of shape (num_actions,).
        """
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {KINDS}, got {self.kind!r}")
        if not (isinstance(self.tries, tuple) and all(isinstance(t, Try) for t in self.tries)):
            raise ValueError(f"tries must be a tuple of Try, got {shown(self.tries)}")
        for one in self.tries:
            for what, text in one._asdict().items():
                text_value(f"the {what} of a try", text)
        if not self.weights and not self.tries:
            raise ValueError("weights must have at least one action, got none")
        for action, weight in self.weights.items():
            number = whole_number("an action of weights", action, 0, game.num_actions - 1)
            if not legal[number]:
                raise ValueError(f"weights must be for legal actions, got action {number}")
            if self.kind == "visits":
                whole_number("visits", weight, 1)
            elif not _is_number(weight) or not 0 < weight <= 1:
                raise ValueError(f"probabilities must be above 0 and at most 1, got {weight!r}")
        for action in self.line:
            whole_number("an action of line", action, 0, game.num_actions - 1)
        total = sum(self.weights.values())
        if self.kind == "probabilities" and total > 1.01:
            raise ValueError(f"probabilities must have a sum of at most 1, got {total:g}")
        if len(self.values) != game.num_players or not all(
            value is None or (_is_number(value) and math.isfinite(value)) for value in self.values
        ):
            raise ValueError(
                f"values must be a number or None for each of {counted(game.num_players, 'seat')}, "
                f"got {self.values!r}"
            )


def line_texts(game: Game, state: np.void, line: Iterable[int]) -> list[str]:
    """Return the text of each action of a line.

    Args:
        game: the game.
        state: position before the line.
        line: actions. Those after the end of the game are skipped.
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
    """Return the tries of a list of `to_dict`, or raise `ValueError`."""
    keys = Try._fields
    if not isinstance(data, list) or not all(
        isinstance(one, Mapping) and set(one) == set(keys) for one in data
    ):
        raise ValueError(f"tries must be a list of dictionaries of {list(keys)}, got {shown(data)}")
    return tuple(Try(**one) for one in data)


def _is_number(value: Any) -> bool:
    """Return whether a value is a Python number other than a bool."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _rounded(values: Any) -> tuple[float | None, ...]:
    """Return expected results with four decimals, `None` for NaN and infinity."""
    return tuple(round(float(v), 4) if math.isfinite(v) else None for v in values)
