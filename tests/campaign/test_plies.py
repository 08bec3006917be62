"""Compare plies of random games with the second implementations, for random parameters."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from array_game import array_game
from parameters import parameters
from second_rules import play_round

import boardenvs


def attacked(attack, name, seed):
    rng = np.random.default_rng(seed)
    game = boardenvs.make(name, **parameters(name, rng))
    plies, found = play_round(game, rng, 256 if game.observation_size < 800 else 64)
    attack.count(plies)
    if found:
        attack.failed(seed, *found)


EACH = [
    pytest.param(
        name,
        marks=pytest.mark.attack(f"plies against second implementations: {name}", "plies", share=2),
    )
    for name in boardenvs.GAMES
]


@pytest.mark.parametrize("called", EACH)
def test_plies_agree_with_the_second_implementation(attack, called):
    for seed in attack.rounds():
        attacked(attack, called, seed)


def test_the_attack_finds_a_planted_fault(monkeypatch):
    """The attack finds a Gekitai that never pushes down, and a 112 that never ends."""
    found = []

    class Watch:
        def count(self, number): ...

        def failed(self, seed, case, told):
            found.append((case, told))

    array_game(boardenvs.make("gekitai"), 1)
    array_game(boardenvs.make("game112"), 1)
    gekitai, game112 = sys.modules["array_gekitai"], sys.modules["array_game112"]
    monkeypatch.setattr(gekitai, "STEPS", [step for step in gekitai.STEPS if step[0] < 1])
    monkeypatch.setattr(game112.Games, "end", lambda *args: None)
    for name in ("gekitai", "game112"):
        for seed in range(3):
            attacked(Watch(), name, seed)
    assert {case[:7] for case, _ in found} == {"Gekitai", "Game112"}
    actions = [case.rpartition("actions ")[2].count(",") + 1 for case, _ in found]
    assert min(actions) < 6
