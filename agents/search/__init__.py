"""Agents that search any game: a tree over many simulations, or every line of play.

`search` of `MctsAgent` and `PuctAgent` tells what was found: visit counts, values, what is proven.
An `Evaluator` of your own guides a `PuctAgent`.
"""

from boardenvs.doors import named_elsewhere

_PLACES = {
    "Evaluator": "agents.search.puct",
    "ExactAgent": "agents.search.exact",
    "MctsAgent": "agents.search.mcts",
    "PuctAgent": "agents.search.puct",
    "Searched": "agents.search.mcts",
}
__all__ = list(_PLACES)
__getattr__ = named_elsewhere(__name__, _PLACES)
