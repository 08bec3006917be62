"""Edits that damage a file: changes of its bytes or of its values.

An edit is sampled once and applies to any content. Leaving out some edits of a list does not change
the others.
"""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import numpy as np

DEEP = 100_000
"""Depth of nested lists that no JSON reader accepts."""

_ODD = (
    *(None, True, False, 0, 1, -1, 2, 3, 7, 36, 255, 2**31, 2**63, 2**64, -(2**63), 10**400),
    *(0.5, 1e308, -0.0, math.nan, math.inf, -math.inf),
    *("", "x", "0", "a\nb", "\0", "\x1b[2J", "\ud800", "é" * 1000, "9" * 5000, "../../x"),
    *("random", "nobody", "os:system", "gekitai", "[[1]]"),
    *([], [[]], [None], [0], [1, 2], [[0, 0]], ["x"], list(range(1000))),
    *({}, {"": 0}, {"x": {}}, {"board_size": 6}),
)


class ByteEdit:
    """A change of some bytes at a random position."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._kind = str(
            rng.choice(["flip", "set", "cut", "drop", "repeat", "insert", "swap", "zero"])
        )
        self._at, self._to = rng.random(2)
        self._length = int(2 ** (12 * rng.random()))
        self._noise = rng.bytes(min(self._length, 64))

    def __repr__(self) -> str:
        return f"{self._kind} {self._length} at {self._at:.6f}"

    def __call__(self, data: bytes) -> bytes:
        if not data:
            return self._noise
        at, to = (int(share * len(data)) for share in (self._at, self._to))
        part, rest = data[at : at + self._length], data[at + self._length :]
        match self._kind:
            case "flip":
                return data[:at] + bytes([data[at] ^ 1 << self._noise[0] % 8]) + data[at + 1 :]
            case "set":
                return data[:at] + self._noise[:1] + data[at + 1 :]
            case "cut":
                return data[:at]
            case "drop":
                return data[:at] + rest
            case "repeat":
                return data[:at] + part + part + rest
            case "insert":
                return data[:at] + self._noise + data[at:]
            case "zero":
                return data[:at] + bytes(len(part)) + rest
        low, high = sorted((at, to))
        return (
            data[:low]
            + data[high : high + 1]
            + data[low + 1 : high]
            + data[low : low + 1]
            + (data[high + 1 :])
        )


class ValueEdit:
    """A change of one value in a tree of dicts and lists, as in JSON or TOML."""

    def __init__(self, rng: np.random.Generator) -> None:
        kinds = ["replace", "near", "remove", "repeat", "rename", "exchange", "wrap", "add"]
        self._kind = str(rng.choice(kinds))
        self._steps = rng.random(12)
        self._stop = 0.15 + 0.35 * rng.random()
        self._odd = _ODD[rng.integers(len(_ODD))]
        self._other = rng.random(12)

    def __repr__(self) -> str:
        return f"{self._kind} at {self._steps[:3].round(3).tolist()} {ascii(self._odd)[:60]}"

    def _place(self, tree: Any, steps: np.ndarray) -> tuple[Any, Any] | None:
        """Return a container in a tree and the key of the selected value."""
        found = None
        for number in range(0, len(steps) - 1, 2):
            if not isinstance(tree, dict | list) or not tree:
                break
            keys = list(tree) if isinstance(tree, dict) else range(len(tree))
            key = keys[int(steps[number] * len(keys))]
            found = tree, key
            if steps[number + 1] < self._stop:
                break
            tree = tree[key]
        return found

    def __call__(self, tree: Any) -> Any:
        tree = copy.deepcopy(tree)
        found = self._place(tree, self._steps)
        if found is None:
            return self._odd
        where, key = found
        match self._kind:
            case "near" if isinstance(where[key], int | float):
                where[key] += (-1) ** int(self._other[0] * 2) * int(2 ** (8 * self._other[1]))
            case "near" if isinstance(where[key], str) and where[key]:
                text, at = where[key], int(self._other[0] * len(where[key]))
                where[key] = text[:at] + chr(int(0x3000 ** self._other[1])) + text[at + 1 :]
            case "remove":
                del where[key]
            case "repeat" if isinstance(where, list):
                where[key:key] = [where[key]] * int(2 ** (6 * self._other[0]))
            case "rename" if isinstance(where, dict):
                where[str(self._odd)[:50]] = where.pop(key)
            case "exchange" if other := self._place(tree, self._other):
                there, name = other
                where[key], there[name] = copy.deepcopy((there[name], where[key]))
            case "wrap":
                where[key] = [where[key]]
            case "add" if isinstance(where, dict):
                where[f"{key} "] = self._odd
            case _:
                where[key] = self._odd
        return tree


def edits(kind: type, rng: np.random.Generator) -> list[Any]:
    """Sample some edits of a kind, mostly one or two."""
    return [kind(rng) for _ in range(1 + min(int(rng.geometric(0.5)), 8))]


def as_json(tree: Any, deep: bool = False) -> bytes:
    """Return a tree as JSON, with an extremely deep list inserted as text if `deep`."""
    text = json.dumps(tree)
    if deep:
        text = (
            text.replace("null", "[" * DEEP + "]" * DEEP, 1)
            if "null" in text
            else (text[:-1] + ', "deep": ' + "[" * DEEP + "]" * DEEP + text[-1:])
        )
    return text.encode("utf-8", "surrogatepass")


def as_toml(tree: dict[str, Any]) -> bytes:
    """Return a tree as TOML; values that TOML lacks are written in Python's notation."""

    def value(one: Any) -> str:
        if isinstance(one, bool):
            return str(one).lower()
        if isinstance(one, str):
            return json.dumps(one)
        if isinstance(one, list):
            return "[" + ", ".join(map(value, one)) + "]"
        if isinstance(one, dict):
            return "{" + ", ".join(f"{json.dumps(k)} = {value(v)}" for k, v in one.items()) + "}"
        return repr(one) if one is None or abs(one) < 10**100 else "1" + "0" * 400

    if not isinstance(tree, dict):
        return value(tree).encode("utf-8", "surrogatepass")
    lines = [f"{json.dumps(key)} = {value(one)}" for key, one in tree.items()]
    return "\n".join(lines).encode("utf-8", "surrogatepass")
