"""Tests of `boardenvs bench`: fair turns, ratios, and missing peers."""

import dataclasses
import json
import math
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from two_games import on_two_games

import boardenvs
from agents import speed as package
from agents.command import main
from agents.command.demo import run_demo
from agents.speed import Bench, Effort, Row, describe_machine, results_table, rows_as_json
from agents.speed.ceilings import ZeroEnv, copying, usual_length
from agents.speed.measures import MEASURES
from agents.speed.rows import (
    batches,
    environments,
    networks,
    processes,
    scaling,
    searches,
    strength,
)
from agents.speed.timing import interleaved, rate

pytestmark = pytest.mark.slow

KEYS = ["measure", "game", "value", "unit", "against", "against_value", "ratio", "spread"]
TINY = Effort(
    games=("gekitai", "pizza_order"),
    rounds=1,
    seconds=0.0,
    num_envs=16,
    vector_envs=8,
    thread_envs=(16,),
    simulations=5,
    guided_games=1,
    guided_simulations=2,
    one_position_simulations=20,
    guided_seconds=0.0,
    pgx_sizes=(16,),
    gpu_envs=(2,),
    learn_envs=4,
    train_envs=4,
    learn_steps=4,
    learn_rounds=1,
    strength_games=1,
    strength_seeds=1,
    strength_seconds=0.1,
    process_rounds=1,
    process_games=("gekitai",),
    cold_envs=(4,),
    cold_steps=(2,),
    memory_envs=16,
    batch_sizes=(1, 16),
    curve_rounds=1,
    curve_seconds=0.0,
    board_sizes=2,
)
TRAINING = {"learning", "training", "time to strength"}
"""Measures that require Stable-Baselines3 on both sides."""
GPU = "games on a GPU"
PEERS = ("jax", "pgx", "pyspiel", "pygame", "torch", "sb3_contrib", "stable_baselines3")


@pytest.fixture
def tiny():
    return Bench(TINY)


