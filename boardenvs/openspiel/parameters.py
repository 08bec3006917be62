"""Parameters of games for OpenSpiel: integers, bools and text.

`None` becomes 0 for a number and "" for text. An example is a default of `max_plies` that depends
on other parameters.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from boardenvs.game import Game

__all__ = ["arguments", "specification"]


def specification(cls: type[Game]) -> dict[str, Any]:
    """Return the default of every parameter by name."""
    defaults = {key: one.default for key, one in inspect.signature(cls).parameters.items()}
    unset: dict[str, Any] = {key: "" if key in cls.param_readers else 0 for key in defaults}
    return {key: unset[key] if value is None else value for key, value in defaults.items()}


def arguments(cls: type[Game], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given values that differ from their defaults, as arguments of the game's class.

    Raises:
        ValueError: a text is not valid.
    """
    defaults = specification(cls)
    readers = cls.param_readers
    return {
        key: readers[key](value) if key in readers else value
        for key, value in given.items()
        if value != defaults[key]
    }
