"""Files in the Smart Game Format: `*.sgf`, FF[4] with GM[4]; see https://www.red-bean.com/sgf/.

A file has one or more games. A stone is two letters, its column and its row, from `aa` at the top
left. Only the main line of a game is read, which is the first variation at every branch. RU has the
number or name of Gomocup's rule.
"""

from __future__ import annotations

import codecs
import contextlib
import re
from collections.abc import Iterator
from string import ascii_lowercase
from typing import TYPE_CHECKING

from boardenvs.core.checks import printable
from boardenvs.gomoku.other_files import (
    decoded,
    episode_of,
    exact_of,
    kept_moves,
    rule_of,
    winner_of,
)

if TYPE_CHECKING:
    from boardenvs.episode import Episode
    from boardenvs.game import Game

__all__ = ["read", "write"]

_SIZE = 15  # board size of a file without SZ
_START = re.compile(r"\(\s*;")
_TOKEN = re.compile(
    r"\s*(?:(?P<mark>[();])|(?P<name>[A-Za-z]+)|\[(?P<value>(?:\\.|[^\\\]])*)\])", re.DOTALL
)
_CHARSET = re.compile(r"(?<![A-Za-z])CA\s*\[([^\]]{,99})\]")
_VALUE_OR_CHARSET = re.compile(rf"{_CHARSET.pattern}|\[(?:\\.|[^\\\]])*\]?", re.DOTALL)
_MARKS = r"(;CA[\])"  # characters of the format, which are read before the character set is known
_COLOURS = {"B": "Black", "W": "White"}
_A_LINE = 10  # stones on each line that `write` writes

_Node = dict[str, list[str]]


def read(data: bytes, game: Game | None = None) -> list[Episode]:
    """Return the episodes of an SGF file: the main line of each game.

    Args:
        data: content of the file.
        game: expected game; `None` for the games of the file, see `.other_files`.

    Raises:
        ValueError: if the data are no SGF file or are damaged, the character set is not supported,
            or a game is another game, has passes or stones that were set up. The message has the
            number of the game if there are several.
    """
    charset = "UTF-8" if data.startswith(codecs.BOM_UTF8) else _charset(data)
    text = decoded(data, charset)
    games: list[list[_Node]] = []
    start = _START.search(text)
    if start is None:
        raise ValueError("no SGF file: it has no '(;'")
    while start is not None:
        with _numbered(len(games) + 1, bool(games)):
            nodes, end = _main_line(text, start.start())
        games.append(nodes)
        start = _START.search(text, end)
    episodes = []
    for number, nodes in enumerate(games, 1):
        with _numbered(number, len(games) > 1):
            episodes.append(_episode(nodes, charset, game))
    return episodes


