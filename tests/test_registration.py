"""The registered games by name, Gymnasium id and PettingZoo module."""

import copy
import importlib
import os
import pickle
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_match import check_environments_match
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import FlattenObservation
from players import other_seats
from two_games import TWO
from variants import first_variant

import boardenvs
from boardenvs.envs.single import SeatEnv
from boardenvs.envs.vector import SeatVectorEnv
from boardenvs.registration import GAMES, env_id, names


def fresh_process(code, folder):
    """Return the output of a new interpreter without previous imports."""
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def test_gymnasium_finds_the_ids_without_an_import_of_the_package(tmp_path):
    ids = [env_id(name) for name in TWO]
    code = f"""
import sys
import gymnasium
assert "boardenvs" not in sys.modules
for id in {ids}:
    env = gymnasium.make("boardenvs:" + id)
    observation, info = env.reset(seed=0)
    assert observation in env.observation_space
    env.step(int(info["action_mask"].argmax()))
    print(env.spec.id)
    envs = gymnasium.make_vec("boardenvs:" + id, num_envs=2)
    print(type(envs).__name__, envs.reset(seed=0)[0].shape[0])
"""
    printed = fresh_process(code, tmp_path).splitlines()
    assert printed[::2] == ids
    assert printed[1::2] == ["SeatVectorEnv 2"] * len(ids)


def test_importing_the_package_loads_no_heavy_libraries(tmp_path):
    code = """
import sys
import boardenvs
print(*sorted({"numba", "torch", "onnxruntime"} & set(sys.modules)))
"""
    assert fresh_process(code, tmp_path) == "\n"


HOST = """
import importlib
import os
import pkgutil

import numba
import numba.np.ufunc.parallel

def seen():
    record = {name: id(value) for name, value in vars(numba.types.Record).items()}
    threads = numba.config.THREADING_LAYER, numba.np.ufunc.parallel._is_initialized
    return record, threads, dict(os.environ)

before = seen()
import boardenvs
boardenvs.gekitai_v0.env
for name in boardenvs.GAMES:
    importlib.import_module(f"boardenvs.{name}.rules")
for module in pkgutil.iter_modules(boardenvs.__path__, "boardenvs."):
    if module.name != "boardenvs.openspiel":
        importlib.import_module(module.name)
assert seen() == before
"""


def test_importing_the_package_changes_no_settings_of_numba(tmp_path):
    assert fresh_process(HOST, tmp_path) == ""


PETTINGZOO = f"""
import boardenvs
import pettingzoo
for name in {TWO}:
    env = pettingzoo.make("aec", f"boardenvs/{{name}}_v0", render_mode="ansi", max_plies=20)
    env.reset(seed=0)
    print(env, env.game == boardenvs.make(name, max_plies=20), bool(env.render()))

@boardenvs.register
class ShortGame(type(boardenvs.make("game112"))):
    name = "short_game"

    def __init__(self):
        super().__init__(board_size=5)

print(pettingzoo.make("aec", "boardenvs/short_game").game)
"""


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="needs PettingZoo 1.27")
def test_pettingzoo_lists_the_games(tmp_path):
    printed = fresh_process(PETTINGZOO, tmp_path).splitlines()
    assert printed[:-1] == [f"{name}_v0 True True" for name in TWO]
    assert printed[-1].startswith("ShortGame(board_size=5")


RELOAD = """
import importlib
import sys
import boardenvs.gekitai
for module in (boardenvs, boardenvs.registration, boardenvs.gekitai, boardenvs):
    importlib.reload(module)
for name in [name for name in sys.modules if name.partition(".")[0] == "boardenvs"]:
    del sys.modules[name]
import boardenvs
import gymnasium
print(gymnasium.make("boardenvs/Gekitai-v0").unwrapped.game)
"""


def test_reloading_the_package_prints_nothing(tmp_path):
    assert fresh_process(RELOAD, tmp_path).startswith("Gekitai(")


