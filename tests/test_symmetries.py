"""Symmetries: to play in a view comes to the same as to see in that view what was played."""

import re

import numpy as np
import pytest

import boardenvs
from boardenvs.gekitai import Gekitai
from boardenvs.symmetries import Symmetries

NUM = 20

SQUARE = [("gekitai", {}), ("gekitai", {"board_size": 7}), ("gomoku", {"board_size": 9})]


def check_symmetries(game):
    """Raise `AssertionError` unless playing random games commutes with every view."""
    views = game.symmetries()
    assert views.actions.shape == (len(views), game.num_actions)
    assert views.entries.shape == (len(views), game.observation_size)
    for k in range(len(views)):
        rng = np.random.default_rng(k)
        plain, turned = game.new(NUM, k), game.new(NUM, k)
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
            live = ~game.over(plain)
            plain, turned = plain[live], turned[live]


def mirror(game):
    """Left and right of the board swapped, besides the board as it is."""
    actions = np.arange(game.num_actions).reshape(game.board_size, -1)
    entries = np.arange(game.observation_size).reshape(game.observation_shape)
    return (
        np.array([actions.ravel(), actions[:, ::-1].ravel()]),
        np.array([entries.ravel(), entries[..., ::-1].ravel()]),
    )


class Mirrored(Gekitai):
    """A game of the user's own that says less than the one it derives from."""

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
    """Its rules know what falls down: actions are turned, but not where pieces come to lie."""

    name = "gravity"

    def play(self, states, actions, **how):
        # In place of rules of its own: the cell below is taken if it is free.
        below = np.minimum(np.asarray(actions) + self.board_size, self.num_actions - 1)
        free = self.legal(states)[np.arange(len(states)), below]
        super().play(states, np.where(free, below, actions), **how)


def test_every_game(game):
    check_symmetries(game)


@pytest.mark.parametrize(("name", "params"), SQUARE)
def test_square_boards_have_eight(name, params):
    game = boardenvs.make(name, **params)
    views = game.symmetries()
    assert len(views) == len(np.unique(views.actions, axis=0)) == 8
    check_symmetries(game)


@pytest.mark.parametrize("name", sorted(set(boardenvs.GAMES) - {"gekitai", "gomoku"}))
def test_the_others_have_none(name):
    views = boardenvs.make(name).symmetries()
    assert len(views) == 1


def test_a_game_of_ones_own():
    assert len(Mirrored().symmetries()) == 2
    check_symmetries(Mirrored())


@pytest.mark.parametrize("wrong", [WrongActions, WrongEntries, Gravity])
def test_a_wrong_one_is_found(wrong):
    with pytest.raises(AssertionError):
        check_symmetries(wrong())


@pytest.mark.parametrize("base", ["gekitai", "gomoku"])
def test_who_has_rules_of_its_own_has_not_those_of_its_base(base):
    original = boardenvs.make(base)
    variant = type("Variant", (type(original),), {"name": "variant"})()
    assert len(variant.symmetries()) == 8  # with unchanged rules
    variant.rules_name = "elsewhere.rules"
    assert len(variant.symmetries()) == 1


def test_actions_there_and_back():
    views = Symmetries.of_square(6, 3)
    rng = np.random.default_rng(0)
    actions, which = rng.integers(36, size=100), rng.integers(8, size=100)
    shown = views.actions_shown(actions, which)
    np.testing.assert_array_equal(views.actions_meant(shown, which), actions)
    values = rng.random((100, 36))
    turned = views.by_action(values, which)
    np.testing.assert_array_equal(turned[np.arange(100), shown], values[np.arange(100), actions])


@pytest.mark.parametrize(
    ("actions", "entries", "said"),
    [
        ([[0, 1], [1, 1]], [[0], [0]], "each row of actions must have every number from 0 to 1"),
        ([[1, 0]], [[0]], "each row of actions must have .*, and the first have them in order"),
        ([[0, 1]], [[0, 2]], "each row of entries must have every number from 0 to 1"),
        ([0, 1], [[0]], "actions must be rows of whole numbers, a row for each view"),
        ([[0.0]], [[0]], "actions must be rows of whole numbers"),
        (np.zeros((0, 2), int), [[0]], "actions must be rows of whole numbers"),
        ([[0, 1], [1, 0]], [[0]], "there are 2 views of the actions and 1 of the observation"),
    ],
)
def test_tables_that_are_none(actions, entries, said):
    with pytest.raises(ValueError, match=said) as error:
        Symmetries(actions, entries)
    assert not re.search("\n", str(error.value))
