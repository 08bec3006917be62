"""Hooks and loops over rules: declaration, binding and errors."""

from __future__ import annotations

import importlib
import inspect
import itertools
import sys
import threading
import types
from pathlib import Path

import numpy as np
import pytest
from numba import njit

import agents
import boardenvs
from agents.games.game112 import decisive as part
from agents.search import backup, outputs, rollouts
from agents.search.decisive import decisive_action
from boardenvs.core import hooks, loops
from boardenvs.core.hooks import legal, play
from boardenvs.core.loops import Kernels
from boardenvs.game112 import Game112
from boardenvs.game112 import rules as rules_of_112
from boardenvs.kernels.binding import Hook, Loop, hook, over_rules
from boardenvs.kernels.numba_compat import COMPILES, is_compiled

# -- Declaration ------------------------------------------------------------------------


def legal_and_play(s, p, mask):
    legal(s, p, mask)
    play(s, p, 0)


def test_a_spread_loop_requires_a_range():
    with pytest.raises(ValueError, match=r"low and high.*\(s, p, mask\)"):
        over_rules(spread=True)(legal_and_play)


@pytest.mark.parametrize("one", [legal, loops.restart, loops.step_games])
def test_an_unbound_kernel_cannot_be_called(one):
    with pytest.raises(TypeError, match=r"bound"):
        one(None, None, None)


def test_every_function_of_the_loops_is_a_kernel():
    functions = {n: one for n, one in vars(loops).items() if inspect.isroutine(one)}
    assert all(one.__module__ != loops.__name__ for one in functions.values())  # all are hooks
    marked = {n: one for n, one in vars(loops).items() if isinstance(one, Loop)}
    called = {name for one in marked.values() for name in one.function.__code__.co_names}
    assert {"step_games", "play_out"} <= set(marked) - called
    with pytest.raises(AttributeError, match="no_such_loop'"):
        _ = Kernels(rules_of_112).no_such_loop


def test_every_hook_is_documented():
    known = {name: one for name, one in vars(hooks).items() if isinstance(one, Hook)}
    assert set(hooks.HOOKS) == set(known.values())
    assert [name for name, one in known.items() if one.default is None] == ["legal", "play"]
    assert all(inspect.getdoc(one) for one in known.values())
    assert repr(known["redraw"]) == "redraw(s, p, seat, stream)"


# -- Binding ----------------------------------------------------------------------------


def meaning(kernel, name):
    """Return the value of a global name in a bound function."""
    return getattr(kernel, "py_func", kernel).__globals__[name]


def copies(found, original):
    """Return whether two bound functions have the same bytecode."""
    codes = [getattr(one, "py_func", one).__code__ for one in (found, original)]
    return codes[0].co_code == codes[1].co_code


def test_helpers_of_other_modules_are_bound_and_compiled_once():
    states = rollouts.search_states.bound_to(rules_of_112)
    grow = meaning(states, "grow")
    assert copies(meaning(grow, "redraw"), hooks.redraw.default)
    simulate = meaning(grow, "simulate")
    assert copies(meaning(simulate, "mark_proven"), backup.mark_proven.function)
    told = meaning(outputs.report_root.bound_to(rules_of_112), "write_outputs")
    assert meaning(simulate, "take_proven") is meaning(told, "take_proven")
    assert rollouts.search_states.bound_to("boardenvs.game112.rules") is states


def test_hooks_of_the_more_specific_module_have_precedence():
    plain = rollouts.search_states.bound_to(rules_of_112)
    decisive = rollouts.search_states.bound_to(rules_of_112, part)

    def told(search):
        return meaning(meaning(meaning(search, "grow"), "simulate"), "roll_out")

    assert copies(meaning(told(decisive), "decisive_action"), part.decisive_action)
    assert copies(meaning(told(decisive), "play"), rules_of_112.play)
    assert copies(meaning(told(plain), "decisive_action"), decisive_action.default)
    # Their names differ in files and in linked code.
    assert decisive.__name__ != plain.__name__
    # A module without hooks of a loop leaves the loop's code unchanged.
    assert loops.start_games.bound_to(rules_of_112, part) is loops.start_games.bound_to(
        rules_of_112, None
    )


