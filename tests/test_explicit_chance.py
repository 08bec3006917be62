"""Sources of explicit chance: the class's own, that of its rules, or the general one."""

from __future__ import annotations

import numpy as np
import pytest

import boardenvs
from boardenvs import dominoes175, explicit_chance
from boardenvs.dominoes175 import Dominoes175
from boardenvs.explicit_chance import chance_class

OTHER_RULES = '''
from boardenvs.dominoes175 import Dominoes175


class Other(Dominoes175):
    """Dominoes by rules of its own."""

    name = "other175"
'''


def test_each_game_has_its_explicit_chance_or_the_default(game):
    own = chance_class(game)
    assert issubclass(own, explicit_chance.Chance)
    assert (own is not explicit_chance.Chance) == (game.name == "dominoes175")


def test_a_derived_class_inherits_explicit_chance():
    class Own(Dominoes175):
        name = "own175"

    assert chance_class(Own()) is chance_class(Dominoes175())
    assert chance_class(Own()).__module__ == f"{dominoes175.__name__}.explicit_chance"


@pytest.mark.parametrize("own", [False, True])
def test_a_module_beside_changed_rules_has_precedence(tmp_path, monkeypatch, own):
    package = tmp_path / f"other175_{own}"
    package.mkdir()
    (package / "__init__.py").write_text(OTHER_RULES)
    (package / "rules.py").write_text("from boardenvs.dominoes175.rules import *\n")
    if own:
        text = (
            "from boardenvs import explicit_chance\n\nclass Chance(explicit_chance.Chance): ...\n"
        )
        (package / "explicit_chance.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    game = __import__(package.name).Other()
    found = chance_class(game)
    home = package.name if own else "boardenvs"
    assert found.__module__ == f"{home}.explicit_chance"


def test_the_outcomes_of_a_draw_are_counted(game):
    class Counted(type(game)):
        name = "counted"
        most_chance_outcomes = boardenvs.Game.most_chance_outcomes

    counted, given = (chance_class(one)(one).most_outcomes for one in (Counted(), game))
    assert counted == given
    assert (counted > 0) == game.has_chance


def test_a_tile_is_drawn_when_it_is_turned_over():
    game = boardenvs.make("dominoes175")
    drawn = chance_class(game)(game)
    states, ways = drawn.deal(())
    assert ways == ()
    same, ways = drawn.play(states, 5, ())
    assert same[0] == states[0]
    assert ways == list(range(28))
    after, ways = drawn.play(states, 5, (17,))
    assert (after["hand"][0], ways) == (17, ())
    assert sorted(np.delete(after["grid"][0], 5)) == [tile for tile in range(28) if tile != 17]
    with pytest.raises(ValueError, match=r"^action .*dominoes175"):
        drawn.play(after, 5, ())
