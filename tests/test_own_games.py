"""User-defined games: registration and use everywhere."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest

import agents
import boardenvs
from agents.naming.user_code import register_game
from boardenvs.game112 import Game112
from boardenvs.gekitai import Gekitai
from boardenvs.registration import env_id

MODULE = '''
import boardenvs
from boardenvs.game112 import Game112


class Short112(Game112):
    """The 112 game on five positions; the first player to make 1, 1, 2 wins.

    - Rules: as in the 112 game.
    """

    name = "short112"

    def __init__(self, board_size: int = 5, max_plies: int = 9) -> None:
        super().__init__(board_size, max_plies)

no_game = 3
'''

pytestmark = pytest.mark.usefixtures("temporary_games")


class Own(Game112):
    name = "own112"


def test_a_registered_game_is_found():
    with pytest.raises(ValueError, match=r"^game .*gekitai, .*'own112'"):
        boardenvs.make("own112")
    assert boardenvs.register(Own) is Own
    game = boardenvs.make("own112", board_size=7)
    assert type(game) is Own
    assert game.board_size == 7
    with pytest.raises(ValueError, match="own112 has no parameter 'size'"):
        boardenvs.make("own112", size=7)
    assert env_id("own112") == "boardenvs/Own-v0"
    env = gymnasium.make("boardenvs/Own-v0", board_size=5, seat=0)
    observation, _ = env.reset(seed=0)
    assert observation.shape == (3, 5)
    envs = gymnasium.make_vec(
        "boardenvs/Own-v0", 3, vectorization_mode="vector_entry_point", board_size=5
    )
    assert envs.reset(seed=0)[0].shape == (3, 3, 5)


@pytest.mark.slow
def test_a_derived_class_inherits_rules():
    game, original = Own(), Game112()
    assert game.rules is original.rules is sys.modules["boardenvs.game112.rules"]
    for name in ("greedy", "exact", "mcts:20"):
        scores = agents.play_match(game, [agents.make(name, game, 0), "random"], 20, 0)
        there = agents.play_match(original, [agents.make(name, original, 0), "random"], 20, 0)
        assert scores == there


def test_the_games_info_is_in_the_info_of_every_environment():
    class Telling(Own):
        def info(self, state):
            ply = np.int64(state["ply"])
            return {
                "ply": ply,
                "share": ply / 9,
                "first": ply == 0,
                "digits": state["cells"].copy(),
            }

    boardenvs.register(Telling)
    name = "boardenvs/Telling-v0"
    envs = gymnasium.make_vec(name, 3, vectorization_mode="vector_entry_point", seat=0)
    _, infos = envs.reset(seed=0)
    # Put one game a round ahead of the others.
    other = gymnasium.make(name, seat=0)
    other.reset(seed=0)
    action = int(infos["action_mask"][0].argmax())
    *_, told = other.step(action)
    positions = envs.unwrapped.positions
    positions[1] = other.unwrapped.position
    _, infos = envs.reset(options={"state": positions})
    found = {key: (infos[key].tolist(), infos[key].dtype) for key in ("ply", "share", "first")}
    assert found == {
        "ply": ([0, told["ply"], 0], np.dtype(int)),
        "share": ([0, told["ply"] / 9, 0], np.dtype(float)),
        "first": ([True, False, True], np.dtype(bool)),
    }
    assert told["ply"] == 2
    assert infos["digits"].tolist() == [[0] * 9, told["digits"].tolist(), [0] * 9]


def test_a_game_without_rules_is_refused():
    class Homeless(boardenvs.Game):
        name = "homeless"

        def __init__(self):
            self.params = {}

    with pytest.raises(ValueError, match=r"^Homeless "):
        boardenvs.register(Homeless)


def test_a_registered_game_has_a_pettingzoo_module_and_episodes(tmp_path):
    boardenvs.register(Own)
    from boardenvs import own112_v0

    env = own112_v0.env(board_size=5)
    assert own112_v0.raw_env is own112_v0.env is boardenvs.own112_v0.env
    env.reset(seed=0)
    assert env.metadata["name"] == "own112_v0"
    assert env.unwrapped.game == Own(board_size=5)
    with pytest.raises(ValueError, match="own112 has no parameter 'size'"):
        own112_v0.env(size=5)
    episode = boardenvs.Episode.play(Own(), ["random", "random"], seed=0)
    episode.save(tmp_path / "game.json")
    assert boardenvs.Episode.load(tmp_path / "game.json") == episode
    boardenvs.registration._own.clear()
    with pytest.raises(ValueError, match="'own112'"):
        boardenvs.Episode.load(tmp_path / "game.json")


def test_registering_a_name_again_replaces_the_game():
    class Own(Game112):
        name = "own112"

    boardenvs.register(globals()["Own"])
    boardenvs.register(Own)
    assert type(boardenvs.make("own112")) is Own
    assert type(gymnasium.make("boardenvs/Own-v0").unwrapped.game) is Own


@pytest.mark.parametrize(
    ("cls", "said"),
    [
        (3, "^cls .* 3$"),
        (int, "^cls .* <class 'int'>$"),
        (Game112, "^Game112.name .*gekitai, .* 'game112'$"),
        (boardenvs.Game, "^Game.name .* None$"),
        (type("Own", (Game112,), {"name": "a:b"}), "^Own.name .* 'a:b'$"),
        (type("Gekitai", (Gekitai,), {"name": "push"}), "class name of push .* Gekitai$"),
    ],
)
def test_invalid_games_are_refused(cls, said):
    with pytest.raises(ValueError, match=said):
        boardenvs.register(cls)
    assert boardenvs.registration._own == {}


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    (tmp_path / "own_game.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("own_game", None)


def test_make_accepts_module_and_class(own_module):
    assert register_game("own_game:Short112") == "short112"
    game = boardenvs.make("short112")
    assert game.num_actions == 10
    assert np.array_equal(game.legal(game.new(1, 0))[0], np.ones(10, bool))
    for spec, said in (
        ("own_game:Nothing", "game 'own_game:Nothing' cannot be imported: .*Nothing"),
        ("no_such_module:X", "game 'no_such_module:X' cannot be imported: .*no_such_module"),
        ("own_game:no_game", "boardenvs.Game, got 3"),
    ):
        with pytest.raises(ValueError, match=said):
            register_game(spec)


def test_the_command_accepts_a_users_game(own_module):
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "agents.command",
            "watch",
            "own_game:Short112",
            "greedy",
            "random",
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=own_module,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("Short112(board_size=5, max_plies=9): greedy, random\n")


def test_a_file_cannot_cause_an_import(own_module, tmp_path):
    """Files can name only registered games, so that a file cannot cause an import."""
    with pytest.raises(ValueError, match="'own_game:Short112'"):
        boardenvs.make("own_game:Short112")
    assert "own_game" not in sys.modules
