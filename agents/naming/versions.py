"""Versions of agents, which change when an agent may play differently."""

from __future__ import annotations

import hashlib
from pathlib import Path

import boardenvs
from agents.naming.tables import parse
from agents.naming.user_code import file_sha256
from boardenvs.envs.opponents import Opponent
from boardenvs.game import Game
from boardenvs.kernels.threads import cores, threads_for

__all__ = ["agent_version"]

_PACKAGE = "boardenvs "


def agent_version(spec: str, agent: Opponent, game: Game | None = None) -> str:
    """Return an agent's version; agents of different versions may play differently.

    For an agent of this package, also if it is named by its module, the version has these parts:

    - the package's version;
    - the `play_version` of the agent's class, if it is above 1;
    - the number of cores that the agent may use, if it has a time limit;
    - the SHA-256 of the network file at the agent's `path`, if it uses a network.

    For a user's own agent, the version is the SHA-256 of its module's file. For an agent that
    plays with another agent, it is the version of that other agent. An agent may add to its version
    with an attribute `version`.

    Args:
        spec: spec of the agent.
        agent: the agent that `agents.make` created from it.
        game: game that the agent plays; needed for an agent that the game declares.
    """
    known = parse(spec, game)
    if known.within is not None:
        inner = getattr(agent, "agent", agent)
        return agent_version(known.within, inner, game)
    module = known.module
    if module.startswith("agents."):
        parts = [f"{_PACKAGE}{boardenvs.__version__}"]
        play = getattr(agent, "play_version", 1)
        if play > 1:
            parts.append(f"play {play}")
        if not getattr(agent, "repeatable", True):
            threads = threads_for(agent.threads) if hasattr(agent, "threads") else cores()
            parts.append(f"by the clock on {min(threads, cores())} cores")
        network = getattr(agent, "path", None)
        if isinstance(network, Path) and network.is_file():
            parts.append(f"network {_sha256(network)}")
    else:
        found = file_sha256(module)
        parts = [f"file {found}" if found else "unknown"]
    own = getattr(agent, "version", None)
    return ", ".join([*parts, *([own] if isinstance(own, str) else [])])


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
