"""Tables of symmetries and which games have them; the contract tests them too."""

import types

import numpy as np
import pytest

import boardenvs
from boardenvs.core.symmetries import Symmetries

SQUARE = [("gekitai", {}), ("gekitai", {"board_size": 7}), ("gomoku", {"board_size": 9})]


@pytest.mark.parametrize(("name", "params"), SQUARE)
def test_square_boards_have_eight_symmetries(name, params):
    game = boardenvs.make(name, **params)
    views = game.symmetries()
    assert len(views) == len(np.unique(views.actions, axis=0)) == 8
    assert views.entries.shape == (8, 3 * game.num_actions)


@pytest.mark.parametrize("base", ["gekitai", "gomoku"])
def test_a_game_with_its_own_rules_does_not_inherit_symmetries(base):
    original = boardenvs.make(base)
    variant = type("Variant", (type(original),), {"name": "variant"})
    assert len(variant().symmetries()) == 8  # with the same rules
    variant.rules = types.ModuleType("elsewhere.rules")
    assert len(variant().symmetries()) == 1


def test_actions_and_values_are_mapped_back():
    views = Symmetries.of_square(6, 3)
    rng = np.random.default_rng(0)
    actions, which = rng.integers(36, size=100), rng.integers(8, size=100)
    shown = views.actions_shown(actions, which)
    np.testing.assert_array_equal(views.actions_meant(shown, which), actions)
    values = rng.random((100, 36))
    turned = views.by_action(values, which)
    np.testing.assert_array_equal(turned[np.arange(100), shown], values[np.arange(100), actions])


def test_the_identity_copies_nothing():
    views = Symmetries.none(4, 12)
    values, which = np.arange(8.0).reshape(2, 4), np.zeros(2, np.intp)
    assert views.by_action(values, which) is values
    seen = np.arange(24).reshape(2, 3, 4)
    assert views.observations(seen, which) is seen
    for meant in (views.actions_meant([1, 2], which), views.actions_shown([1, 2], which)):
        assert meant.dtype == np.int64
        assert meant.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("actions", "entries", "said"),
    [
        ([[0, 1], [1, 1]], [[0], [0]], "^actions .*0 to 1"),
        ([[1, 0]], [[0]], "^actions .*first row"),
        ([[0, 1]], [[0, 2]], "^entries .*0 to 1"),
        ([0, 1], [[0]], "^actions "),
        ([[0.0]], [[0]], "^actions .*float64"),
        (np.zeros((0, 2), int), [[0]], "^actions "),
        ([[0, 1], [1, 0]], [[0]], "^actions and entries .*2 and 1$"),
    ],
)
def test_invalid_tables_are_refused(actions, entries, said):
    with pytest.raises(ValueError, match=said) as error:
        Symmetries(actions, entries)
    assert "\n" not in str(error.value)
