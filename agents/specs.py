r"""Specs, the names that agents go by: their grammar, which stands here and nowhere else.

A spec is a name and what the agent is told, by colons: `NAME[:ARGUMENT[:ARGUMENT ...]]`. Each
agent of this package has a fixed list of arguments, of which the last ones may be left out. The
last of the list is taken as it stands, colons, spaces and quotes included, so nothing is ever
quoted or escaped: `puct:400:C:\my networks\agent.onnx`. (A shell wants its own quotes around a
spec with spaces.) Arguments before the last hold no colon; none is empty.

A spec whose name is none of these is `module:factory`, an agent of the user's own.
"""

from __future__ import annotations

from dataclasses import dataclass

from boardenvs.suggestion import did_you_mean

__all__ = ["ARGUMENTS", "NAMES", "QUOTING", "SPECS", "Spec", "parse"]

ARGUMENTS: dict[str, tuple[str, ...]] = {
    "random": (),
    "greedy": (),
    "neighbour": (),
    "exact": (),
    "mcts": ("SIMULATIONS",),
    "puct": ("SIMULATIONS", "PATH"),
    "trained": ("PATH",),
}
"""The agents of this package by name, each with what it may be told, in order."""
_FACTORY = ("factory",)
NAMES = tuple(ARGUMENTS)
SPECS = (
    *(
        ":".join([name, *told[:number]])
        for name, told in ARGUMENTS.items()
        for number in range(len(told) + 1)
    ),
    "module:factory",
)
"""What `parse` understands."""
QUOTING = "The last part of a spec is taken as it stands, colons and spaces included."


@dataclass(frozen=True)
class Spec:
    """A spec, taken apart."""

    text: str
    """As it was typed."""
    name: str
    """An agent of this package, or a module of the user's."""
    arguments: tuple[str, ...]
    """What the agent is told; of a user's own the factory's name alone."""

    @property
    def builtin(self) -> bool:
        """Whether the agent is one of this package."""
        return self.name in ARGUMENTS

    @property
    def told(self) -> dict[str, str]:
        """The arguments that were typed, by what `ARGUMENTS` calls them."""
        return dict(zip(ARGUMENTS.get(self.name, _FACTORY), self.arguments, strict=False))


def parse(text: str) -> Spec:
    """Take a spec apart.

    Raises:
        ValueError: it is none; whether the agent can be made is another question.
    """
    if not isinstance(text, str):
        raise ValueError(f"an agent's spec must be one of {', '.join(SPECS)}, got {text!r}")
    name, colon, rest = text.partition(":")
    kinds = ARGUMENTS.get(name, _FACTORY)
    arguments = tuple(rest.split(":", max(len(kinds) - 1, 0))) if colon else ()
    complete = name in ARGUMENTS or arguments
    if not (name and complete and all(arguments) and len(arguments) <= len(kinds)):
        meant = did_you_mean(name, NAMES)
        raise ValueError(f"there is no agent {text!r}; expected one of {', '.join(SPECS)}{meant}")
    return Spec(text, name, arguments)
