"""A position as a person hands it over: a file or a text, in any format that the package reads."""

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

from boardenvs.core.checks import printable, shown
from boardenvs.episode import Episode
from boardenvs.game import Game, States
from boardenvs.registration import make

__all__ = ["FoundPosition", "read_position"]

_MOST = 1 << 24  # characters
_WRONG = (ValueError, TypeError, LookupError, ArithmeticError, RecursionError)
"""What a hostile text makes JSON, a game or NumPy raise."""


class FoundPosition(NamedTuple):
    """A position, and the game that it is of."""

    game: Game
    state: States
    """Shape (1,)."""


def read_position(
    where: str,
    game: Game,
    *,
    params_given: bool = False,
    ply: int | None = None,
    to_move: int | None = None,
) -> FoundPosition:
    """A position of a game.

    Args:
        where: a file's name, `-` for standard input, or the text itself. A file may be an episode
            in any format that `Episode.load` reads. The text is an episode in JSON, as
            `Episode.save` writes it, a position in JSON, as `Game.to_dict` returns it, or a board
            as the console prints it. The marks of the last move and the text below the board for
            the player to move are optional.
        game: what is played.
        params_given: whether it must have just these parameters; else those of an episode or a
            position in JSON are taken.
        ply: of an episode, after so many actions; by default the last position.
        to_move: the seat whose turn it is, for a board that does not tell.

    Raises:
        ValueError: it holds no position of the game, in one line that says why.
    """
    if os.path.isfile(where) and Path(where).suffix.lower() in game.file_formats:  # noqa: PTH113
        _refuse("--to-move", to_move, "a board that does not tell whose turn it is")
        return _of_episode(Episode.load(where, game if params_given else None), ply)
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
            name = f"{shown(text)} is no file, and as a text"
        raise ValueError(printable(f"{name}: {reason[:600]}")) from error


def _text_of(where: str) -> tuple[str, bool]:
    """What is to be read, and whether it is the argument itself."""
    if where == "-":
        text = sys.stdin.read(_MOST + 1)
    elif os.path.isfile(where):  # noqa: PTH113 never raises, whatever is typed
        with Path(where).open(encoding="utf-8", errors="replace") as file:
            text = file.read(_MOST + 1)
    else:
        return where, True
    if len(text) > _MOST:
        raise ValueError(f"{where} is no position: it has more than {_MOST:,} characters")
    return text, False


def _refuse(option: str, given: Any, what: str) -> None:
    if given is not None:
        raise ValueError(f"{option} is for {what}")


def _of_json(
    text: str, game: Game, params_given: bool, ply: int | None, to_move: int | None
) -> FoundPosition:
    _refuse("--to-move", to_move, "a board that does not tell whose turn it is")
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ValueError(f"it is no JSON ({error})") from error
    if "format" in data:
        episode = Episode.from_json(text.encode())
        _check_same(episode.game, game, params_given)
        return _of_episode(episode, ply)
    _refuse("--ply", ply, "an episode")
    if data.get("game", game.name) != game.name:
        raise ValueError(f"it is a position of {shown(data['game'])}, not of {game.name}")
    params = data.get("params")
    if isinstance(params, dict) and not params_given:
        game = make(game.name, **params)
    return FoundPosition(game, game.restore(data))


def _of_episode(episode: Episode, ply: int | None) -> FoundPosition:
    count = len(episode)
    ply = count if ply is None else ply
    if not 0 <= ply <= count:
        raise ValueError(f"the episode has positions 0 to {count}, not {ply}")
    return FoundPosition(episode.game, episode.states()[ply : ply + 1])


def _check_same(theirs: Game, game: Game, params_given: bool) -> None:
    if theirs.name != game.name:
        raise ValueError(f"it is an episode of {theirs.name}, not of {game.name}")
    if params_given and theirs != game:
        raise ValueError(f"it is an episode of {theirs!r}, not of {game!r}")


# -- Boards -------------------------------------------------------------------------------------


def _of_board(text: str, game: Game, to_move: int | None) -> np.void:
    """The position of a board, by the first way of reading it that the game accepts."""
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
    """Ways to read a text: with the line below the board, without marks, as it stands."""
    board, _, last = text.rpartition("\n")
    for below in (last, ""):
        try:
            more = game.presentation.from_turn_line(below)
        except ValueError:
            continue
        rest = f"{board if below else text}\n"
        yield rest, more
        if "<" in rest:
            # Behind the last column of a grid there is a blank, whatever it is drawn with.
            plain = re.sub(r"<(?=\d)", " ", rest)
            for before, after in itertools.product(" -", repeat=2):
                yield plain.replace(">", before).replace("<", after), more
