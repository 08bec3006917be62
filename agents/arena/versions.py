"""What an agent was when it played, as far as that can be told."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import boardenvs
from agents.specs import Spec, parse
from boardenvs.opponents import Opponent

__all__ = ["agent_version", "plays_on"]

_FILE = "file "


def agent_version(spec: str, agent: Opponent) -> str:
    """The version of an agent: two that differ in it may play otherwise.

    For an agent of this package, also one named by its module, it is the package's version, with
    its class's `play_version` if that was ever raised, and the SHA-256 of the network if it plays
    by one (the file at its `path`). For an agent of the user's own it is the SHA-256 of its
    module's file. An agent may have more to say in an attribute `version`.

    Args:
        spec: as `agents.make` was given it.
        agent: what `agents.make` made of it.
    """
    parsed = parse(spec)
    if _is_ours(parsed):
        parts = [f"boardenvs {boardenvs.__version__}"]
        play = getattr(agent, "play_version", 1)
        if play > 1:
            parts.append(f"play {play}")
        network = getattr(agent, "path", None)
        if isinstance(network, Path) and network.is_file():
            parts.append(f"network {_sha256(network)}")
    else:
        file = getattr(sys.modules.get(parsed.name), "__file__", None)
        parts = [f"{_FILE}{_sha256(Path(file))}" if file else "unknown"]
    own = getattr(agent, "version", None)
    return ", ".join([*parts, *([own] if isinstance(own, str) else [])])


def plays_on(spec: str, held: str, version: str) -> bool:
    """Whether an agent may add to games that it played when its version was another.

    Stores of the same version of this package may hold the SHA-256 of a module's file for an
    agent of this package that was named by its module, such as
    `agents.dominoes175_perfect:Dominoes175PerfectAgent`. The module has moved since, and plays as
    before as long as its `play_version` says nothing else.

    Args:
        spec: of the agent.
        held: the version that the games are of.
        version: as `agent_version` tells it now.
    """
    if held == version:
        return True
    more, more_now = held.partition(", ")[2], version.partition(", ")[2]
    return _is_ours(parse(spec)) and held.startswith(_FILE) and more == more_now


def _is_ours(spec: Spec) -> bool:
    """Whether the agent is one of this package, by its name or by its module."""
    return spec.builtin or spec.name.partition(".")[0] == "agents"


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