def test_ids_have_specs(game):
    assert env_id(game.name) == f"boardenvs/{type(game).__name__}-v0"
    spec = gymnasium.spec(env_id(game.name))
    assert spec.kwargs == {"game": game.name}
    env = gymnasium.make(spec)
    assert type(env.unwrapped) is SeatEnv
    assert env.unwrapped.game == game
    envs = gymnasium.make_vec(spec, num_envs=3)
    assert type(envs) is SeatVectorEnv
    assert envs.game == game


def test_pettingzoo_modules_make_environments(game):
    module = getattr(boardenvs, f"{game.name}_v0")
    assert f"{game.name}_v0" in dir(boardenvs)
    assert importlib.import_module(f"boardenvs.{game.name}_v0") is module
    for make in (module.env, module.raw_env):
        assert make().unwrapped.game == game
        assert make.__doc__
        assert pickle.loads(pickle.dumps(make)) is make
    with pytest.raises(AttributeError, match="no attribute 'parallel_env'"):
        _ = module.parallel_env
    for name in (f"{game.name}_v1", f"{game.name}_v", game.name.upper()):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
            getattr(boardenvs, name)


def test_the_public_names_exist():
    for name in boardenvs.__all__:
        assert name in dir(boardenvs)
        assert getattr(boardenvs, name)


@pytest.mark.parametrize(
    "name", ["chess", "", "Gekitai", "boardenvs/Gekitai-v0", None, 1, ["gekitai"], b"gekitai"]
)
def test_an_unknown_game_is_refused(name):
    with pytest.raises(ValueError, match=r"^game ") as caught:
        boardenvs.make(name)
    assert all(game in str(caught.value) for game in GAMES)
    assert repr(name) in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=r"^game "):
        SeatEnv(name)


def test_gymnasium_passes_the_arguments(game):
    params = {**game.params, **first_variant(game.name), "max_plies": game.num_players + 1}
    expected = boardenvs.make(game.name, **params)
    assert expected != game
    env = gymnasium.make(env_id(game.name), seat=0, illegal="raise", opponent="random", **params)
    assert env.unwrapped.game == expected
    assert env.observation_space.shape == expected.observation_shape
    assert env.reset(seed=0)[1]["seat"] == 0
    envs = gymnasium.make_vec(env_id(game.name), num_envs=2, seat=0, **params)
    assert envs.game == expected
    assert envs.single_observation_space.shape == expected.observation_shape


def test_an_unknown_parameter_is_refused(game):
    for make in (
        lambda **params: boardenvs.make(game.name, **params),
        lambda **params: gymnasium.make(env_id(game.name), **params),
        lambda **params: gymnasium.make_vec(env_id(game.name), num_envs=2, **params),
    ):
        with pytest.raises(ValueError, match=f"{game.name} .*'depth'"):
            make(depth=3)
        with pytest.raises(ValueError, match=r"^max_plies "):
            make(max_plies=0)


def test_a_spec_round_trips_through_json_and_pickle(game):
    env = gymnasium.make(env_id(game.name), seat=0, max_plies=20)
    for spec in (
        EnvSpec.from_json(env.spec.to_json()),
        pickle.loads(pickle.dumps(env.spec)),
        copy.deepcopy(env.spec),
    ):
        assert spec == env.spec
        again = gymnasium.make(spec)
        assert again.unwrapped.game == env.unwrapped.game
        assert again.spec == env.spec
        check_environments_match(env, again, num_steps=30)


ARGUMENTS = [
    {"seat": 0, "illegal": "lose"},
    {"render_mode": "ansi", "record_episode": True, "max_episode_steps": 50},
]


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_every_argument_round_trips_through_json(game, arguments):
    expected = boardenvs.make(game.name, **first_variant(game.name))
    opponents = ["random"] * (expected.num_players - 1) or "random"
    given = {**first_variant(game.name), "opponent": opponents, **arguments}
    env = gymnasium.make(env_id(game.name), **given)
    spec = EnvSpec.from_json(env.spec.to_json())
    assert spec == env.spec
    again = gymnasium.make(spec)
    assert again.unwrapped.game == expected
    assert again.render_mode == arguments.get("render_mode")
    check_environments_match(env, again, num_steps=10)
    if "record_episode" in arguments:
        assert again.unwrapped.episode.actions == env.unwrapped.episode.actions


