"""Agents that search any game: a tree over many simulations, or every line of play.

`search` of `MctsAgent` and `PuctAgent` tells what was found: visit counts, values, what is proven.
An `Evaluator` of your own guides a `PuctAgent`.
"""

from __future__ import annotations

import importlib
from typing import Any

# Imported on first use, so that importing one module does not load all.
_PLACES = {
    "Evaluator": "agents.search.puct",
    "ExactAgent": "agents.search.exact",
    "MctsAgent": "agents.search.mcts",
    "PuctAgent": "agents.search.puct",
    "Searched": "agents.search.mcts",
}
__all__ = list(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)
