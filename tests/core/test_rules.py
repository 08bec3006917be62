"""Rules of user-defined games: location, checks and reports of errors."""

import importlib
import itertools
import re
import subprocess
import sys

import gymnasium
import pytest

import agents
import boardenvs
from boardenvs.kernels import COMPILES

GAME = """
import numpy as np

import boardenvs
from boardenvs.core.chance import draw
from boardenvs.core.outcome import end_ply, end_with_winner


def legal(s, p, mask):
    for cell in range(len(mask)):
        mask[cell] = is_free(s, cell)


def is_free(s, cell):
    return s.cells[cell // 3, cell % 3] == 0


def play(s, p, action):
    s.cells[action // 3, action % 3] = 1 + s.to_move
    if action == p.best:
        end_with_winner(s, s.to_move)
    s.to_move = 1 - s.to_move
    end_ply(s, p, action)


def observe(s, p, seat, out):
    for row in range(2):
        for column in range(3):
            out[0, row, column] = s.cells[row, column] == 1 + seat
            out[1, row, column] = s.cells[row, column] == 2 - seat


@boardenvs.register
class Best(boardenvs.Game):
    name = "best"

    def __init__(self, max_plies=6):
        super().__init__(
            params={"max_plies": max_plies},
            num_players=2,
            num_actions=6,
            observation_shape=(2, 2, 3),
            fields=[("cells", np.int8, (2, 3))],
            constants={"best": (np.int64, 4)},
        )
"""
ROWS = """
def observe_row(s, p, seat, row):
    for cell in range(6):
        row[cell] = s.cells[cell // 3, cell % 3] == 1 + seat
        row[6 + cell] = s.cells[cell // 3, cell % 3] == 2 - seat
"""
OBSERVE = GAME[GAME.index("def observe") : GAME.index("@boardenvs")]
_numbers = itertools.count()
pytestmark = pytest.mark.usefixtures("temporary_games")


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return the function that writes, imports and returns a module with this text."""
    monkeypatch.syspath_prepend(tmp_path)
    made = []

    def make(text):
        name = f"own_rules_{next(_numbers)}"
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        made.append(name)
        return importlib.import_module(name)

    yield make
    for name in made:
        sys.modules.pop(name, None)


def changed(old, new):
    assert GAME.count(old) == 1
    return GAME.replace(old, new)


def line_of(text, part):
    return text[: text.index(part)].count("\n") + 1


# -- Location of rules and defaults ----------------------------------------------------------


def test_observe_writes_the_declared_shape_or_one_row(module):
    shaped, row = (module(text).Best() for text in (GAME, GAME.replace(OBSERVE, ROWS)))
    states = shaped.new(3, 0)
    for action in (0, 5, 2):
        shaped.play(states, [action] * 3)
    seen = shaped.observe(states, [0, 1, 0])
    assert seen.shape == (3, 2, 2, 3)
    assert seen.tolist() == row.observe(states, [0, 1, 0]).tolist()
    assert seen[0].tolist() == [[[1, 0, 1], [0, 0, 0]], [[0, 0, 0], [0, 0, 1]]]
    assert seen[1].tolist() == seen[0, ::-1].tolist()


def test_the_default_observation_is_the_fields_in_order(module):
    text = GAME.replace(OBSERVE, "").replace("            observation_shape=(2, 2, 3),\n", "")
    text = text.replace("(2, 3))]", '(2, 3)), ("mark", np.bool_)]')
    game = module(text).Best()
    states = game.new(1, 0)
    game.play(states, [5])
    assert game.observe(states, 0).tolist() == [[0, 0, 0, 0, 0, 1, 0]]
    env = gymnasium.make("boardenvs/Best-v0", seat=0)
    observation, info = env.reset(seed=0)
    assert observation in env.observation_space
    assert env.step(int(info["action_mask"].argmax()))[0] in env.observation_space


def test_the_default_text_and_dictionary_contain_the_fields(module):
    game = module(GAME).Best()
    states = game.new(1, 7)
    for action in (0, 4):
        game.play(states, [action])
    text = game.to_text(states[0])
    rows = [line for line in text.splitlines() if "|" in line]
    assert rows == ["1 | 1 |   |   |", "2 |   | 2 |   |"]
    assert text.endswith("+\nto_move: 0\nply: 2\nterminated: True\nreturns: -1.0 1.0\n")
    again = game.from_text(text)
    assert game.returns(again).tolist() == [[-1.0, 1.0]]
    data = game.to_dict(states[0])
    assert data["cells"] == [[1, 0, 0], [0, 2, 0]]
    assert game.from_dict(data) == states[0]
    for value, said in (
        ([[1, 0, 0]], "^cells .*list of 2"),
        ([[1, 0, 0], [0, 300, 0]], "^cells .*-128 to 127"),
    ):
        with pytest.raises(ValueError, match=said):
            game.from_dict({"cells": value})
    with pytest.raises(ValueError, match=r"^returns "):
        game.from_dict({"cells": data["cells"], "returns": [1, -1]})
    with pytest.raises(ValueError, match=r"^terminated "):
        game.from_dict({"cells": [[1, 2, 1], [2, 1, 2]]})
    assert game.action_to_text(3) == "3"
    assert game.action_from_text(" 3\n") == 3
    assert game.seat_names == ("Player 1", "Player 2")


NOTEBOOK = """
import boardenvs
GAME = {game!r}
for best in (4, 2):  # a cell that is changed and run again
    exec(GAME.replace("np.int64, 4", f"np.int64, {{best}}"), globals())
    exec("def is_free(s, cell): return True" if best == 2 else "", globals())
    game = boardenvs.make("best")
    states = game.new(1, 0)
    game.play(states, [best])
    print(game.returns(states).tolist(), game.legal(game.new(1, 0)).sum())
