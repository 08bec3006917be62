"""One recorded game of each kind, compared ply by ply with its `golden.txt`.

A change of rules, action numbers, texts, observations or random streams changes these files. If the
change is intended, write the files again and review the difference:

    python tests/test_golden.py --write
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import boardenvs
from boardenvs.core.records import FILLER

SEEDS = (0, 1)
LARGE = 600
"""Texts with more characters are written every twentieth ply, and otherwise as a digest."""


def golden(name):
    """Return the path of a game's golden file."""
    return Path(__file__).parent / name / "golden.txt"


def numbers(values):
    return " ".join(f"{value:g}" for value in values)


def digest(array):
    """Return sixteen hex digits that identify an array, its shape and its dtype."""
    text = f"{array.dtype.name} {array.shape} ".encode() + array.tobytes()
    return hashlib.sha256(text).hexdigest()[:16]


def choice(seed, ply, legal):
    """Return a pseudorandom legal action, the same for all library versions."""
    bits = hashlib.sha256(f"{seed} {ply}".encode()).digest()
    return legal[int.from_bytes(bits[:8], "big") % len(legal)]


def position(game, states):
    """Return the lines that describe a position completely."""
    state = states[0]
    over = game.terminated(states)[0], game.truncated(states)[0]
    legal = np.flatnonzero(game.legal(states)[0])
    text = game.to_text(state)
    if len(text) > LARGE and state["ply"] % 20 and not any(over):
        text = f"text: {digest(np.frombuffer(text.encode(), np.uint8))}"
        legal = f"{len(legal)} of them: {digest(legal)}"
    else:
        legal = numbers(legal)
    lines = [
        f"to move: {game.to_move(states)[0]}",
        f"legal: {legal}".rstrip(),
        f"returns: {numbers(game.returns(states)[0])}",
        f"terminated, truncated: {over[0]}, {over[1]}",
    ]
    lines += [
        f"seen from seat {seat}: {digest(game.observe(states, seat)[0])}"
        for seat in range(game.num_players)
    ]
    return [*lines, *text.splitlines()]


def playthrough(name):
    """Return the text of a game's golden file."""
    game = boardenvs.make(name)
    lines = [
        f"game: {name}",
        f"params: {json.dumps(game.params)}",
        f"players: {game.num_players}",
        f"actions: {game.num_actions}",
        f"observation: {list(game.observation_shape)} from 0 to {game.observation_high}",
        f"record: {', '.join(n for n in game.state_dtype.names if not n.startswith(FILLER))}",
    ]
    for seed in SEEDS:
        states = game.new(1, seed)
        lines += ["", f"== seed {seed}", *position(game, states)]
        ply = 0
        while not (game.terminated(states)[0] or game.truncated(states)[0]):
            action = int(choice(seed, ply, np.flatnonzero(game.legal(states)[0])))
            text = game.action_to_text(action, states[0])
            game.play(states, [action], illegal="raise")
            ply += 1
            lines += ["", f"-- ply {ply}: action {action}, {text}", *position(game, states)]
        lines += ["", f"as JSON: {json.dumps(game.to_dict(states[0]))}"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", boardenvs.GAMES)
def test_recorded_games_are_reproduced(name):
    path = golden(name)
    assert path.exists(), f"{name} has no golden playthrough: python tests/test_golden.py --write"
    assert playthrough(name).splitlines() == path.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python tests/test_golden.py --write")
    for each in boardenvs.GAMES:
        golden(each).write_text(playthrough(each), encoding="utf-8")
        print(f"wrote {golden(each)}")
