"""Opponents and players by name, which `boardenvs` gets from the package `agents`."""

import copy
import json
import pickle
import subprocess
import sys
from importlib.machinery import PathFinder
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import data_equivalence
from players import First

import agents
import boardenvs
from boardenvs import Episode
from boardenvs.envs import named_players
from boardenvs.envs.single import SeatEnv
from boardenvs.envs.vector import SeatVectorEnv
from boardenvs.registration import env_id

GEKITAI = "boardenvs/Gekitai-v0"
SEARCHES = [pytest.param(spec, marks=pytest.mark.slow) for spec in ("mcts:8", "puct:8")]
SPECS = ["greedy", "trained", *SEARCHES]
NATIVE = {"vectorization_mode": "vector_entry_point"}


def played(env, seeds):
    """Return the observations and rewards of games of first legal actions, a list per seed."""
    games = []
    for seed in seeds:
        observation, info = env.reset(seed=seed)
        games.append([observation.tobytes()])
        done = False
        while not done:
            action = int(info["action_mask"].argmax())
            observation, reward, terminated, truncated, info = env.step(action)
            games[-1].append((observation.tobytes(), reward))
            done = terminated or truncated
    return games


def one_line(error):
    return "\n" not in str(error.value)


@pytest.mark.parametrize("spec", SPECS)
def test_a_spec_makes_the_agent_of_that_name(spec):
    game = boardenvs.make("gekitai")
    named = gymnasium.make(GEKITAI, opponent=spec)
    given = gymnasium.make(GEKITAI, opponent=agents.make(spec, game, seed=99))
    assert played(named, range(3)) == played(given, range(3))


def test_every_game_accepts_named_opponents(versus):
    env = gymnasium.make(env_id(versus.name), opponent="greedy", illegal="raise")
    assert played(env, range(2)) == played(env, range(2))


@pytest.mark.slow
def test_several_seats_accept_specs():
    env = gymnasium.make("boardenvs/GoatRace-v0", opponent=["greedy", "mcts:8"], seat=0)
    first, second = env.unwrapped._table._lineups[0]
    assert (first.spec, second.spec) == ("greedy", "mcts:8")
    assert played(env, [1]) == played(env, [1])
    with pytest.raises(ValueError, match=r"opponent.*goat_race.*got 1"):
        gymnasium.make("boardenvs/GoatRace-v0", opponent=["greedy"])


@pytest.mark.slow
@pytest.mark.parametrize("num", [1, 5])
def test_a_seed_gives_the_same_game_in_every_vector(num):
    kept = {"opponent": "mcts:8", "illegal": "raise"}
    envs = gymnasium.make_vec(GEKITAI, num_envs=num, **NATIVE, **kept)
    seeds = list(range(num))
    observations, infos = envs.reset(seed=seeds)
    singles = [gymnasium.make(GEKITAI, **kept) for _ in seeds]
    starts = [env.reset(seed=seed)[0] for env, seed in zip(singles, seeds, strict=True)]
    np.testing.assert_array_equal(observations, starts)
    for _ in range(4):
        actions = infos["action_mask"].argmax(1)
        observations, _, _, _, infos = envs.step(actions)
        steps = [env.step(a)[0] for env, a in zip(singles, actions, strict=True)]
        np.testing.assert_array_equal(observations, steps)


@pytest.mark.parametrize("opponent", ["greedy", "mcts:8", ["trained"]])
def test_an_environments_spec_survives_json(opponent):
    env = gymnasium.make(GEKITAI, opponent=opponent, seat=1, board_size=6)
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.spec.kwargs["opponent"] == opponent
    assert played(env, [4]) == played(again, [4])
    assert json.loads(env.spec.to_json())["kwargs"]["opponent"] == opponent


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("spec", SPECS)
def test_a_copy_of_a_running_game_continues_identically(spec, duplicate):
    envs = gymnasium.make_vec(GEKITAI, num_envs=2, **NATIVE, opponent=spec)
    _, infos = envs.reset(seed=3)
    envs.step(infos["action_mask"].argmax(1))
    twin = duplicate(envs)
    for _ in range(3):
        actions = envs.action_masks().argmax(1)
        assert data_equivalence(envs.step(actions), twin.step(actions), exact=True)


