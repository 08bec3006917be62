"""The tables of agents: those that play any game, and those that a game declares.

A game with its own agents has a table `AGENTS`, like the one here, in its folder (see
`agents.games`).
"""

from __future__ import annotations

import importlib.util

from agents.naming.game_folders import declared, folder_of, folders
from agents.naming.grammar import TableEntry, read_table, shown_specs
from boardenvs.game import Game
from boardenvs.registration import GAMES

__all__ = ["AGENTS", "NAMES", "SPECS", "agents_of", "known_agents"]

AGENTS = {
    "random": "players.random:RandomAgent",
    "greedy": "players.greedy:GreedyAgent",
    "exact": "search.exact:ExactAgent",
    "mcts:SIMULATIONS": "search.mcts:MctsAgent",
    "mixed:PERCENT!:AGENT!": "players.mixed:MixedAgent",
    "puct:SIMULATIONS:PATH": "search.puct:PuctAgent",
    "sb3:PATH!": "players.sb3:SavedSB3Agent",
    "text:MODULE!:FUNCTION!": "players.text.agent:NamedTextAgent",
    "trained:PATH": "players.trained:TrainedAgent",
}
"""The agents that play any game: each name with its arguments, and the module and class.

Arguments are parameters of the class, in capitals; a `!` marks required ones. AGENT is the spec of
another agent, which the class gets as a `Spec`. All parameters except the game, the seed and the
spec are options of `agents.make`. The class is called with the game, and with `seed`, `spec` and
options as keywords.
"""

_ANY_GAME = read_table("agents", AGENTS)


def agents_of(game: Game) -> dict[str, TableEntry]:
    """Return the agents of a game by name: those for any game, and those of its folders.

    Raises:
        ValueError: the players of a user's game cannot be imported, or their table is invalid.
    """
    found = dict(_ANY_GAME)
    for folder in reversed(folders(game)):
        found.update(read_table(folder, declared(folder)))
    return found


def _ours() -> dict[str, TableEntry]:
    """Return all agents of this package by name; the first one if two games share a name."""
    found = dict(_ANY_GAME)
    for folder in map(folder_of, GAMES):
        if importlib.util.find_spec(folder) is not None:
            found = {**found, **read_table(folder, declared(folder)), **found}
    return found


_OURS = _ours()
NAMES = tuple(_OURS)
"""Names of this package's agents, including agents for one game."""
SPECS = shown_specs(_OURS.values())
"""Forms of specs that `agents.make` accepts."""


def known_agents(game: Game | None = None) -> dict[str, TableEntry]:
    """Return the agents of this package by name, and those of a game if one is given.

    Raises:
        ValueError: as `agents_of`.
    """
    return _OURS if game is None else {**_OURS, **agents_of(game)}
