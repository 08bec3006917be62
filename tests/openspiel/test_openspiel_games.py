"""The games in OpenSpiel: names, arguments, positions, observations and errors."""

from __future__ import annotations

import copy
import importlib
import multiprocessing
import pickle
import subprocess
import sys

import numpy as np
import pytest
from variants import VARIANTS

import boardenvs
from boardenvs.dominoes175 import Dominoes175
from boardenvs.game112 import Game112
from boardenvs.goat_race import GoatRace

pyspiel = pytest.importorskip("pyspiel")
from open_spiel.python.observation import make_observation  # noqa: E402

import boardenvs.openspiel  # noqa: E402

TILES = [[low, high] for low in range(7) for high in range(low, 7)]


def load(name, arguments=""):
    return pyspiel.load_game(f"python_boardenvs_{name}({arguments})")


def decided(state, rng):
    """Resolve all chance nodes and return the state."""
    while state.is_chance_node():
        state.apply_action(int(rng.choice(state.legal_actions())))
    return state


def test_facts_agree_with_the_game(game):
    spiel = load(game.name)
    assert spiel.game == game
    assert spiel.num_players() == game.num_players
    assert spiel.num_distinct_actions() == game.num_actions
    assert spiel.max_game_length() == game.max_plies
    assert spiel.observation_tensor_shape() == list(game.observation_shape)
    kind = spiel.get_type()
    explicit = kind.chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    assert explicit == game.has_chance == (spiel.max_chance_outcomes() > 0)
    assert kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION


PLAIN = [
    (name, ",".join(f"{key}={value}" for key, value in params.items()), params)
    for name, params in VARIANTS.values()
    if not any(isinstance(value, list) for value in params.values())
]


@pytest.mark.parametrize(
    ("name", "arguments", "params"),
    [
        *PLAIN,
        ("goat_race", "obstacles=BCDEFG", {"obstacles": list(enumerate("BCDEFG", 1))}),
        (
            "dominoes175",
            f"deck={' '.join(f'{low}/{high}' for low, high in TILES)}",
            {"deck": TILES},
        ),
    ],
)
def test_arguments_agree_with_the_game(name, arguments, params):
    spiel = load(name, arguments)
    assert spiel.game == boardenvs.make(name, **params)
    assert pyspiel.load_game(str(spiel)).game == spiel.game


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("gekitai", "board_size=3", "^board_size .* 3$"),
        ("goat_race", "obstacles=BCA", "^obstacles "),
        ("dominoes175", "deck=0/0 0/x", "^deck .*'0/0 0/x'"),
        ("dominoes175", "deck=0/0", "^deck .*28"),
    ],
)
def test_bad_arguments_are_refused(name, arguments, message):
    with pytest.raises(ValueError, match=message):
        load(name, arguments)


def test_positions_set_up_manually_can_be_played(game, random_positions):
    spiel = load(game.name)
    for record in random_positions(game, 2, 0)[::5]:
        state = spiel.new_initial_state(game.to_dict(record))
        expected = record.copy()
        expected["rng"] = 0
        assert state.states[0] == expected
        assert state.to_dict() == {**game.to_dict(record), "rng": 0}
        over = bool(record["terminated"] or record["truncated"])
        assert state.is_terminal() == over
        assert state.legal_actions() == np.flatnonzero(game.legal(record)[0]).tolist()
        if not over:
            assert state.current_player() == record["to_move"]
    with pytest.raises(ValueError, match="position"):
        spiel.new_initial_state({"nonsense": 1})


def test_observations_agree_with_the_game(game):
    rng = np.random.default_rng(0)
    state = decided(load(game.name).new_initial_state(), rng)
    for _ in range(5):
        for player in range(game.num_players):
            seen = game.observe(state.states[0], player).ravel().tolist()
            assert state.observation_tensor(player) == seen
        text = state.observation_string(0)
        assert text == game.to_text(state.states[0]) + game.presentation.turn_line(state.states[0])
        assert state.information_state_string(0) == state.history_str()
        action = int(rng.choice(state.legal_actions()))
        assert state.action_to_string(action) == game.action_to_text(action, state.states[0])
        state.apply_action(action)
        if state.is_chance_node():  # the board before the action
            assert state.observation_string(0) == text
            outcome = state.legal_actions()[0]
            assert state.action_to_string(outcome).startswith("chance: ")
        if decided(state, rng).is_terminal():
            break


def test_observations_before_the_deal_are_empty():
    state = load("goat_race").new_initial_state()
    assert state.is_chance_node()
    assert state.observation_string(0) == ""
    assert not any(state.observation_tensor(1))


def test_illegal_actions_are_refused():
    state = load("dominoes175").new_initial_state()
    for action in (28, 99):
        with pytest.raises(ValueError, match=f"^action .* {action}$"):
            state.apply_action(action)
    state.apply_action(3)
    with pytest.raises(ValueError, match=r"^outcome .* 28$"):
        state.apply_action(28)
    state.apply_action(27)
    assert state.states[0]["hand"] == 27
    state = load("gekitai").new_initial_state()
    state.apply_action(0)
    with pytest.raises(ValueError, match=r"^action .* 0$"):
        state.apply_action(0)


def test_a_users_game_can_be_registered():
    class Own(Game112):
        name = "own_of_the_tests"

    Own.__module__ = Game112.__module__  # module of its rules
    for _ in range(2):  # registering twice changes nothing
        boardenvs.openspiel.register(Own)
    assert type(load("own_of_the_tests").game) is Own