env = boardenvs.best_v0.env()
"""


@pytest.mark.slow
def test_rules_can_be_defined_without_a_file_and_changed(tmp_path):
    done = subprocess.run(
        [sys.executable, "-"],
        input=NOTEBOOK.format(game=GAME),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "[[1.0, -1.0]] 6\n" * 2


# -- Checks at registration -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "error", "said"),
    [
        ("s.cells[cell //", "s.cell[cell //", AttributeError, "cell"),
        ("p.best", "p.worst", AttributeError, "worst"),
        ("is_free(s, cell)\n\n", "is_free(s, cel)\n\n", NameError, "cel"),
        ("out[0, row, column]", "out[0, row, 3]", IndexError, "out of bounds"),
    ],
)
def test_a_mistake_in_rules_raises_a_python_error_with_its_line(module, old, new, error, said):
    text = changed(old, new)
    with pytest.raises(error, match=said) as caught:
        module(text)
    assert "boardenvs.register was running" in caught.value.__notes__[0]
    (*_, last) = (one for one in caught.traceback if "own_rules_" in str(one.path))
    assert last.lineno + 1 == line_of(text, new)
    assert "best" not in boardenvs.registration._own


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("def legal(s, p, mask)", "def legal(s, mask)", r"^best: legal .*\(s, mask\)"),
        (
            "def observe(s, p, seat, out)",
            "def observe(s, p, out)",
            r"^best: observe .*\(s, p, out\)",
        ),
        ("def play(s, p, action)", "def plays(s, p, action)", "^Best has no rules"),
        ("range(len(mask))", "range(5)", "^best: legal .*entry 5 of 6"),
        (
            "return s.cells[cell // 3, cell % 3] == 0",
            "return False",
            "^best: legal .*first position",
        ),
        ("out[1, row, column] =", "s.cells[0, 0] =", "^best: observe .*entry 6 of 12"),
        ("column] == 2 - seat", "column] - 2", "^best: observe .*0 to 1.* -2$"),
        ("    end_ply(s, p, action)\n", "", "^best: play .*boardenvs.core.outcome.end_ply"),
        ("def observe(", "def shown(", "^best .*observe.* 6 entries"),
        ('name = "best"', 'name = "best"\n    has_hidden = True', "^best .*observe and redraw"),
        ("(2, 3))]", '(2, 3)), ("item", np.int8)]', "'item'"),
        ("(2, 3))]", '(2, 3)), ("known", np.bool_, (2,))]', "^field known .*int8, got bool"),
        (
            "1 + s.to_move\n",
            "1 + s.to_move\n    draw(s, 6)\n",
            "^best: has_chance .*since play draws",
        ),
        (
            "def is_free",
            "def deal(s, p):\n    draw(s, 6)\n\n\ndef is_free",
            "^best: has_chance .*deal draws",
        ),
    ],
)
def test_invalid_rules_are_refused_in_one_line(module, old, new, said):
    with pytest.raises(ValueError, match=said) as caught:
        module(changed(old, new))
    assert "\n" not in str(caught.value)
    assert "best" not in boardenvs.registration._own


def test_expressions_that_only_numba_supports_are_accepted(module):
    text = changed("== 0\n\n", "== 0 and np.uint64(6) << s.ply != 1 << 62\n\n")
    assert module(text).Best().legal(boardenvs.make("best").new(1)).all()


# -- Code that Numba cannot compile -----------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(not COMPILES, reason="needs compiled code")
def test_rules_that_cannot_be_compiled_raise_one_line_with_their_place(module):
    text = changed("out[0, row, column] =", "out[0, row, column] = seat.bit_length() * 0 +")
    game = module(text).Best()
    line = line_of(text, "out[0, row, column] =")
    place = re.escape(f"{type(game).__module__}.py:{line} in observe: ")
    for use in (
        lambda: game.observe(game.new(1), 0),
        lambda: boardenvs.BatchEnv(game, 2, 0),
        lambda: gymnasium.make("boardenvs/Best-v0").reset(),
    ):
        with pytest.raises(ValueError, match=rf"^[\w-]+/{place}") as caught:
            use()
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 500
    text = changed(
        "s.cells[action // 3, action % 3] = 1", "s.cells[action // 3, action % 3] = '1' and 1"
    )
    text = text.replace("if action == p.best:", "if action in {p.best: 2, 1: 'a'}:")
    game = module(text).Best()
    with pytest.raises(ValueError, match=r"in play: ") as caught:
        agents.play_match(game, ["mcts:10", "greedy"], 2, 0)
    assert "mcts" not in str(caught.value)