@pytest.fixture
def without(monkeypatch):
    """Return the function that makes packages impossible to import."""

    def hide(*names):
        for name in list(sys.modules):
            if name.partition(".")[0] in (*names, "pettingzoo") or "connect_four" in name:
                monkeypatch.delitem(sys.modules, name)
        for name in ("agents.speed.zero_vec_env", "agents.training.vec_env"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        for name in names:
            monkeypatch.setitem(sys.modules, name, None)

    return hide


def run(capsys, *arguments):
    status = main(["bench", *map(str, arguments)])
    said = capsys.readouterr()
    return status, said.out, said.err


# -- Timing -------------------------------------------------------------------------------


def test_measures_alternate_and_report_medians():
    turns = []
    figures = {"a": iter([0, 9, 1, 2]), "b": iter([100, 5, 7, 6])}

    def side(name):
        turns.append(name)
        return float(next(figures[name]))

    found = interleaved({name: lambda name=name: side(name) for name in figures}, 3)
    assert turns == ["a", "b"] * 4
    assert found == {"a": 2.0, "b": 6.0}  # without the first round


@pytest.mark.parametrize("rounds", [0, -1])
def test_rounds_below_one_raise(rounds):
    with pytest.raises(ValueError, match="rounds"):
        interleaved({}, rounds)


def test_a_rate_excludes_the_preparation(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("agents.speed.timing.time.perf_counter", lambda: clock[0])

    def takes(seconds):
        clock[0] += seconds
        return 10

    assert rate(lambda: takes(2.0), 5.0, lambda: takes(100.0)) == 5.0
    assert clock[0] == 306.0  # three calls reach five seconds of work
    assert rate(lambda: takes(2.0), 0.0) == 5.0  # at least one call


# -- Rows ---------------------------------------------------------------------------------


def test_a_ratio_divides_the_two_values():
    row = Row("step", "gekitai", 6.0, "plies/s", "a peer", 4.0)
    assert row.ratio == 1.5
    assert row.to_dict() == dict(
        zip(KEYS, ["step", "gekitai", 6.0, "plies/s", "a peer", 4.0, 1.5, None], strict=True)
    )
    assert Row("step", "gekitai", 6.0, "plies/s", "a peer", None).ratio is None
    assert Row("step", "gekitai", 6.0, "plies/s").to_dict()["against"] is None


def test_the_table_has_a_row_for_each_result():
    rows = [
        Row("step", "gekitai", 12_345_678.0, "plies/s", "a peer", 4e6),
        Row("loop", "", 1234.4, "plies/s", "another", None),
        Row("start", "gomoku", 0.0123, "s"),
        Row("wide", "gomoku", 5e10, "bytes", "narrow", 54_321.0),
        Row("train", "gomoku", 45.0, "s", spread=(41.25, 50.0)),
        Row("train", "112", 45.0, "s", spread=(41.25, math.inf)),
    ]
    assert results_table(rows).rows == [
        ("step", "gekitai", "12.3 M", "plies/s", "a peer", "4 M", "3.09"),
        ("loop", "", "1,234", "plies/s", "another", "-", ""),
        ("start", "gomoku", "0.0123", "s", "", "", ""),
        ("wide", "gomoku", "50 G", "bytes", "narrow", "54.3 k", "9.2e+05"),
        ("train", "gomoku", "45 (41.2 to 50)", "s", "", "", ""),
        ("train", "112", "45 (41.2 to not reached)", "s", "", "", ""),
    ]
    written = json.loads(json.dumps(rows_as_json(rows), allow_nan=False))
    assert written[-1]["spread"] == [41.25, None]


# -- Measures -----------------------------------------------------------------------------


def check(rows):
    assert rows
    for row in rows:
        said = row.to_dict()
        assert list(said) == KEYS
        assert said["value"] > 0
        assert said["measure"]
        assert said["unit"]
        if said["against_value"] is not None:
            assert said["ratio"] == said["value"] / said["against_value"] > 0
        else:
            assert said["ratio"] is None
    assert json.loads(json.dumps(rows_as_json(rows))) == rows_as_json(rows)


@pytest.mark.slow  # some loops are compiled only for the benchmark
@pytest.mark.parametrize("name", sorted(MEASURES.keys() - TRAINING - {GPU}))
def test_every_measure_has_rows(name, tiny):
    check(MEASURES[name](tiny))


def test_games_on_a_gpu_are_measured(tiny):
    rows = MEASURES[GPU](tiny)
    if rows:
        check(rows)
    else:
        (line,) = tiny.missing
        assert re.fullmatch(r"skipped games on a GPU: CudaBatchEnv needs .*", line)


def test_games_on_the_simulated_gpu_are_measured():
    pytest.importorskip("numba.cuda")
    code = """
from agents.speed import Bench, Effort, measures
rows = measures.cuda_rows(Bench(Effort(rounds=1, seconds=0, gpu_envs=(2,))))
print(*(row.value > 0 for row in rows))
"""
    shown = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.stdout == "True True\n", shown.stderr


@pytest.mark.slow
def test_training_is_measured(tiny):
    pytest.importorskip("sb3_contrib")
    rows = networks.learning_steps(tiny)
    check(rows)
    assert [row.game for row in rows] == list(TINY.games)
    assert all(row.ratio for row in rows)
    (row,) = networks.training_steps(tiny)
    check([row])
    assert row.game == "gekitai"
    assert row.ratio


@pytest.mark.slow
def test_time_to_strength_is_measured(tiny, monkeypatch):
    pytest.importorskip("sb3_contrib")
    (pace,) = strength.strength(tiny)
    check([pace])
    assert [line.partition(":")[0] for line in tiny.missing][-2:] == [
        "CPU time to 0.5 against greedy",
        "CPU time to 0.8 against greedy",
    ]
    monkeypatch.setattr(strength, "_EVERY", 0.0)
    (goal,) = list(strength._goals())[:1]
    easy = goal._replace(scores=(0.0, 0.0))
    reached = strength._rows(tiny, easy)[1:]
    check(reached)
    assert all(row.spread[0] <= row.value <= row.spread[1] for row in reached)


def test_time_to_strength_is_measured_with_the_settings_of_the_demo(monkeypatch, tmp_path):
    given = []

    def stop(game, settings, *_):
        given.append(settings)
        raise InterruptedError

    monkeypatch.setattr("agents.training.run.TrainingRun", stop)
    with pytest.raises(InterruptedError):
        run_demo(tmp_path / "demo")
    measured = next(iter(strength._goals())).settings
    assert dataclasses.replace(given[0], evaluate_every=measured.evaluate_every) == measured


def test_a_zero_vec_env_replays_the_steps_of_another():
    pytest.importorskip("stable_baselines3")
    from agents.speed import zero_vec_env
    from agents.training.vec_env import SB3VecEnv
    from boardenvs.envs.vector import SeatVectorEnv

    num, steps = 8, 40
    envs = [SB3VecEnv([SeatVectorEnv(num, "gekitai")], seed=5) for _ in "ab"]
    zero, other = zero_vec_env.ZeroVecEnv(envs[0], steps), envs[1]
    rng = np.random.default_rng(0)

    def step(masks):
        return other.step((rng.random(masks.shape) * masks).argmax(1))

    observation = other.reset()
    for _ in range(zero_vec_env._BEFORE):
        observation = step(other.action_masks())[0]
    for _ in range(2):  # the replay restarts after the last step
        told = [(zero.reset(), zero.env_method("action_masks"))]
        for _ in range(steps):
            observed, reward, done, _ = zero.step(np.zeros(num, int))
            told.append((observed, reward.copy(), done, zero.env_method("action_masks")))
            reward[:] = 9  # the caller may change its rewards
    assert np.array_equal(told[0][0], observation)
    ended = 0
    for k in range(steps):
        masks = other.action_masks()
        assert np.array_equal(told[k][-1], masks)
        observation, reward, done, _ = step(masks)
        assert np.array_equal(told[k + 1][0], observation)
        assert np.array_equal(told[k + 1][1], reward)
        assert np.array_equal(told[k + 1][2], done)
        ended += done.sum()
    assert ended


@pytest.mark.slow
def test_each_game_is_measured(tiny):
    for measure in (
        batches.play_outs,
        searches.searches,
        environments.seat_steps,
        environments.vector_steps,
        scaling.memory,
    ):
        assert [row.game for row in measure(tiny)] == list(TINY.games)
    games = {row.game for row in batches.batch_steps(tiny) if row.against == batches.COPYING}
    assert games == set(TINY.games)
    assert {row.game for row in processes.first_uses(tiny)} == {"gekitai"}


def test_parts_of_a_step_are_compared_with_the_step(tiny):
    rows = batches.parts_of_a_step(tiny)
    assert [row.game for row in rows] == [name for name in TINY.games for _ in range(4)]
    assert len({row.measure for row in rows}) == 4
    assert all(row.unit == "ns/board" for row in rows)


@pytest.mark.slow
def test_pgx_is_measured(tiny):
    pytest.importorskip("pgx")
    (row,) = (row for row in batches.batch_steps(tiny) if row.against == "pgx connect_four")
    assert row.ratio
    assert not tiny.missing


@pytest.mark.slow
def test_connect_four_of_pettingzoo_is_measured(tiny):
    pytest.importorskip("pygame")
    rows = environments.aec_loops(tiny)
    assert [row.game for row in rows] == list(TINY.games)
    assert all(row.ratio for row in rows)


@pytest.mark.slow
def test_gomoku_of_open_spiel_is_measured(tiny):
    pytest.importorskip("pyspiel")
    assert all(row.ratio for row in batches.play_outs(tiny))
    assert all(row.ratio for row in searches.searches(tiny))
    assert not tiny.missing


@pytest.mark.slow
def test_missing_libraries_are_reported_in_one_line_each(tiny, without):
    without(*PEERS)
    for name in (
        "batches",
        "random play",
        "tree search",
        "PettingZoo loops",
        "Gymnasium steps",
        *sorted(TRAINING),
    ):
        rows = MEASURES[name](tiny)
        assert rows or name in TRAINING
        check([*rows, Row("one", "", 1.0, "s")])
    rows = batches.batch_steps(tiny)  # a second call adds no message
    assert [row.against_value for row in rows if row.against == "pgx connect_four"] == [None]
    extras = {
        "pgx": "bench",
        "OpenSpiel": "bench",
        "PettingZoo connect_four": "bench",
        "training with MaskablePPO": "train",
        "time to strength": "train",
        "boardenvs train": "train",
    }
    assert len(tiny.missing) == len(extras)
    for line, (what, extra) in zip(tiny.missing, extras.items(), strict=True):
        assert line.startswith(f"skipped {what}: ")
        assert f"boardenvs[{extra}]" in line
        assert "\n" not in line


def test_memory_counts_every_array(tiny):
    gekitai = boardenvs.make("gekitai")
    row = scaling.memory(tiny)[0]
    shown = np.prod(gekitai.observation_shape) + gekitai.num_actions
    assert row.against_value == shown
    # The state, the seat to move, two rewards and two flags.
    assert row.value == shown + gekitai.state_dtype.itemsize + 1 + 2 * 4 + 2


@pytest.mark.slow
def test_curves_have_a_point_for_each_size(tiny, monkeypatch):
    rows = scaling.curves_over_n(tiny)
    assert [row.point for row in rows] == [("N", 1), ("N", 16)] * 2
    rows = scaling.curves_over_size(tiny)
    assert [(row.game, row.point) for row in rows] == [
        ("gekitai board_size=6", ("cells", 36)),
        ("gekitai board_size=8", ("cells", 64)),
    ]
    # Goat Race compiles kernels for each size, so use only the default size.
    monkeypatch.setitem(scaling._SIZES, "goat_race", [(54, {"width": 9, "height": 6})] * 2)
    everything = Bench(Effort(**{**vars(TINY), "games": tuple(boardenvs.GAMES)}))
    assert {row.game.split()[0] for row in scaling.curves_over_size(everything)} == {
        "gekitai",
        "gomoku",
        "game112",
        "goat_race",
    }


def test_a_failing_process_is_reported_in_one_line():
    with pytest.raises(OSError, match="ModuleNotFoundError"):
        processes.output_of("import there_is_no_such_module", {})


# -- Ceilings -----------------------------------------------------------------------------


def test_copies_are_counted_in_boards():
    assert copying(boardenvs.make("gekitai"), 8, 0.0)() > 0


@on_two_games
def test_an_environment_that_does_nothing_has_the_games_spaces(game):
    from boardenvs.envs.single import SeatEnv

    seat, zero = SeatEnv(game), ZeroEnv(game)
    assert zero.observation_space == seat.observation_space
    assert zero.action_space == seat.action_space
    assert zero.observation_space.contains(zero.reset()[0])
    steps = 1
    while not zero.step(0)[2]:
        steps += 1
    assert steps == max(1, usual_length(game) // game.num_players)


def test_times_of_new_processes_are_extrapolated(monkeypatch, tiny):
    marks = {"0": [[2, 5.0]], "always": [[2, 1.0]], "1": [[2, 2.0]]}

    def run(command, env, **_):
        out = json.dumps(marks[env["BOARDENVS_INTERPRET"]])
        return subprocess.CompletedProcess(command, 0, out, "")

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(processes, "cores", lambda: 1)
    effort = dataclasses.replace(TINY, cold_steps=(2, 10, 100))
    short, middle, long, mean, highest = processes.cold_loops(Bench(effort))
    assert (short.value, short.against_value) == (2.0, 1.0)
    assert (middle.value, middle.against_value) == (10.0, 5.0)
    assert (long.value, long.against_value) == (100.0, 50.0)
    assert mean.value == pytest.approx(2.0)
    assert highest.value == pytest.approx(2.0)


# -- The command --------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch):
    """Replace the quick run by a tiny one with two measures."""
    monkeypatch.setattr(package, "QUICK", TINY)
    for name in [name for name in MEASURES if name not in ("batches", "curves over N")]:
        monkeypatch.delitem(MEASURES, name)


def test_the_command_measures_the_named_rows(small, capsys):
    status, _, err = run(capsys, "batches", "--quick")
    assert status == 0
    assert [line.partition(" (")[0] for line in err.splitlines()] == ["batches: 100%"]
    status, _, err = run(capsys, "nothing", "--quick")
    assert (status, err.count("\n")) == (2, 1)
    assert "MEASURE must be one of batches, curves over N, got 'nothing'" in err


def test_the_command_prints_and_writes_the_results(small, capsys, tmp_path):
    status, out, err = run(capsys, "--quick", "--json", tmp_path / "figures.json")
    assert status == 0
    told = [line.partition(" (")[0] for line in err.splitlines()]
    assert told == ["batches: 50%", "curves over N: 100%"]
    table, _, rest = out.partition("\n\n")
    lines = table.splitlines()
    assert " ".join(lines[0].split()) == "measure game value unit against its value ratio"
    assert set(lines[1]) == {"-"}
    assert rest.endswith(f"{describe_machine()}\n")
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert len(figures) == len(lines) - 2
    assert all(list(figure) == KEYS for figure in figures)
    assert [path.name for path in tmp_path.iterdir()] == ["figures.json"]


def test_the_report_describes_the_machine():
    cores, versions = describe_machine().splitlines()
    assert cores.split()[0].isdigit()
    for name in ("Python", "NumPy", "Numba"):
        assert f"{name} " in versions


@pytest.mark.slow
def test_the_plot_is_written(small, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    status, _, _ = run(capsys, "--quick", "--plot", tmp_path / "plot.png")
    assert status == 0
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("option", ["--json", "--plot"])
def test_a_file_that_cannot_be_written_is_refused_first(option, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(package, "measure", lambda asked: pytest.fail("a measure ran"))
    for path, reason in (
        (tmp_path, "it is a folder"),
        (tmp_path / "a" / "b", "the folder "),
    ):
        status, out, err = run(capsys, option, path)
        assert (status, out) == (2, "")
        assert err.startswith(f"boardenvs: error: {path} cannot be written: {reason}")
        assert err.count("\n") == 1


def test_a_plot_needs_matplotlib(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    status, out, err = run(capsys, "--plot", tmp_path / "plot.png")
    assert (status, out) == (2, "")
    assert err == (
        "boardenvs: error: --plot needs the extra [bench], such as "
        "pip install 'boardenvs[bench]': matplotlib is not installed\n"
    )
