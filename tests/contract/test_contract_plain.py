"""A game's loops return the same compiled and as plain Python."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from boardenvs.core.chance import make_streams
from boardenvs.core.loops import (
    BEGIN,
    EVERY_SEAT,
    RANDOM_SEAT,
    GameArrays,
    play_out,
    redraw_games,
    step_games,
)
from boardenvs.envs.game_batch import GameBatch


@pytest.mark.parametrize("alone", [True, False])
def test_a_step_agrees_with_plain_python(variant, alone):
    plain = step_games.plain((variant.rules,))
    seat = EVERY_SEAT if alone else RANDOM_SEAT
    compiled_games, plain_games = [
        GameBatch(variant, 3, seat, restarts=True).games._replace(random_opponents=not alone)
        for _ in range(2)
    ]
    for games in (compiled_games, plain_games):
        games.states[:] = variant.new(3, 7)
        games.streams[:] = make_streams(np.uint64(7), 3)
    rng = np.random.default_rng(0)
    for ply in range(20):
        masks = compiled_games.masks
        actions = np.argmax(rng.random(masks.shape) * masks, 1) if ply else np.full(3, BEGIN)
        if ply == 10:
            actions[0] = (actions[0] + 1) % variant.num_actions  # possibly illegal
        variant.kernels.step_games(1, actions, *compiled_games)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            plain(actions, *plain_games, 0, 3)
        for name in GameArrays._fields:
            same = np.array_equal(getattr(compiled_games, name), getattr(plain_games, name))
            assert same, f"{name} after ply {ply}"


def test_random_play_and_resampling_agree_with_plain_python(variant):
    ends = []
    for loop in (variant.kernels.play_out, play_out.plain((variant.rules,))):
        states, words = variant.new(2, 0), make_streams(np.uint64(1), 2)
        loop(states, variant.constants, words, np.zeros(variant.num_actions, np.bool_))
        ends.append((states.tobytes(), words.tobytes()))
    assert ends[0] == ends[1]
    redrawn = []
    for loop in (variant.kernels.redraw_games, redraw_games.plain((variant.rules,))):
        states = variant.new(2, 0)
        loop(states, variant.constants, np.zeros(2, np.int64), make_streams(np.uint64(1), 2))
        redrawn.append(states.tobytes())
    assert redrawn[0] == redrawn[1]
