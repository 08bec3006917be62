"""Reading of a position from a file or a text, in any format of the package."""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from boardenvs.core.checks import printable, shown, whole_number
from boardenvs.episode import Episode
from boardenvs.game import Game, States
from boardenvs.registration import make

__all__ = ["FoundPosition", "read_position"]

_MOST = 1 << 24  # characters
_WRONG = (ValueError, TypeError, LookupError, ArithmeticError, RecursionError)
"""Exceptions that JSON, a game or NumPy may raise for an invalid text."""


class FoundPosition(NamedTuple):
    """A position and its game."""

    game: Game
    state: States
    """Record of shape (1,)."""


def read_position(
    where: str,
    game: Game,
    *,
    params_given: bool = False,
    number: int | None = None,
    ply: int | None = None,
    to_move: int | None = None,
) -> FoundPosition:
    """Read a position of a game.

    Args:
        where: path of a file, `-` for standard input, or the text itself. A file may be an episode
            in any format that `Episode.load` reads. The text is an episode in JSON, as
            `Episode.save` writes it, a position in JSON, as `Game.to_dict` returns it, or a board
            as the console prints it. The marks of the last move and the text below the board for
            the player to move are optional.
        game: the game.
        params_given: whether the position must have the game's parameters; else the parameters of
            an episode or a position in JSON are used.
        number: number of the episode in a file with several games, from 1; `None` for a file with
            one game.
        ply: number of actions before the position in an episode; by default the last position.
        to_move: seat to move, for a board that does not show it.

    Raises:
        ValueError: `where` has no position of the game; the message is one line.
    """
    if os.path.isfile(where) and Path(where).suffix.lower() in game.file_formats:  # noqa: PTH113
        _refuse("--to-move", to_move, "a board that does not show whose turn it is")
        return _of_episode(_loaded(where, game if params_given else None, number), ply)
    _refuse("--game", number, "a file of a format with several games, such as SGF")
    text, is_text = _text_of(where)
    name = "the text" if is_text else where
    try:
        with np.errstate(all="raise"):
            if text.lstrip().startswith("{"):
                return _of_json(text, game, params_given, ply, to_move)
            _refuse("--ply", ply, "an episode")
            return FoundPosition(game, game.restore(_of_board(text, game, to_move)))
    except _WRONG as error:
        reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        if is_text and "\n" not in text:
            name = f"{shown(text)} is not a file, and not a position"
        raise ValueError(printable(f"{name}: {reason[:600]}")) from error


def _loaded(where: str, game: Game | None, number: int | None) -> Episode:
    if number is None:
        return Episode.load(where, game)
    episodes = Episode.load_all(where, game)
    return episodes[whole_number("--game", number, 1, len(episodes)) - 1]


def _text_of(where: str) -> tuple[str, bool]:
    """Return the text to read, and whether it is the argument itself."""
    if where == "-":
        text = sys.stdin.read(_MOST + 1)
    elif os.path.isfile(where):  # noqa: PTH113 never raises, unlike `Path.is_file`
        try:
            with Path(where).open(encoding="utf-8-sig") as file:
                text = file.read(_MOST + 1)
        except UnicodeError as error:
            raise ValueError(printable(f"{where} must be UTF-8 text: {error}")) from None
    else:
        return where, True
    if len(text) > _MOST:
        raise ValueError(f"{where} is not a position: it must have at most {_MOST:,} characters")
    return text, False


def _refuse(option: str, given: Any, what: str) -> None:
    if given is not None:
        raise ValueError(f"{option} requires {what}, got {option} {given}")


def _of_json(
    text: str, game: Game, params_given: bool, ply: int | None, to_move: int | None
) -> FoundPosition:
    _refuse("--to-move", to_move, "a board that does not show whose turn it is")
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ValueError(f"expected JSON ({error})") from error
    if "format" in data:
        episode = Episode.from_json(text.encode())
        _check_same(episode.game, game, params_given)
        return _of_episode(episode, ply)
    _refuse("--ply", ply, "an episode")
    if data.get("game", game.name) != game.name:
        raise ValueError(f"expected a position of {game.name}, got one of {shown(data['game'])}")
    params = data.get("params")
    if isinstance(params, dict) and not params_given:
        game = make(game.name, **params)
    return FoundPosition(game, game.restore(data))


def _of_episode(episode: Episode, ply: int | None) -> FoundPosition:
    count = len(episode)
    ply = count if ply is None else ply
    if not 0 <= ply <= count:
        raise ValueError(f"ply must be from 0 to {count} in this episode, got {ply}")
    return FoundPosition(episode.game, episode.states()[ply : ply + 1])


def _check_same(theirs: Game, game: Game, params_given: bool) -> None:
    if theirs.name != game.name:
        raise ValueError(f"expected an episode of {game.name}, got one of {theirs.name}")
    if params_given and theirs != game:
        raise ValueError(f"expected an episode of {game!r}, got one of {theirs!r}")


# -- Boards -------------------------------------------------------------------------------------


def _of_board(text: str, game: Game, to_move: int | None) -> np.void:
    """Return the position of a board, from the first reading that the game accepts."""
    seat = {} if to_move is None else {"to_move": to_move}
    first: ValueError | None = None
    for board, more in _readings(text.strip("\n"), game):
        try:
            return game.from_text(board, **seat, **more)
        except ValueError as error:
            first = first or error
    assert first is not None
    raise first


def _readings(text: str, game: Game) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield readings of a text: with and without the line below the board, and without marks."""
    board, _, last = text.rpartition("\n")
    for below in (last, ""):
        try:
            more = game.presentation.from_turn_line(below)
        except ValueError:
            continue
        rest = f"{board if below else text}\n"
        yield rest, more
        if "<" in rest:
            # The last column of every grid is followed by a blank.
            plain = re.sub(r"<(?=\d)", " ", rest)
            for before, after in itertools.product(" -", repeat=2):
                yield plain.replace(">", before).replace("<", after), more
