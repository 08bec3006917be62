r"""The grammar of specs, which needs no game.

A spec is a name and arguments, separated by colons: `NAME[:ARGUMENT[:ARGUMENT ...]]`. Each agent
has a fixed list of arguments, of which the last ones may be optional. The last argument may contain
colons, spaces and quotes without escaping: `puct:400:C:\my networks\agent.onnx`. (A shell needs
quotes around a spec with spaces.) A time may replace SIMULATIONS: `puct:500ms`, `mcts:2s`. The
other arguments cannot contain colons. No argument may be empty.

A spec with a name that no table has is `MODULE:FACTORY`, the user's own agent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from boardenvs.core.suggestion import did_you_mean

__all__ = [
    "FACTORY",
    "LONGEST",
    "MEANT",
    "QUOTING",
    "TableEntry",
    "read_table",
    "seconds_of",
    "shown_specs",
    "split",
]

QUOTING = "The last part of a spec is taken as it stands, colons and spaces included."
FACTORY = ("FACTORY",)
"""The argument of the user's own agents."""
_FILES = {".zip": "sb3", ".onnx": "trained"}
"""Agents that play a file, by the suffix of the file."""
_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s)")
LONGEST = 86_400
"""Maximum time limit: a day, in seconds."""
MEANT = "a time such as 500ms or 2s"


@dataclass(frozen=True)
class TableEntry:
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


def read_table(package: str, table: Mapping[str, str]) -> dict[str, TableEntry]:
    """Return the agents of a table by name.

    Args:
        package: package of the modules that the table names.
        table: each spec with its arguments in capitals, required ones with a `!`, and the module
            and class, as in `agents.naming.tables.AGENTS`.
    """
    found = {}
    for spec, where in table.items():
        name, *marked = spec.split(":")
        module, _, cls = where.partition(":")
        arguments = tuple(argument.removesuffix("!") for argument in marked)
        required = sum(argument.endswith("!") for argument in marked)
        found[name] = TableEntry(name, arguments, f"{package}.{module}", cls, required)
    return found


def shown_specs(agents: Iterable[TableEntry]) -> tuple[str, ...]:
    """Return the forms of all agents' specs, for messages."""
    return (*(spec for agent in agents for spec in agent.specs), "MODULE:FACTORY")


def split(text: str, agents: Mapping[str, TableEntry]) -> tuple[TableEntry | None, tuple[str, ...]]:
    """Return the agent that a spec names, `None` for a user's own agent, and the arguments.

    Args:
        text: the spec.
        agents: the known agents by name.

    Raises:
        ValueError: `text` is not a spec.
    """
    name, colon, rest = text.partition(":")
    found = agents.get(name)
    kinds = found.arguments if found else FACTORY
    arguments = tuple(rest.split(":", max(len(kinds) - 1, 0))) if colon else ()
    complete = len(arguments) >= (found.required if found else 1)
    if not (name and complete and all(arguments) and len(arguments) <= len(kinds)):
        expected = ", ".join(shown_specs(agents.values()))
        raise ValueError(
            f"there is no agent {text!r}; expected one of {expected}{_meant(text, name, agents)}"
        )
    return found, arguments


def _meant(text: str, name: str, agents: Mapping[str, TableEntry]) -> str:
    """Return a suggestion for a text that is no spec, empty if there is none."""
    if name in agents:
        return f"; did you mean {agents[name].specs[0]}?"
    kind = _FILES.get(text[-4:].lower()) or _FILES.get(text[-5:].lower())
    return f"; did you mean {kind}:{text}?" if kind else did_you_mean(name, agents)


def seconds_of(text: str) -> float | None:
    """Return the seconds of a time limit; `None` if the text is not a time.

    Raises:
        ValueError: the time is zero or longer than a day.
    """
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    seconds = float(found[1]) / (1000 if found[2] == "ms" else 1)
    if not 0 < seconds <= LONGEST:
        raise ValueError(f"time must be above 0 and at most a day, got {text!r}")
    return seconds