@contextlib.contextmanager
def _numbered(number: int, several: bool) -> Iterator[None]:
    """Add the number of a game to errors, if there are several games."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"game {number}: {error}" if several else str(error)) from error


def _episode(nodes: list[_Node], charset: str | None, game: Game | None) -> Episode:
    own = (_first(nodes[:1], "CA") or "").strip()
    if own and charset is not None and _codec(own) != _codec(charset):
        raise ValueError(f"CA must be {charset}, the character set of the whole file, got {own}")
    kind = _first(nodes[:1], "GM")
    if kind is None or kind.strip() != "4":
        raise ValueError(f"GM must be 4 (Gomoku), got {'no GM' if kind is None else kind}")
    side = _side(_first(nodes[:1], "SZ"), game)
    rule = _first(nodes, "RU")
    cells: list[int] = []
    for node in nodes:
        for name in ("AB", "AW", "AE"):
            if name in node:
                raise ValueError(
                    f"the game must begin on an empty board, got stones set up ({name})"
                )
        moves = [(name, value) for name in _COLOURS for value in node.get(name, ())]
        if len(moves) > 1:
            raise ValueError(
                f"a node must have one move, got {len(moves)} as move {len(cells) + 1}"
            )
        for name, value in moves:
            cells.append(_cell(value, name, len(cells) + 1, side))
    given = [_plain(_first(nodes, name) or "") for name in ("PB", "PW")]
    players = [name if name.strip() else f"player_{k}" for k, name in enumerate(given)]
    exact = exact_of(rule, game) if rule and rule.strip() else None
    episode = episode_of(side, exact, cells, players, game)
    _check_result(episode, (_first(nodes, "RE") or "").strip())
    return episode


def _charset(data: bytes) -> str | None:
    """Return the character set that the file declares, `None` if it has no CA."""
    text = data.decode("iso-8859-1")
    name = _declared(text)
    if name is None and (found := _CHARSET.search(text)):
        # A letter before CA may have a byte like "\\", which is a part of a value otherwise.
        name = found[1].strip()
        if not (_is_supported(name) and _declared(data.decode(name, "replace")) == name):
            return None
    if name is not None and not _is_supported(name):
        raise ValueError(
            f"CA must be a supported character set that contains ASCII, got {name[:20]!r}"
        )
    return name


def _declared(text: str) -> str | None:
    """Return the value of the first CA, which is not a part of another value."""
    values = (found[1] or "" for found in _VALUE_OR_CHARSET.finditer(text))
    return next(filter(None, map(str.strip, values)), None)


def _is_supported(charset: str) -> bool:
    """Return whether Python decodes the character set, and it contains ASCII."""
    try:
        return _MARKS.encode(charset) == _MARKS.encode()
    except (LookupError, ValueError):  # also for codecs of Python that are not for text
        return False


def _codec(charset: str) -> str:
    """Return the one name of a character set that has several."""
    try:
        return codecs.lookup(charset).name
    except LookupError:
        return charset


def _main_line(text: str, position: int) -> tuple[list[_Node], int]:
    """Return the nodes of the main line of the game at `position`, and the position of its end."""
    nodes: list[_Node] = []
    values: list[str] | None = None
    depth, leaf = 0, False  # `leaf` is True after the end of the main line
    while depth or not leaf:
        found = _TOKEN.match(text, position)
        if found is None:
            left = text[position:].strip()
            raise ValueError(f"damaged at {left[:20]!r}" if left else "cut short: a ')' is missing")
        position = found.end()
        kind = found.lastgroup
        token = found[kind or 0]
        if kind != "value" and values == []:
            raise ValueError(f"damaged: a property without a value before {token[:20]!r}")
        if kind == "mark":
            values = None
            depth += {"(": 1, ")": -1, ";": 0}[token]
            leaf = leaf or token == ")"
            if token == ";" and not leaf:
                nodes.append({})
        elif kind == "name" and nodes:
            # Before FF[4], names may contain lower-case letters without meaning.
            name = "".join(letter for letter in token if letter.isupper())
            values = [] if leaf else nodes[-1].setdefault(name, [])
        elif values is None:
            raise ValueError(f"damaged: value [{token[:20]}] without a property")
        else:
            values.append(token)
    return nodes, position


def _first(nodes: list[_Node], name: str) -> str | None:
    return next((node[name][0] for node in nodes if node.get(name)), None)


def _side(size: str | None, game: Game | None) -> int:
    if size is None:
        return _SIZE if game is None else int(game.params.get("board_size", _SIZE))
    found = re.fullmatch(r"\s*([0-9]{1,3})\s*(?::\s*([0-9]{1,3})\s*)?", size)
    if found is None:
        raise ValueError(f"SZ must be a number, got {size[:20]!r}")
    if found[2] is not None and int(found[1]) != int(found[2]):
        raise ValueError(f"the board must be square, got {int(found[1])} by {int(found[2])}")
    return int(found[1])


def _cell(value: str, colour: str, number: int, side: int) -> int:
    """Check move `number`, counted from 1, and return its cell."""
    if colour != "WB"[number % 2]:
        raise ValueError(
            f"move {number} must be {_COLOURS['WB'[number % 2]]}'s, got {_COLOURS[colour]}'s: "
            "they take turns, Black first"
        )
    point = value.strip()
    if not point or (point == "tt" and side < 20):
        raise ValueError(f"move {number} must be a stone, got a pass")
    letters = ascii_lowercase[:side]
    if len(point) != 2 or not set(point) <= set(letters):
        raise ValueError(
            f"move {number} must be two letters from 'a' to {letters[-1:]!r}, got {point[:20]!r}"
        )
    return letters.index(point[1]) * side + letters.index(point[0])


def _check_result(episode: Episode, result: str) -> None:
    """Raise `ValueError` if the stones lead to another result than the file has.

    The result of an unfinished game is not checked, since a player may have resigned.
    """
    winner = {"B+": 0, "W+": 1}.get(result[:2].upper())
    if result == "0" or result.lower() == "draw":
        winner = -1
    if episode.terminated and winner is not None and winner != winner_of(episode):
        rule = f"{rule_of(episode.game)} (exact={episode.game.params['exact']})"
        raise ValueError(f"RE must be the result by the rule {rule}, got {result[:20]!r}")


def _plain(text: str) -> str:
    """Return text as one printable line, with the escapes of the format resolved."""
    text = re.sub(r"\\(?:\r\n|\n\r|\r|\n)", "", text)
    text = re.sub(r"\s", " ", re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL))
    return printable(text)


def write(episode: Episode) -> bytes:
    """Return the content of the SGF file of an episode.

    Raises:
        ValueError: if an SGF file cannot hold the episode.
    """
    game = episode.game
    size = game.params["board_size"]
    moves = [
        f";{'BW'[place % 2]}[{ascii_lowercase[cell % size]}{ascii_lowercase[cell // size]}]"
        for place, cell in enumerate(kept_moves(episode))
    ]
    names = [re.sub(r"([\\\]])", r"\\\1", name) for name in episode.players]
    head = f"(;FF[4]GM[4]CA[UTF-8]SZ[{size}]RU[{rule_of(game)}]PB[{names[0]}]PW[{names[1]}]"
    winner = winner_of(episode)
    if winner is not None:
        forfeit = "F" if len(moves) < len(episode) else ""
        head += f"RE[{'0' if winner < 0 else 'BW'[winner] + '+' + forfeit}]"
    lines = ["".join(moves[low : low + _A_LINE]) for low in range(0, len(moves), _A_LINE)]
    return "\n".join([head, *lines, ")\n"]).encode()
