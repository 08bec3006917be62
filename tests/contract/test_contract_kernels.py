"""The compiled loops of the environments."""

from __future__ import annotations

import numpy as np
import pytest
from contract_positions import NUM, legal_actions, middle, start

from boardenvs.core.choice import tried_action


def test_advance_writes_the_next_legal_actions_to_the_masks(game):
    states = start(game)
    masks = game.legal(states)
    for ply in range(game.max_plies):
        over = game.terminated(states) | game.truncated(states)
        if over.all():
            break
        actions = np.where(over, -1, legal_actions(game, states, ply))
        if ply == 3:  # including illegal actions where possible
            actions = np.where(over | (np.arange(NUM) % 4 > 0), actions, (~masks).argmax(1))
        expected = states.copy()
        part = expected[~over]
        game.play(part, actions[~over])
        expected[~over] = part
        game.kernels.play_games(states, game.constants, actions, masks)
        assert np.array_equal(states, expected)
        assert np.array_equal(masks, game.legal(states))


def test_restart_games_restarts_the_selected_games_with_their_streams(game):
    states = middle(game)
    before = states.copy()
    which = np.arange(NUM) % 3 == 0
    game.kernels.restart_games(states, game.constants, game.start, which)
    assert np.array_equal(states[~which], before[~which])
    assert not states["ply"][which].any()
    assert (states["last_action"][which] == -1).all()
    assert not np.isin(states["rng"][which], before["rng"]).any()
    again = before.copy()
    game.kernels.restart_games(again, game.constants, game.start, which)
    assert np.array_equal(again, states)
    if not game.has_chance:
        states["rng"][which] = start(game)["rng"][which]
        assert np.array_equal(states[which], start(game)[which])


def test_random_actions_are_legal_and_uniform(game):
    num = 20_000
    masks = np.repeat(game.legal(middle(game, 1)), num, 0)
    masks[0] = False
    bits = np.random.default_rng(0).integers(0, 2**64, num, np.uint64)
    actions = np.empty(num, np.int64)
    game.kernels.random_actions(masks, bits, actions)
    assert actions[0] == -1
    counts = np.bincount(actions[1:], minlength=game.num_actions)
    legal = masks[1]
    assert not counts[~legal].any()
    mean = (num - 1) / legal.sum()
    assert np.abs(counts[legal] - mean).max() < 4.5 * mean**0.5


def test_play_out_ends_every_game_and_depends_only_on_the_words(game):
    states = middle(game)
    alone = states.copy()
    words = np.arange(NUM, dtype=np.uint64)
    scratch = np.zeros(game.num_actions, np.bool_)
    game.kernels.play_out(states, game.constants, words, scratch)
    assert (game.terminated(states) | game.truncated(states)).all()
    assert (states["offender"] == -1).all()
    for i in range(NUM):
        word = np.array([i], np.uint64)
        game.kernels.play_out(alone[i : i + 1], game.constants, word, scratch)
        assert word[0] == words[i]
    assert np.array_equal(alone, states)


@pytest.mark.parametrize("marked", [1, 3, 60])
def test_tried_actions_are_legal_and_uniform(marked):
    num, size = 20_000, 64
    mask = np.zeros(size, np.bool_)
    mask[np.random.default_rng(1).permutation(size)[:marked]] = True
    bits = np.random.default_rng(0).integers(0, 2**64, num, np.uint64)
    counts = np.bincount([tried_action(mask, word) for word in bits], minlength=size)
    assert not counts[~mask].any()
    mean = num / marked
    assert np.abs(counts[mask] - mean).max() < 4.5 * mean**0.5
    assert tried_action(np.zeros(size, np.bool_), bits[0]) == -1
