"""Search agents for any game: Monte Carlo tree search, PUCT and exhaustive search.

`MctsAgent.search` and `PuctAgent.search` return visit counts, values and proven results. A
`PuctAgent` accepts a custom `Evaluator` instead of a network.
"""

from __future__ import annotations

import importlib
from typing import Any

# Modules are imported on first use, so that one name does not load all of them.
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
