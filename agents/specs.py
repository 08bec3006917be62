r"""Specs, the names that agents go by: their grammar, and the table of the agents of any game.

A spec is a name and what the agent is told, by colons: `NAME[:ARGUMENT[:ARGUMENT ...]]`. Each
agent has a fixed list of arguments, of which the last ones may be left out. The last of the list
is taken as it stands, colons, spaces and quotes included, so nothing is ever quoted or escaped:
`puct:400:C:\my networks\agent.onnx`. (A shell wants its own quotes around a spec with spaces.)
Where an agent that searches may be told SIMULATIONS, a time will do: `puct:500ms`, `mcts:2s`.
Arguments before the last hold no colon; none is empty.

A table says which agents there are: `AGENTS` here, and one of that name in the folder of each game
that has agents of its own (see `agents.games`). A spec whose name is in none of these tables
is `MODULE:FACTORY`, the user's own agent.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agents.clock import seconds_of
from agents.games import declared, folder_of, folders
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
    "text:MODULE!:FUNCTION!": "players.text.agent:NamedTextAgent",
    "trained:PATH": "players.trained:TrainedAgent",
}
"""The agents of any game: a name with what may be told, and where the class is, from here.

What may be told are parameters of the class, in capitals, those that must be with a `!`; they and
all others, but for the game, the seed and the spec, are options of `agents.make`. It is called
with the game, and with `seed`, `spec` and options by keyword.
"""
QUOTING = "The last part of a spec is taken as it stands, colons and spaces included."
_FACTORY = ("FACTORY",)
_COMMAND = "COMMAND"
"""What an agent is told that runs a program beside, which has a clock of its own."""
_AGENT = "AGENT"
"""What an agent is told that plays by another one: that one's spec."""


@dataclass(frozen=True)
class Declared:
    """An agent as a table has it."""

    name: str
    arguments: tuple[str, ...]
    """What it may be told in its spec, in order, in capitals."""
    module: str
    """Where its class is."""
    cls: str
    """The name of its class there."""
    required: int = 0
    """How many of the arguments must be told."""

    @property
    def specs(self) -> list[str]:
        """Its specs, the shortest first."""
        return [
            ":".join([self.name, *self.arguments[:number]])
            for number in range(self.required, len(self.arguments) + 1)
        ]


def _read(package: str, table: Mapping[str, str]) -> dict[str, Declared]:
    """The agents of a table by their names."""
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
    """The agents of a game: those of any game, and those that its folders declare.

    Raises:
        ValueError: the players of a user's game cannot be imported, or their table is none.
    """
    found = dict(_ANY_GAME)
    for folder in reversed(folders(game)):
        found.update(_read(folder, declared(folder)))
    return found


def _ours() -> dict[str, Declared]:
    """All agents of this package by their names; of two games' agents of one name the first."""
    found = dict(_ANY_GAME)
    for folder in map(folder_of, GAMES):
        if importlib.util.find_spec(folder) is not None:
            found = {**found, **_read(folder, declared(folder)), **found}
    return found


_OURS = _ours()
NAMES = tuple(_OURS)
"""The agents of this package, those of one game included."""


def known_agents(game: Game | None = None) -> dict[str, Declared]:
    """The agents of this package, and those of the game itself, where it is known.

    Raises:
        ValueError: as `agents_of`.
    """
    return _OURS if game is None else {**_OURS, **agents_of(game)}


def _shown(agents: Iterable[Declared]) -> tuple[str, ...]:
    return (*(spec for agent in agents for spec in agent.specs), "MODULE:FACTORY")


SPECS = _shown(_OURS.values())
"""What `parse` understands of any game."""


@dataclass(frozen=True)
class Spec:
    """A spec, taken apart."""

    text: str
    """As it was typed."""
    name: str
    """An agent that a table declares, or a module of the user's."""
    arguments: tuple[str, ...]
    """What the agent is told; of a user's own the factory's name alone."""
    declared: Declared | None = None
    """The table's entry of the agent; `None` for `MODULE:FACTORY`."""

    @property
    def by_kind(self) -> dict[str, str]:
        """The arguments that were typed, by what the table calls them."""
        kinds = self.declared.arguments if self.declared else _FACTORY
        return dict(zip(kinds, self.arguments, strict=False))

    @property
    def within(self) -> str | None:
        """The spec of the agent that this one plays by; `None` of one that plays by itself."""
        return self.by_kind.get(_AGENT)

    @property
    def module(self) -> str:
        """The module of its class or factory."""
        return self.declared.module if self.declared else self.name


def by_the_clock(text: str, game: Game) -> bool:
    """Whether an agent thinks for a time, so that its games differ from run to run."""
    spec = parse(text, game)
    if spec.within is not None:
        return by_the_clock(spec.within, game)
    arguments = spec.by_kind
    return _COMMAND in arguments or any(seconds_of(part) is not None for part in arguments.values())


def parse(text: str, game: Game | None = None) -> Spec:
    """Take a spec apart.

    Args:
        text: the spec.
        game: what the agent is to play, whose own agents then are known, too.

    Raises:
        ValueError: it is none; whether the agent can be made is another question. Or as
            `agents_of`.
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
            f"there is no agent {text!r}; expected one of {expected}{did_you_mean(name, agents)}"
        )
    return Spec(text, name, arguments, found)