def test_binding_waits_for_a_module_that_another_thread_imports(tmp_path, monkeypatch):
    # The module exists before its hooks. Binding too early would use the default hooks.
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "slow_part.py").write_text(
        "import time\ntime.sleep(0.3)\nfrom agents.games.game112.decisive import decisive_action\n"
    )
    first = threading.Thread(target=importlib.import_module, args=("slow_part",))
    first.start()
    while "slow_part" not in sys.modules:
        pass
    bound = rollouts.simulate.bound_to(rules_of_112, "slow_part")
    first.join()
    found = meaning(meaning(bound, "roll_out"), "decisive_action")
    assert copies(found, part.decisive_action)


# -- Errors of unsuitable rules -----------------------------------------------------------


_numbers = itertools.count()


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Yield the function that makes a user-defined game with some text of its rules replaced."""
    monkeypatch.syspath_prepend(tmp_path)
    name = f"own_game_{next(_numbers)}"
    package = tmp_path / name
    package.mkdir()
    (package / "__init__.py").write_text(
        "from boardenvs.game112 import Game112\nclass Own(Game112):\n    name = 'own'\n"
    )
    source = Path(rules_of_112.__file__).read_text(encoding="utf-8")

    def made(old, new):
        assert source.count(old) == 1
        (package / "rules.py").write_text(source.replace(old, new), encoding="utf-8")
        return importlib.import_module(name).Own(), package / "rules.py"

    yield made
    for module in (name, f"{name}.rules"):
        sys.modules.pop(module, None)


LEGAL = "def legal(s, p, mask)"
LACKING = [
    (LEGAL, "def lawful(s, p, mask)", "legal(s, p, mask)"),
    (LEGAL, "def legal(s, mask)", "(s, mask)"),
    (f"@njit\n{LEGAL}", "legal = 3\ndef lawful(s, p, mask)", "legal(s, p, mask), got 3"),
]


@pytest.mark.parametrize(("old", "new", "said"), LACKING)
def test_an_invalid_hook_raises_one_line_with_the_game(own, old, new, said):
    game, file = own(old, new)
    package = file.parent.name
    for use in (
        lambda: game.kernels.legal_games,
        lambda: boardenvs.BatchEnv(game, 2, 0),
        lambda: agents.make("greedy", game, 0).act(np.zeros(1, game.state_dtype)),
    ):
        with pytest.raises(ValueError, match=rf"^{package}: ") as caught:
            use()
        (line,) = str(caught.value).splitlines()
        assert str(file) in line
        assert said in line


def test_a_hook_can_have_more_parameters_with_defaults(own):
    game, _ = own(LEGAL, "def legal(s, p, mask, all=True)")
    assert game.kernels.legal_games is not None


def test_imported_hooks_are_not_used():
    rules = types.ModuleType("lacking")
    rules.__file__ = "lacking.py"
    rules.legal = hooks.legal
    with pytest.raises(ValueError, match=r"^lacking: lacking\.py .*legal"):
        loops.legal_games.bound_to(rules)


def test_an_optional_hook_has_a_default(own):
    game, _ = own("def sound(s, p)", "def unsound(s, p)")
    states = game.new(2, 0)
    assert game.kernels.first_fault(states, game.constants, game.num_actions) == (-1, 0)
    states["cells"] = 7  # unreachable position, which only the game's `sound` would detect
    assert game.kernels.first_fault(states, game.constants, game.num_actions) == (-1, 0)
    assert Game112().kernels.first_fault(states, game.constants, game.num_actions)[0] == 0


# -- Hooks of other packages ------------------------------------------------------------


@hook(optional=True)
def taste(s, p, action):
    """Return the value of an action."""
    return -action


@over_rules()
def tasted(s, p, action):
    return 2 * taste(s, p, action)


@over_rules()
def rate_actions(states, params, actions, worths):
    for i in range(len(states)):
        worths[i] = tasted(states[i], params[0], actions[i])


@njit
def sweet(s, p, action):
    return action + s.to_move


def test_users_can_define_hooks():
    game = Game112()
    states = game.new(3, 0)
    actions = np.arange(3)
    worths = np.zeros(3, np.int64)
    rate_actions.bound_to(game.rules)(states, game.constants, actions, worths)
    assert worths.tolist() == [0, -2, -4]
    part = types.ModuleType("sweet_tooth")
    part.taste = sweet
    rate_actions.bound_to(game.rules, part)(states, game.constants, actions, worths)
    assert worths.tolist() == [0, 2, 4]
    assert is_compiled(rate_actions.bound_to(game.rules)) == COMPILES