def test_a_derived_game_inherits_its_chance():
    class Tiles(Dominoes175):
        name = "tiles_of_the_tests"

    class Race(GoatRace):
        name = "race_of_the_tests"

    for cls in (Tiles, Race):
        boardenvs.openspiel.register(cls)
    tiles = load("tiles_of_the_tests")
    assert type(tiles.chance) is type(load("dominoes175").chance)
    assert tiles.max_chance_outcomes() == 28
    deck = " ".join(f"{low}/{high}" for low in range(7) for high in range(low, 7))
    assert load("tiles_of_the_tests", f"deck={deck}").max_chance_outcomes() == 0
    race = load("race_of_the_tests", "num_players=5,obstacles=BCDEFG")
    assert race.num_players() == 5
    assert race.game.params["obstacles"] == [list(pair) for pair in enumerate("BCDEFG", 1)]


OWN_MODULE = """
import numpy as np

import boardenvs
from boardenvs.core.chance import draw
from boardenvs.core.outcome import end_ply


def legal(s, p, mask):
    mask[:] = True


def play(s, p, action):
    if action == 0:
        s.zeros += 1
    # Rare in random games.
    s.die = draw(s, 20 if s.zeros == 10 else 6)
    end_ply(s, p, action)


class Thrown(boardenvs.Game):
    name = "thrown_of_the_tests"
    has_chance = True

    def __init__(self, max_plies=10):
        super().__init__(
            params={"max_plies": max_plies},
            num_players=1,
            num_actions=100,
            fields=[("die", np.int8), ("zeros", np.int8)],
        )
"""


@pytest.fixture(scope="module")
def own_name(tmp_path_factory):
    """Register a game of one's own with OpenSpiel, and yield its name."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "thrown_of_the_tests.py").write_text(OWN_MODULE)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        boardenvs.openspiel.register(importlib.import_module("thrown_of_the_tests").Thrown)
        yield "thrown_of_the_tests"


def some_states(spiel):
    """Return states of a random game from the start, including chance nodes."""
    rng = np.random.default_rng(0)
    state = spiel.new_initial_state()
    states = [state.clone()]
    while len(states) < 20 and not state.is_terminal():
        state.apply_action(int(rng.choice(state.legal_actions())))
        states.append(state.clone())
    return states


def check_copies(copied, own_name):
    """Check copies of games of all kinds and of their states."""
    sent = []
    for name, params in (
        (own_name, {"max_plies": 7}),
        *[(name, {}) for name in boardenvs.GAMES],
        ("goat_race", {"num_players": 2, "obstacles": "DCBEFG", "memory": True}),
        ("dominoes175", {"deck": " ".join(f"{low}/{high}" for low, high in TILES)}),
    ):
        spiel = pyspiel.load_game(f"python_boardenvs_{name}", params)
        given = spiel.new_initial_state(spiel.game.to_dict(spiel.game.new(1, 0)[0]))
        sent.append([spiel, given, *some_states(spiel)])
    for (spiel, *states), (copy_of_game, *copies) in zip(sent, copied(sent), strict=True):
        assert type(copy_of_game) is type(spiel)
        assert (copy_of_game.game, str(copy_of_game)) == (spiel.game, str(spiel))
        for state, twin in zip(states, copies, strict=True):
            assert twin is not state
            assert twin.get_game().game == spiel.game
            assert (str(twin), twin.history()) == (str(state), state.history())
            assert twin.legal_actions() == state.legal_actions()


def each_copied(sent):
    return [[copy.copy(one) for one in row] for row in sent]


def through_pickle(one):
    return pickle.loads(pickle.dumps(one))


@pytest.mark.parametrize("copied", [each_copied, copy.deepcopy, through_pickle])
def test_games_and_states_can_be_copied(copied, own_name):
    check_copies(copied, own_name)


def test_games_and_states_can_be_sent_to_a_new_process(own_name):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        # A function of the standard library imports nothing of this package.
        check_copies(lambda sent: pool.apply(copy.copy, [sent]), own_name)


@pytest.mark.parametrize("copied", [copy.deepcopy, through_pickle])
def test_a_copied_observer_works(copied):
    spiel = load("gekitai")
    state = spiel.new_initial_state()
    state.apply_action(7)
    observer = copied(make_observation(spiel))
    observer.set_from(state, 0)
    assert observer.tensor.tolist() == state.observation_tensor(0)
    assert np.array_equal(observer.dict["observation"].ravel(), observer.tensor)


def test_hidden_information_without_explicit_chance_is_refused():
    own = type("Refused", (Game112,), {"name": "refused_of_the_tests", "has_hidden": True})
    with pytest.raises(ValueError, match=r"^refused_of_the_tests .*explicit_chance"):
        boardenvs.openspiel.register(own)


def test_a_draw_with_more_outcomes_than_declared_is_refused(own_name):
    spiel = load(own_name)
    assert spiel.max_chance_outcomes() == 6
    assert spiel.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    state = spiel.new_initial_state()
    for _ in range(9):
        state.apply_action(0)
        assert state.chance_outcomes() == [(k, 1 / 6) for k in range(6)]
        state.apply_action(5)
    with pytest.raises(ValueError, match=r"^thrown_of_the_tests\.most_chance_outcomes .* 20.* 6$"):
        state.apply_action(0)


def test_the_module_can_be_imported_again():
    code = """
import importlib
import boardenvs.openspiel
importlib.reload(boardenvs.openspiel)
import pyspiel
print(pyspiel.load_game("python_boardenvs_game112"))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "python_boardenvs_game112()\n"


def test_the_error_of_a_missing_extra_names_it():
    code = """
import sys
sys.modules["pyspiel"] = None
try:
    import boardenvs.openspiel
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "the extra [openspiel]: pip install" in done.stdout
