"""What an agent was when it played, as far as that can be told."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import boardenvs
from agents.specs import parse
from boardenvs.game import Game
from boardenvs.opponents import Opponent

__all__ = ["agent_version"]


def agent_version(spec: str, agent: Opponent, game: Game | None = None) -> str:
    """The version of an agent: two that differ in it may play otherwise.

    For an agent of this package it is the package's version, with its class's `play_version` if
    that was ever raised, and the SHA-256 of the network if it plays by one (the file at its
    `path`). For an agent of the user's own it is the SHA-256 of its module's file. An agent may
    have more to say in an attribute `version`.

    Args:
        spec: as `agents.make` was given it.
        agent: what `agents.make` made of it.
        game: what it plays, for an agent that the game's own players declare.
    """
    known = parse(spec, game)
    if known.declared and known.module.startswith("agents."):
        parts = [f"boardenvs {boardenvs.__version__}"]
        play = getattr(agent, "play_version", 1)
        if play > 1:
            parts.append(f"play {play}")
        network = getattr(agent, "path", None)
        if isinstance(network, Path) and network.is_file():
            parts.append(f"network {_sha256(network)}")
    else:
        file = getattr(sys.modules.get(known.module), "__file__", None)
        parts = [f"file {_sha256(Path(file))}" if file else "unknown"]
    told = getattr(agent, "version", None)
    return ", ".join([*parts, *([told] if isinstance(told, str) else [])])


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
