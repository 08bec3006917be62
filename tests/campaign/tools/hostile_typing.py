"""Arbitrary input for console programs."""

from __future__ import annotations

import functools
import io
import re

import numpy as np

import boardenvs

ODD = [
    b"", b" ", b"\t", b"0", b"-1", b"1.5", b"1e9", b"nan", b"inf", b"None", b"True", b"9" * 5000,
    b"1" * 100_000, b"A" * 9000, b"\x00", b"\x00\x00A1", b"\xff\xfe", b"\xc3", b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80", b"\x1b[2J\x1b[H", b"\x1b]0;title\x07", b"\x7f\x08\x08", b"%s%n%d",
    b"{0}{x.__class__}", b"\\", b"'", b'"', b"`id`", b"$(id)", b"; exit", b"../../etc/passwd",
    b"/dev/zero", b"/dev/null", b"/", b".", b"*", b"?", b"--help", b"-h", b"A 1", b"A1A1A1",
    "²".encode(), "½".encode(), "٣".encode(), "\uff11 \uff11".encode(), "Ⅷ".encode(),
    "İ".encode(), "ß".encode(), "ǆ".encode(), "\uff21\uff11".encode(), "\u200f\u202e1".encode(),
    "\u2028".encode(), "\x85".encode(), b"\x1c1\x1d2\x1e", b"\x0b\x0c", "e\u0301" .encode() * 500,
    "🐐".encode() * 1000, b"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", b"15 15", b"1 " * 5000,
]  # fmt: skip
_MENUS = {
    "dominoes175": [b"1", b"2", b"y", b"n", b"q", b"0 0", b"3 6", b"1 1", b"A", b"/dev/zero"],
    "game112": [b"1 1", b"4 2", b"9 2"],
    "gekitai": [b"A1", b"c3", b"F6", b"H8"],
    "goat_race": [b"2", b"3", b"t", b"T", b"s", b"1", b"4", b"A1B1", b"A3B3", b"C4C5", b"q"],
    "gomoku": [b"1", b"2", b"3", b"4", b"5", b"m", b"6", b"0 A", b"3 d", b"26", b"y", b"n"],
    "pizza_order": [b"1", b"5", b"y", b"n", b"1 2 3", b"15", b"2"],
}  # other input that the console programs ask for
_COMMANDS = [b"?", b"help", b"moves", b"hint", b"undo", b"Undo", b"board", b"undu"]


@functools.cache
def _moves(name: str) -> list[bytes]:
    """Return the legal moves in a few random games, in the game's notation."""
    game = boardenvs.make(name)
    rng = np.random.default_rng(0)
    found = set()
    for seed in range(6):
        state = game.new(1, seed)
        for _ in range(200):
            if game.over(state)[0]:
                break
            mask = game.legal(state)[0]
            found.update(game.action_to_text(int(k), state[0]) for k in np.flatnonzero(mask)[:20])
            game.play(state, [rng.choice(np.flatnonzero(mask))])
    return sorted(text.encode() for text in found)


class Typist:
    """A generator of lines, both sensible and unexpected."""

    def __init__(self, name: str, rng: np.random.Generator) -> None:
        self._sensible = _moves(name) + 20 * _MENUS[name]
        self._rng = rng
        self._odd = rng.choice([0.0, 0.1, 0.5, 1.0])  # fraction of odd lines
        self._left = int(rng.integers(1, 120))

    def line(self, seen: str) -> bytes:
        """Return the next line with its line end; empty after the last one.

        Args:
            seen: recent output of the program.
        """
        if not self._left:
            return b""
        self._left -= 1
        rng = self._rng
        if rng.random() < self._odd:
            return self._strange() + rng.choice([b"\n", b"\n", b"\r\n", b"\r", b"\n\n"])
        named = re.findall(r"; (.+) would be|[Ss]uch as ([^\n.(]+?)(?:, | \(|[\n.(])", seen[-300:])
        if named and rng.random() < 0.7:
            return "".join(named[-1]).encode() + b"\n"
        if rng.random() < 0.1:
            return _COMMANDS[rng.integers(len(_COMMANDS))] + b"\n"
        return self._sensible[rng.integers(len(self._sensible))] + b"\n"

    def _strange(self) -> bytes:
        rng = self._rng
        kind = rng.integers(4)
        if kind == 0:
            return rng.bytes(int(rng.integers(1, 60))).replace(b"\n", b"")
        if kind == 1:  # a sensible line with an extra byte
            line = bytearray(self._sensible[rng.integers(len(self._sensible))])
            line.insert(int(rng.integers(len(line) + 1)), int(rng.integers(256)))
            return bytes(line)
        if kind == 2:
            return b" ".join(ODD[k] for k in rng.integers(len(ODD), size=rng.integers(1, 4)))
        return ODD[rng.integers(len(ODD))]


class Keyboard(io.RawIOBase):
    """Standard input that asks for a line when a program reads, and records all lines."""

    def __init__(self, next_line) -> None:
        self._next = next_line
        self._rest = b""
        self.typed: list[bytes] = []

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        if not self._rest:
            self._rest = self._next()
            if self._rest:
                self.typed.append(self._rest)
        part, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)
