"""A game's arguments as OpenSpiel has them: whole numbers, truth values and text.

`None` is 0 for a number and "" for a text, as the default of `max_plies` where it follows from
other arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from boardenvs.game import Game

__all__ = ["arguments", "specification"]


def specification(cls: type[Game]) -> dict[str, Any]:
    """Return the default of every argument, by its name."""
    defaults = {key: one.default for key, one in inspect.signature(cls).parameters.items()}
    unset: dict[str, Any] = {key: "" if key in cls.param_readers else 0 for key in defaults}
    return {key: unset[key] if value is None else value for key, value in defaults.items()}


def arguments(cls: type[Game], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given values that differ from their defaults, as the game itself takes them.

    Raises:
        ValueError: a game cannot read a text.
    """
    defaults = specification(cls)
    readers = cls.param_readers
    return {
        key: readers[key](value) if key in readers else value
        for key, value in given.items()
        if value != defaults[key]
    }
