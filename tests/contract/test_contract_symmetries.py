"""Symmetries: playing a mapped action in a mapped position gives the mapped result."""

import numpy as np
import pytest
from contract_positions import start

from boardenvs.core.symmetries import Symmetries
from boardenvs.gekitai import Gekitai


def check_symmetries(game):
    """Raise `AssertionError` unless playing random games commutes with every view."""
    views = game.symmetries()
    assert views.actions.shape == (len(views), game.num_actions)
    assert views.entries.shape == (len(views), game.observation_size)
    for k in range(len(views)):
        rng = np.random.default_rng(k)
        plain, turned = start(game, 20, k), start(game, 20, k)
        while len(plain):
            view = np.full(len(plain), k)
            legal = game.legal(plain)
            np.testing.assert_array_equal(game.legal(turned), views.by_action(legal, view))
            for seat in range(game.num_players):
                seen = views.observations(game.observe(plain, seat), view)
                np.testing.assert_array_equal(game.observe(turned, seat), seen)
            actions = np.argmax(rng.random(legal.shape) * legal, 1)
            game.play(plain, actions)
            game.play(turned, views.actions_shown(actions, view))
            for told in (game.to_move, game.returns, game.terminated, game.truncated):
                np.testing.assert_array_equal(told(turned), told(plain))
            live = ~(game.terminated(plain) | game.truncated(plain))
            plain, turned = plain[live], turned[live]


def test_playing_commutes_with_every_symmetry(variant):
    check_symmetries(variant)


# -- The check finds errors -----------------------------------------------------------------


def mirror(game):
    """Return the tables of the identity and the left-right reflection."""
    actions = np.arange(game.num_actions).reshape(game.board_size, -1)
    entries = np.arange(game.observation_size).reshape(game.observation_shape)
    return (
        np.array([actions.ravel(), actions[:, ::-1].ravel()]),
        np.array([entries.ravel(), entries[..., ::-1].ravel()]),
    )


class Mirrored(Gekitai):
    """A user-defined game with fewer symmetries than its base class."""

    name = "mirrored"

    def symmetries(self):
        return Symmetries(*mirror(self))


class WrongActions(Mirrored):
    def symmetries(self):
        actions, entries = mirror(self)
        return Symmetries(actions[[0, 0]], entries)


class WrongEntries(Mirrored):
    def symmetries(self):
        actions, entries = mirror(self)
        planes = entries[1].reshape(self.observation_shape)
        return Symmetries(actions, [entries[0], planes[[1, 0, 2]].ravel()])


class Gravity(Gekitai):
    """A game with gravity: actions are symmetric, but resting places are not."""

    name = "gravity"

    def play(self, states, actions, **how):
        # Stands for rules: plays the cell below if it is free.
        below = np.minimum(np.asarray(actions) + self.board_size, self.num_actions - 1)
        free = self.legal(states)[np.arange(len(states)), below]
        super().play(states, np.where(free, below, actions), **how)


def test_a_game_can_have_fewer_symmetries_than_its_base():
    assert len(Mirrored().symmetries()) == 2
    check_symmetries(Mirrored())


@pytest.mark.parametrize("wrong", [WrongActions, WrongEntries, Gravity])
def test_a_wrong_symmetry_is_found(wrong):
    with pytest.raises(AssertionError):
        check_symmetries(wrong())
