"""Files of named openings: the first moves of games, for certain parameters of a game.

`agents.arena.named_openings` finds the files of a game.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from boardenvs.core.checks import printable, text_value
from boardenvs.files import check_suffix, write_atomically
from boardenvs.game import Game

__all__ = ["NamedOpenings", "openings_in", "openings_listed_in", "read_head", "write_openings"]

_FORMAT = "boardenvs openings"
_KEYS = {"format", "game", "name", "params", "made", "sha256", "openings"}


@dataclass(frozen=True)
class NamedOpenings:
    """Openings of one game."""

    name: str
    """A name such as "balanced", or the path of a list."""
    moves: npt.NDArray[np.int32]
    """Actions from the game's start, shape (openings, moves). Shorter openings of a list are padded
    with -1."""
    sha256: str
    """SHA-256 of the moves as text."""

    @property
    def version(self) -> str:
        """Name and hash, by which a store recognizes the openings."""
        return f"{Path(self.name).name} {self.sha256[:12]}"


def openings_in(path: Path, game: Game) -> NamedOpenings:
    """Return the openings of a file.

    Raises:
        ValueError: the file is damaged.
    """
    data = read_head(path)
    texts = data["openings"]
    if data["sha256"] != _digest(texts):
        raise ValueError(f"{path.name} is damaged: its checksum does not match the moves")
    try:
        moves = np.array([_played(game, row) for row in texts], np.int32)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path.name} is damaged: {error}") from error
    if moves.ndim != 2 or not moves.size:
        raise ValueError(
            f"{path.name} is damaged: its openings must have the same length, at least 1"
        )
    return NamedOpenings(data["name"], moves, data["sha256"])


def openings_listed_in(
    path: Path, game: Game, read: Callable[[str, Game], Sequence[int]]
) -> NamedOpenings:
    """Return the openings of a list with one opening per line; empty lines are ignored.

    Args:
        path: path of the list.
        game: game of the openings.
        read: function that returns the actions of a line, or raises `ValueError`.

    Raises:
        ValueError: the list cannot be read, is empty, or a line is not an opening of the game.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ValueError(f"{path} cannot be read: {reason}") from None
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            if line.strip():
                texts = [game.action_to_text(action) for action in read(line, game)]
                rows.append((texts, _played(game, texts)))
        except ValueError as error:
            raise ValueError(printable(f"{path}, line {number}: {error}")) from None
    if not rows:
        raise ValueError(f"{path} has no openings: expected one opening per line")
    moves = np.full((len(rows), max(len(actions) for _, actions in rows)), -1, np.int32)
    for row, (_, actions) in zip(moves, rows, strict=True):
        row[: len(actions)] = actions
    return NamedOpenings(str(path), moves, _digest([texts for texts, _ in rows]))


def write_openings(
    path: str | PathLike[str],
    game: Game,
    name: str,
    params: Sequence[str],
    moves: npt.NDArray[np.integer[Any]],
    made: Mapping[str, Any],
) -> None:
    """Write openings to a file atomically.

    Args:
        path: path of the file; `named_openings` finds it in the game's folder.
        game: game of the openings.
        name: name of the openings.
        params: names of the game's parameters that must match to use the openings.
        moves: actions from the game's start, shape (openings, moves).
        made: how the openings were made, including the command; any JSON values.

    Raises:
        OSError: the file cannot be written.
        ValueError: an opening is invalid or ends the game, or `path` has the suffix of another
            format.
    """
    check_suffix("path", Path(path), ".json")
    texts = []
    for actions in np.asarray(moves).tolist():
        states = game.new(1, 0)
        row = []
        for action in actions:
            row.append(game.action_to_text(action, states[0]))
            game.play(states, [action], illegal="raise")
        texts.append(row)
        _played(game, row)
    head = {
        "format": _FORMAT,
        "game": game.name,
        "name": name,
        "params": {key: game.params[key] for key in params},
        "made": dict(made),
        "sha256": _digest(texts),
    }
    # One line for each opening, so that people can read the file.
    lines = ",\n".join(f"  {json.dumps(row)}" for row in texts)
    text = json.dumps(head, indent=1).rstrip("\n}") + f',\n "openings": [\n{lines}\n ]\n}}\n'
    write_atomically(Path(path), text.encode())


def read_head(path: Path) -> dict[str, Any]:
    """Return the content of a file of openings, without checking the moves.

    Raises:
        ValueError: the file is not a file of openings.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path.name} is not a file of openings: {error}") from error
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        raise ValueError(f"{path.name} is not a file of openings: format must be {_FORMAT!r}")
    if data.keys() != _KEYS or not isinstance(data["params"], dict):
        raise ValueError(f"{path.name} is damaged: its keys must be {sorted(_KEYS)}")
    return data


def _played(game: Game, texts: Sequence[str]) -> list[int]:
    """Return the actions of an opening; raise `ValueError` if it is invalid."""
    states = game.new(1, 0)
    actions = []
    for text in texts:
        actions.append(game.action_from_text(text_value("a move", text), states[0]))
        game.play(states, actions[-1:], illegal="raise")
    if game.over(states)[0]:
        raise ValueError(f"an opening must not end the game, got {', '.join(texts)}")
    return actions


def _digest(texts: Any) -> str:
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()
