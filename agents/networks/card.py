"""The card of a network: a JSON file in the same folder that lists the games it plays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agents.naming.game_folders import files
from agents.networks.sizes import sizes_of_card
from boardenvs.core.checks import printable
from boardenvs.game import Game

__all__ = ["INT8", "card_path", "int8_version", "read_card", "scores_on", "shipped"]

INT8 = ".int8.onnx"
"""End of the file name of a network's int8 version."""


def card_path(network: Path) -> Path:
    """Return the path of a network's card."""
    return network.with_suffix(".json")


def shipped(game: Game) -> Path:
    """Return the network in a game's folders that plays the game with its parameters.

    In a folder, a network for one size has precedence over a network for several sizes.

    Raises:
        ValueError: no network is shipped, or a network has no card.
    """
    for_several: Path | None = None
    for path in files(game, "*.onnx"):
        if for_several is not None and path.parent != for_several.parent:
            break
        if path.name.endswith(INT8):
            continue  # the card of the float32 network names this file
        card = read_card(path)
        if not _plays(card, game):
            continue
        if sizes_of_card(card) is None:
            return path
        for_several = for_several or path
    if for_several is not None:
        return for_several
    raise ValueError(
        f"no trained agent is shipped for {game!r}: train one with 'boardenvs train {game.name}' "
        f"and play it as 'trained:PATH'"
    )


def read_card(network: Path, game: Game | None = None) -> dict[str, Any]:
    """Read the card of a network.

    Args:
        network: path of an ONNX file.
        game: game that the network must play; `None` for any game.

    Raises:
        ValueError: the network or the card is missing, the card is damaged, or the network does
            not play the game.
    """
    if network.suffix != ".onnx":
        meant = f"; did you mean sb3:{network}?" if network.suffix == ".zip" else ""
        raise ValueError(f"{network} is not a trained agent: expected an .onnx file{meant}")
    if not network.is_file():
        reason = "it is not a file" if network.exists() else "the file does not exist"
        raise ValueError(f"{network} is not a trained agent: {reason}")
    path = card_path(network)
    if not path.is_file():
        raise ValueError(f"{network} has no card: expected {path.name} in the same folder")
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError) as error:
        raise ValueError(f"{path} is not an agent's card: {error}") from None
    if not isinstance(card, dict) or not {"game", "params"} <= card.keys():
        raise ValueError(f"{path} is not an agent's card: expected an object with game and params")
    scores = card.get("scores", [])
    if not isinstance(scores, list) or not all(
        isinstance(one, dict)
        and isinstance(one.get("score"), int | float)
        and isinstance(one.get("against"), str)
        and isinstance(one.get("params", {}), dict)
        for one in scores
    ):
        raise ValueError(
            f"{path} is damaged: scores must be a list of objects with score and against"
        )
    if game is not None and not _plays(card, game):
        plays = printable(f"{card['game']} with {card['params']}")
        raise ValueError(f"{network} plays {plays}, not {game.name} with {game.params}")
    return card


def int8_version(network: Path, card: dict[str, Any]) -> tuple[Path, dict[str, Any]] | None:
    """Return the int8 version that a network's card names, if any.

    `agents.dev.quantise` makes the version, measures it and writes the card's entry.

    Returns:
        The path of the file, and the entry of the card, which contains its `sha256`.

    Raises:
        ValueError: the card's entry is damaged, or the file is missing.
    """
    entry = card.get("int8")
    if entry is None:
        return None
    if not isinstance(entry, dict) or "file" not in entry:
        raise ValueError(f"{card_path(network)} is damaged: int8 must be an object with file")
    name = entry["file"]
    if name is None:
        return None
    if not isinstance(name, str) or not name.endswith(INT8) or name != Path(name).name:
        raise ValueError(
            f"{card_path(network)} is damaged: int8.file must be a file in the same folder, such "
            f"as {network.stem}{INT8}, got {name!r}"
        )
    if "sha256" not in entry:
        raise ValueError(f"{card_path(network)} is damaged: int8 must have sha256")
    path = network.with_name(name)
    if not path.is_file():
        raise ValueError(f"{network} has no int8 version: expected {name} in the same folder")
    return path, entry


def scores_on(card: dict[str, Any], game: Game) -> list[dict[str, Any]]:
    """Return a card's scores; only those on the game's size for a network for several sizes."""
    return [
        entry
        for entry in card.get("scores", [])
        if entry.get("params", {}).items() <= game.params.items()
    ]


def _plays(card: dict[str, Any], game: Game) -> bool:
    """Return whether the card's network plays a game: the card's game, or one derived from it.

    The parameters must be equal, except `max_plies` and those of the observations. The size must be
    one that the card lists.
    """
    params = card["params"]
    if not isinstance(params, dict) or params.keys() != game.params.keys():
        return False
    aside = {"max_plies", *game.observation_params}
    several = sizes_of_card(card)
    if several is not None:
        size, _ = several
        if game.params[size] not in params[size]:
            return False
        aside.add(size)
    if any(params[key] != value for key, value in game.params.items() if key not in aside):
        return False
    return bool(card["game"] == game.name) or _derives(game, card["game"])


def _derives(game: Game, name: Any) -> bool:
    """Return whether a game is derived from the game of this name, and has the same rules."""
    for base in type(game).__mro__[1:]:
        if issubclass(base, Game) and vars(base).get("name") == name:
            try:
                original = base(**game.params)
            except (TypeError, ValueError):
                return False
            return original.rules is game.rules and all(
                theirs.dtype == ours.dtype and theirs.tobytes() == ours.tobytes()
                for theirs, ours in (
                    (original.constants, game.constants),
                    (original.start, game.start),
                )
            )
    return False
