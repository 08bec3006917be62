"""Files in the Smart Game Format: `*.sgf`, FF[4] with GM[4]; see https://www.red-bean.com/sgf/.

A stone is two letters, its column and its row, from `aa` at the top left. Only the main line is
read, which is the first variation at every branch. RU has the number or name of Gomocup's rule.
"""

from __future__ import annotations

import codecs
import contextlib
import re
from collections.abc import Iterator
from string import ascii_lowercase
from typing import TYPE_CHECKING

from boardenvs.gomoku.other_files import episode_of, exact_of, kept_moves, rule_of, winner_of

if TYPE_CHECKING:
    from boardenvs.episode import Episode
    from boardenvs.game import Game

__all__ = ["read", "write"]

_SIZE = 15  # board size of a file without SZ
_START = re.compile(r"\(\s*;")
_TOKEN = re.compile(
    r"\s*(?:(?P<mark>[();])|(?P<name>[A-Za-z]+)|\[(?P<value>(?:\\.|[^\\\]])*)\])", re.DOTALL
)
_CHARSETS = ("gb2312", "gbk", "gb18030", "big5", "shift_jis", "euc_jp", "iso8859-1", "cp1252")
"""Supported character sets of files, besides UTF-8."""
_COLOURS = {"B": "Black", "W": "White"}
_A_LINE = 10  # stones on each line that `write` writes

_Node = dict[str, list[str]]


def read(data: bytes, game: Game | None = None) -> Episode:
    """Return the episode of the main line of an SGF file.

    Args:
        data: content of the file.
        game: expected game; `None` for the game of the file, see `.other_files`.

    Raises:
        ValueError: if the data are no SGF file, are damaged, or hold several games or another
            game; or if the game has passes or stones that were set up.
    """
    nodes = _main_line(_decoded(data))
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
    episode = episode_of(
        side, exact_of(rule) if rule and rule.strip() else None, cells, players, game
    )
    _check_result(episode, (_first(nodes, "RE") or "").strip())
    return episode


def _decoded(data: bytes) -> str:
    charset = "utf-8-sig"
    if (found := re.search(rb"\bCA\[([A-Za-z0-9_-]+)\]", data)) is not None:
        with contextlib.suppress(LookupError):
            name = codecs.lookup(found[1].decode()).name
            charset = name if name in _CHARSETS else charset
    return data.decode(charset, "replace")


def _main_line(text: str) -> list[_Node]:
    """Return the nodes of the main line of the only game."""
    start = _START.search(text)
    if start is None:
        raise ValueError("no SGF file: it has no '(;'")
    nodes: list[_Node] = []
    values: list[str] | None = None
    depth, leaf = 0, False  # `leaf` is True after the end of the main line
    for kind, token in _tokens(text, start.start()):
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
    if depth:
        raise ValueError("cut short: a ')' is missing")
    return nodes


def _tokens(text: str, position: int) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each token of the game tree at `position`."""
    depth = 0
    while True:
        token = _TOKEN.match(text, position)
        if token is None:
            left = text[position:].strip()
            if left:
                raise ValueError(f"damaged at {left[:20]!r}")
            return
        position = token.end()
        kind = str(token.lastgroup)
        yield kind, token[kind]
        if kind == "mark":
            depth += {"(": 1, ")": -1, ";": 0}[token["mark"]]
            if depth == 0:
                break
    if _START.search(text, position):
        raise ValueError("it must hold one game, got several")


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
    """Return text as one line, with its escapes resolved."""
    text = re.sub(r"\\(?:\r\n|\n\r|\r|\n)", "", text)
    return re.sub(r"\s", " ", re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL))


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