def test_gymnasiums_process_vectors_accept_named_opponents():
    kept = {"opponent": "greedy", "seat": 1}
    envs = gymnasium.make_vec(
        GEKITAI, 1, vectorization_mode="async", vector_kwargs={"context": "spawn"}, **kept
    )
    try:
        observations, infos = envs.reset(seed=7)
        env = gymnasium.make(GEKITAI, **kept)
        observation, _ = env.reset(seed=7)
        np.testing.assert_array_equal(observations[0], observation)
        envs.call("set_opponent", "mcts:8")
        action = int(infos["action_mask"][0].argmax())
        returned = envs.step(np.array([action]))
        np.testing.assert_array_equal(returned[0][0], env.step(action)[0])
    finally:
        envs.close()


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("nobody", "nobody"),
        ("Random", "'Random'"),
        ("", "''"),
        ("mcts:many", "many"),
        ("mcts:0", "simulations"),
        ("trained:nowhere.onnx", "nowhere.onnx"),
        ("neighbour", "neighbour"),
    ],
)
def test_a_bad_spec_is_refused_in_one_line(spec, said):
    with pytest.raises(ValueError, match=said) as error:
        gymnasium.make(GEKITAI, opponent=spec)
    assert one_line(error)
    with pytest.raises(ValueError, match=said):
        gymnasium.make_vec(GEKITAI, num_envs=2, **NATIVE, opponent=[spec])


@pytest.mark.parametrize("name", ["Dominoes175", "PizzaOrder"])
@pytest.mark.parametrize("opponent", ["greedy", "nobody", First(None), ["random"]])
def test_a_game_for_one_player_has_no_opponents(name, opponent):
    known = f"boardenvs/{name}-v0"
    with pytest.raises(ValueError, match=r"^opponent .* one player, got "):
        gymnasium.make(known, opponent=opponent)
    envs = gymnasium.make_vec(known, num_envs=2, **NATIVE, opponent=[])
    with pytest.raises(ValueError, match=r"^opponent .* one player, got "):
        envs.set_opponent(opponent)
    envs.set_opponent("random")


@pytest.mark.parametrize(
    ("typo", "meant"),
    [
        ("oponent", "opponent"),
        ("autoreset_mod", "autoreset_mode"),
        ("vectorisation_mode", "vectorization_mode"),
        ("bord_size", "board_size"),
    ],
)
def test_a_typo_in_make_vec_gets_a_suggestion_of_all_arguments(typo, meant):
    with pytest.raises(ValueError, match=f"'{typo}'.*; did you mean {meant}\\?$"):
        gymnasium.make_vec(GEKITAI, num_envs=2, **{typo: "greedy"})


