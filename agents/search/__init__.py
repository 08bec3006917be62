"""Agents that search any game: a tree over many simulations, or every line of play.

`search` of `MctsAgent` and `PuctAgent` returns visit counts, values, and what is proven. A
`PuctAgent` takes an `Evaluator` of your own instead of a network.
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
    "Searched": "agents.search.search_agent",
}
__all__ = list(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)
