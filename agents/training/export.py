"""From a trained policy to the ONNX file and the card that `trained` plays."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
from pathlib import Path
from typing import Any

import boardenvs
from agents.networks.export import network_file
from agents.networks.sizes import Sizes
from agents.players.trained import card_path
from boardenvs.files import write_atomically
from boardenvs.game import Game

__all__ = ["export_policy", "versions"]


def export_policy(policy: Any, game: Game | Sizes, path: Path, card: dict[str, Any]) -> None:
    """Write a Stable-Baselines3 actor-critic policy as an ONNX file with its card.

    Args:
        policy: with a features extractor shared by policy and value.
        game: what it plays. Of several sizes it plays all from the smallest to the largest.
        path: of the ONNX file; the card lies beside it. Both are written whole or not
            at all, the network first.
        card: what is to be said of it; `game`, `params`, `versions` and the network's
            checksum are added.
    """
    data = network_file(policy, game)
    full_card = {
        "game": game.name,
        **_params(game),
        **card,
        "versions": versions(),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data)
    write_atomically(card_path(path), (json.dumps(full_card, indent=2) + "\n").encode())


def _params(game: Game | Sizes) -> dict[str, Any]:
    """What a card says of the parameters that a network plays with; see `agents.networks.sizes`."""
    if not isinstance(game, Sizes):
        return {"params": game.params}
    return {
        "params": {**game.params, game.parameter: game.covered()},
        "sizes": {game.parameter: list(game.values)},
    }


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that training depends on."""
    names = ("numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib")
    found = {name: importlib.metadata.version(name) for name in names}
    return {"python": platform.python_version(), "boardenvs": boardenvs.__version__, **found}