def test_the_opponent_in_an_environment_spec_runs_no_user_code(tmp_path, monkeypatch):
    (tmp_path / "hostile.py").write_text("raise SystemExit('run')", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    spec = gymnasium.make(GEKITAI).spec
    text = spec.to_json().replace('"kwargs": {', '"kwargs": {"opponent": "hostile:First", ', 1)
    assert "hostile" in text
    with pytest.raises(ValueError, match=r"'hostile:First'") as error:
        gymnasium.make(EnvSpec.from_json(text))
    assert one_line(error)
    assert "hostile" not in sys.modules


# -- Episodes -----------------------------------------------------------------------------


def test_an_episode_accepts_specs():
    game = boardenvs.make("gekitai")
    one = Episode.play(game, ["greedy", "mcts:8"], seed=5)
    assert one == Episode.play(game, ["greedy", "mcts:8"], seed=5)
    players = [agents.make("greedy", game), agents.make("mcts:8", game)]
    assert one == Episode.play(game, players, seed=5)
    assert one.actions != Episode.play(game, ["greedy", "mcts:8"], seed=6).actions
    assert one.players == ["greedy", "mcts:8"]
    assert one.result in ("greedy wins", "mcts:8 wins")


def test_an_episode_names_its_players(game):
    seats = game.num_players
    expected = [f"random ({seat})" for seat in game.seat_names] if seats > 1 else ["random"]
    assert Episode.play(game, ["random"] * seats, seed=0).players == expected
    players = [agents.make("greedy", game), *[First(game) for _ in range(seats - 1)]]
    named = Episode.play(game, players, seed=0)
    assert named.players == ["greedy", *[f"player_{k}" for k in range(1, seats)]]


@pytest.mark.parametrize("opponent", [["greedy", "random"], ["random", "trained"]])
def test_a_recorded_environment_names_its_opponents(opponent):
    env = SeatEnv("goat_race", "random", seat=1, record_episode=True)
    env.reset(seed=0)
    seats = env.game.seat_names
    before = [f"random ({seats[0]})", "player_1", f"random ({seats[2]})"]
    assert env.episode.players == before
    env.set_opponent(opponent)
    assert env.episode.players == before
    env.reset(seed=0)
    assert env.episode.players == [opponent[0], "player_1", opponent[1]]


OWN = """
import numpy as np

class Draws:
    seeds = []

    def __init__(self, game, seed):
        self.game, self.draws = game, np.random.default_rng(seed)
        self.seeds.append(seed)

    def act(self, states):
        return [self.draws.choice(np.flatnonzero(row)) for row in self.game.legal(states)]
"""


def test_user_agents_of_an_episode_get_its_seed(tmp_path, monkeypatch):
    (tmp_path / "drawing_agents.py").write_text(OWN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    game = boardenvs.make("game112")
    both = ["drawing_agents:Draws"] * 2
    one, same, other = (Episode.play(game, both, seed=seed) for seed in (1, 1, 2))
    seeds = sys.modules.pop("drawing_agents").Draws.seeds
    assert seeds[:2] == seeds[2:4]
    assert len(set(seeds)) == 4
    assert one == same != other


# -- Another package `agents` -------------------------------------------------------------


@pytest.fixture
def stranger(tmp_path, monkeypatch):
    """Yield the function that makes Python find another `agents`, without importing it."""

    def found(file):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("raise SystemExit('run')", encoding="utf-8")
        spec = PathFinder.find_spec("agents", [str(tmp_path)])
        monkeypatch.setattr(named_players, "find_spec", lambda _: spec)
        named_players.agents_module.cache_clear()

    yield found
    named_players.agents_module.cache_clear()


@pytest.mark.parametrize("file", ["agents.py", "agents/__init__.py"])
def test_another_package_named_agents_is_reported_in_one_line(stranger, file, tmp_path):
    stranger(file)
    asked = [
        named_players.check_agents,
        lambda: gymnasium.make(GEKITAI, opponent="greedy"),
        lambda: SeatEnv("gekitai").set_opponent("greedy"),
        lambda: SeatVectorEnv(2, "goat_race", ["random", "greedy"]),
        lambda: Episode.play(boardenvs.make("gekitai"), ["random", "greedy"]),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match="package 'agents'") as error:
            ask()
        assert str(tmp_path / file) in str(error.value)
        assert one_line(error)
    gymnasium.make(GEKITAI, opponent="random").reset()


def test_the_error_names_the_file_of_another_package(monkeypatch):
    monkeypatch.setattr(named_players, "_SIGN", b"Agents for large language models")
    with pytest.raises(ValueError, match="package 'agents'") as error:
        named_players.check_agents()
    assert str(Path(agents.__file__)) in str(error.value)


def test_a_missing_package_is_reported(monkeypatch):
    monkeypatch.setattr(named_players, "find_spec", lambda _: None)
    with pytest.raises(ValueError, match="package 'agents'"):
        named_players.check_agents()


def test_random_players_and_objects_do_not_load_agents():
    """Random players and player objects do not need the package `agents`."""
    script = (
        "import sys, gymnasium, boardenvs; "
        "env = gymnasium.make('boardenvs/Gekitai-v0', opponent='random'); env.reset(); "
        "boardenvs.Episode.play(boardenvs.make('game112'), ['random', 'random']); "
        "assert 'agents' not in sys.modules; env.unwrapped.set_opponent('greedy'); "
        "assert 'agents.players.greedy' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
