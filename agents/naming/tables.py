r"""Specs of agents: their grammar, and the table of the agents that play any game.

A spec is a name and arguments, separated by colons: `NAME[:ARGUMENT[:ARGUMENT ...]]`. Each agent
has a fixed list of arguments, of which the last ones may be optional. The last argument may contain
colons, spaces and quotes without escaping: `puct:400:C:\my networks\agent.onnx`. (A shell needs
quotes around a spec with spaces.) A time may replace SIMULATIONS: `puct:500ms`, `mcts:2s`. The
other arguments cannot contain colons. No argument may be empty.

`AGENTS` is the table of agents. A game with its own agents has a table of the same name in its
folder (see `agents.games`). A spec with any other name is `MODULE:FACTORY`, the user's own agent.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agents.naming.game_folders import declared, folder_of, folders
from agents.naming.grammar import seconds_of
from boardenvs.core.checks import shown
from boardenvs.core.suggestion import did_you_mean
from boardenvs.game import Game
from boardenvs.registration import GAMES

__all__ = [
    "AGENTS",
    "NAMES",
    "QUOTING",
    "SPECS",
    "Declared",
    "Spec",
    "agents_of",
    "by_the_clock",
    "known_agents",
    "parse",
]

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

Arguments are parameters of the class, in capitals; a `!` marks required ones. All parameters except
the game, the seed and the spec are options of `agents.make`. The class is called with the game, and
with `seed`, `spec` and options as keywords.
"""
QUOTING = "The last part of a spec is taken as it stands, colons and spaces included."
_FACTORY = ("FACTORY",)
_FILES = {".zip": "sb3", ".onnx": "trained"}
"""Agents that play a file, by the suffix of the file."""
_COMMAND = "COMMAND"
"""The argument of agents that run an external program, which has its own clock."""
_AGENT = "AGENT"
"""The argument of agents that play with another agent: the spec of that agent."""


@dataclass(frozen=True)
class Declared:
    """An agent that a table declares."""

    name: str
    arguments: tuple[str, ...]
    """Arguments of the spec, in order, in capitals."""
    module: str
    """Module of the class."""
    cls: str
    """Name of the class."""
    required: int = 0
    """Number of required arguments."""

    @property
    def specs(self) -> list[str]:
        """Forms of the agent's spec, the shortest first."""
        return [
            ":".join([self.name, *self.arguments[:number]])
            for number in range(self.required, len(self.arguments) + 1)
        ]


def _read(package: str, table: Mapping[str, str]) -> dict[str, Declared]:
    """Return the agents of a table by name."""
    found = {}
    for spec, where in table.items():
        name, *marked = spec.split(":")
        module, _, cls = where.partition(":")
        arguments = tuple(argument.removesuffix("!") for argument in marked)
        required = sum(argument.endswith("!") for argument in marked)
        found[name] = Declared(name, arguments, f"{package}.{module}", cls, required)
    return found


_ANY_GAME = _read("agents", AGENTS)


def agents_of(game: Game) -> dict[str, Declared]:
    """Return the agents of a game by name: those for any game, and those of its folders.

    Raises:
        ValueError: the players of a user's game cannot be imported, or their table is invalid.
    """
    found = dict(_ANY_GAME)
    for folder in reversed(folders(game)):
        found.update(_read(folder, declared(folder)))
    return found


def _ours() -> dict[str, Declared]:
    """Return all agents of this package by name; the first one if two games share a name."""
    found = dict(_ANY_GAME)
    for folder in map(folder_of, GAMES):
        if importlib.util.find_spec(folder) is not None:
            found = {**found, **_read(folder, declared(folder)), **found}
    return found


_OURS = _ours()
NAMES = tuple(_OURS)
"""Names of this package's agents, including agents for one game."""


def known_agents(game: Game | None = None) -> dict[str, Declared]:
    """Return the agents of this package by name, and those of a game if one is given.

    Raises:
        ValueError: as `agents_of`.
    """
    return _OURS if game is None else {**_OURS, **agents_of(game)}


def _shown(agents: Iterable[Declared]) -> tuple[str, ...]:
    return (*(spec for agent in agents for spec in agent.specs), "MODULE:FACTORY")


SPECS = _shown(_OURS.values())
"""Forms of specs that `parse` accepts."""


@dataclass(frozen=True)
class Spec:
    """A parsed spec."""

    text: str
    """The whole spec."""
    name: str
    """Name of a declared agent, or the user's module."""
    arguments: tuple[str, ...]
    """Arguments of the agent; only the factory's name for user code."""
    declared: Declared | None = None
    """Declaration of the agent; `None` for `MODULE:FACTORY`."""

    @property
    def by_kind(self) -> dict[str, str]:
        """Given arguments by their names in the table."""
        kinds = self.declared.arguments if self.declared else _FACTORY
        return dict(zip(kinds, self.arguments, strict=False))

    @property
    def within(self) -> str | None:
        """Spec of the agent that this agent plays with, if there is one."""
        return self.by_kind.get(_AGENT)

    @property
    def module(self) -> str:
        """Module of the class or factory."""
        return self.declared.module if self.declared else self.name


def by_the_clock(text: str, game: Game) -> bool:
    """Return whether an agent has a time limit, so that its games differ from run to run."""
    spec = parse(text, game)
    if spec.within is not None:
        return by_the_clock(spec.within, game)
    arguments = spec.by_kind
    return _COMMAND in arguments or any(seconds_of(part) is not None for part in arguments.values())


def _meant(text: str, name: str, agents: Mapping[str, Declared]) -> str:
    """Return a suggestion for a text that is no spec, empty if there is none."""
    if name in agents:
        return f"; did you mean {agents[name].specs[0]}?"
    kind = _FILES.get(text[-4:].lower()) or _FILES.get(text[-5:].lower())
    return f"; did you mean {kind}:{text}?" if kind else did_you_mean(name, agents)


def parse(text: str, game: Game | None = None) -> Spec:
    """Parse a spec, without creating the agent.

    Args:
        text: the spec.
        game: game that the agent plays; its own agents are then known.

    Raises:
        ValueError: `text` is not a spec, or as `agents_of`.
    """
    if not isinstance(text, str):
        raise ValueError(f"an agent's spec must be one of {', '.join(SPECS)}, got {shown(text)}")
    agents = known_agents(game)
    name, colon, rest = text.partition(":")
    found = agents.get(name)
    kinds = found.arguments if found else _FACTORY
    arguments = tuple(rest.split(":", max(len(kinds) - 1, 0))) if colon else ()
    complete = len(arguments) >= (found.required if found else 1)
    if not (name and complete and all(arguments) and len(arguments) <= len(kinds)):
        expected = ", ".join(_shown(agents.values()))
        raise ValueError(
            f"there is no agent {text!r}; expected one of {expected}{_meant(text, name, agents)}"
        )
    return Spec(text, name, arguments, found)