def test_wrappers_round_trip_through_json(game):
    env = FlattenObservation(gymnasium.make(env_id(game.name)))
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.observation_space == env.observation_space
    check_environments_match(env, again, num_steps=10)


def test_an_opponent_object_cannot_be_written_as_json():
    class First:
        def act(self, states):
            return boardenvs.make("gekitai").legal(states).argmax(1)

    env = gymnasium.make("boardenvs/Gekitai-v0", opponent=First())
    with pytest.raises(TypeError, match="not JSON serializable"):
        env.spec.to_json()


def test_the_registry_lists_the_games():
    listed = gymnasium.pprint_registry(disable_print=True)
    section = listed.split("===== boardenvs =====")[1].split("=====")[0]
    assert set(section.split()) == {env_id(name) for name in names()}


def test_a_vector_spec_round_trips_through_json(game):
    envs = gymnasium.make_vec(
        env_id(game.name),
        num_envs=3,
        vectorization_mode="vector_entry_point",
        illegal="raise",
        **first_variant(game.name),
    )
    again = gymnasium.make_vec(EnvSpec.from_json(envs.spec.to_json()))
    assert type(again) is SeatVectorEnv
    assert again.num_envs == 3
    assert again.game == envs.game
    np.testing.assert_array_equal(again.reset(seed=0)[0], envs.reset(seed=0)[0])


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_vector_spec_makes_the_same_environment(game, mode):
    envs = gymnasium.make_vec(
        env_id(game.name),
        num_envs=3,
        vectorization_mode="vector_entry_point",
        autoreset_mode=mode,
        max_plies=20,
    )
    again = gymnasium.make_vec(envs.spec)
    assert type(again) is SeatVectorEnv
    assert again.num_envs == 3
    assert again.game == envs.game
    assert again.metadata["autoreset_mode"] is mode


def test_the_given_opponent_plays(game):
    class Counting:
        calls = 0

        def act(self, states):
            self.calls += 1
            return game.legal(states).argmax(1)

    opponent = Counting()
    env = gymnasium.make(env_id(game.name), opponent=other_seats(game, opponent), seat=0)
    _, info = env.reset(seed=0)
    env.step(int(info["action_mask"].argmax()))
    assert bool(opponent.calls) == (game.num_players > 1)


TYPED = """
from typing import assert_type

import gymnasium

import boardenvs
from boardenvs import {modules}
from boardenvs.envs.aec import GameAECEnv
from boardenvs.envs.single import SeatEnv

for module in ({modules}):
    assert_type(module.env(render_mode="ansi", max_plies=9), GameAECEnv)
    assert_type(module.raw_env(), GameAECEnv)
assert_type(boardenvs.make("gekitai", board_size=7), boardenvs.Game)
env = gymnasium.make("boardenvs/Gekitai-v0").unwrapped
assert isinstance(env, SeatEnv)
assert_type(env.game, boardenvs.Game)
assert_type(env.step(0)[1:4], tuple[float, bool, bool])
gekitai_v0.env(illegal="never")
"""


@pytest.mark.slow
def test_type_checkers_infer_the_environments(tmp_path):
    pytest.importorskip("mypy", reason="needs the extra [dev]")
    modules = ", ".join(f"{name}_v0" for name in GAMES)
    (tmp_path / "typed.py").write_text(TYPED.format(modules=modules))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "typed.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(Path(boardenvs.__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    (fault,) = (line for line in done.stdout.splitlines() if line.startswith("typed.py"))
    assert '"illegal"' in fault
