"""CPU time until learners have a score against `greedy`."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import boardenvs
from agents.speed.connect_four import ConnectFour
from agents.speed.row import Row
from agents.speed.rows.batches import label
from agents.speed.rows.processes import importable, output_of
from agents.speed.run import Bench
from boardenvs.game import Game

__all__ = ["alpha_zero_pace", "strength"]

_RIVAL = "greedy"
_GAMES = 300
"""Games of an evaluation, whose time does not count."""
_EVERY = 4.0
"""CPU time between two evaluations (s)."""
_PEER = "MaskablePPO"
_PEER_TIME = 2.0
"""Limit of the CPU time of MaskablePPO, divided by that of self-play to the highest score."""
_CONNECT_FOUR = 110_000
"""Steps of connect four; notebook 6 has fewer."""
_SPIEL = "OpenSpiel's AlphaZero"
_SPIEL_GAME = "gekitai"
_SPIEL_NEEDS = "pyspiel", "flax", "optax", "chex", "orbax"
_ALPHA_ZERO = """
import contextlib, io, json, pathlib, sys, tempfile
from open_spiel.python.algorithms.alpha_zero import alpha_zero
import boardenvs.openspiel
with tempfile.TemporaryDirectory() as folder:
    config = alpha_zero.Config(
        game="python_boardenvs_gekitai()", path=folder, learning_rate=1e-3, weight_decay=1e-4,
        decouple_weight_decay=False, train_batch_size=64, replay_buffer_size=256,
        replay_buffer_reuse=4, max_steps=int(sys.argv[2]), checkpoint_freq=100, actors=1,
        evaluators=0, evaluation_window=10, eval_levels=2, uct_c=1.5,
        max_simulations=int(sys.argv[1]), policy_alpha=1, policy_epsilon=0.25, temperature=1,
        temperature_drop=10, nn_model="resnet", nn_width=32, nn_depth=2, observation_shape=None,
        output_size=None, verbose=False, quiet=True,
    )
    with contextlib.redirect_stdout(io.StringIO()):
        alpha_zero.alpha_zero(config)
    *_, last = pathlib.Path(folder, "learner.jsonl").read_text().splitlines()
print(json.loads(last)["states_per_s_actor"])
"""
"""Program that prints the positions per second of an actor in the last step of AlphaZero."""


class _Goal(NamedTuple):
    """Self-play on a game, and the scores that it must reach."""

    name: str
    game: Game
    settings: Any
    """The `agents.training.settings.Settings`."""
    scores: tuple[float, ...]
    """In ascending order."""


def _goals() -> Iterator[_Goal]:
    from agents.training.settings_files import settings_for

    importable("sb3_contrib")  # or raises the error that `Bench.peer` reports
    gekitai = boardenvs.make("gekitai")
    as_demo = settings_for(gekitai, channels=32).ending_at(45_000)
    yield _Goal(_SPIEL_GAME, gekitai, as_demo, (0.5, 0.8))
    # Self-play reaches the scores of both within minutes.
    size = {"board_size": 9}
    gomoku, connect_four = boardenvs.make("gomoku", **size), ConnectFour()
    yield _Goal(label("gomoku", size), gomoku, settings_for(gomoku), (0.15,))
    longer = settings_for(connect_four).ending_at(_CONNECT_FOUR)
    yield _Goal("connect_four", connect_four, longer, (0.45,))


class _Found(NamedTuple):
    """Result of a training."""

    times: list[float]
    """CPU time to each score (s); infinite if it was not reached."""
    rate: float
    """Steps per second of CPU time."""


def _train(goal: _Goal, settings: Any, seed: int, limit: float) -> _Found:
    """Train until all scores are reached, for about `limit` seconds of CPU time at most."""
    from agents.naming.spec import specs_of
    from agents.networks.sharded import one_torch_thread
    from agents.training.evaluation import Evaluation
    from agents.training.run import TrainingRun

    run = TrainingRun(goal.game, settings, seed, Path())  # writes no files
    evaluation = Evaluation(goal.game, specs_of([_RIVAL], goal.game), seed)
    spent, due = 0.0, _EVERY
    times: list[float] = []
    for part in run.parts.values():
        while part.steps < part.total and len(times) < len(goal.scores) and spent < limit:
            began = time.process_time()
            with one_torch_thread():
                part.advance()
            spent += time.process_time() - began
            if spent >= due:
                due = spent + _EVERY
                score = evaluation.point(run.agent(), _GAMES, run.steps)[_RIVAL]["score"]
                times = [*times, *(spent for to in goal.scores[len(times) :] if score >= to)]
    return _Found([*times, *[math.inf] * (len(goal.scores) - len(times))], run.steps / spent)


def _shortest(settings: Any) -> Any:
    """Return settings in which each part takes one round of games."""
    parts = {name: getattr(settings, name) for name in ("clone", "guided")}
    short = {name: replace(part, steps=1) for name, part in parts.items() if part}
    return replace(settings, ppo_steps=min(settings.ppo_steps, 1), **short)


def strength(bench: Bench) -> list[Row]:
    """Return rows that compare self-play with MaskablePPO and with OpenSpiel's AlphaZero."""
    goals = bench.peer("time to strength", "train", lambda: list(_goals()))
    return [
        row for goal in (goals or ())[: bench.effort.strength_games] for row in _rows(bench, goal)
    ]


def _rows(bench: Bench, goal: _Goal) -> list[Row]:
    from agents.training.settings import Settings

    steps = goal.settings.ppo_steps or Settings().ppo_steps
    ppo = replace(goal.settings, clone=None, guided=None, values=None, ppo_steps=steps)
    for settings in (goal.settings, ppo):
        _train(goal, _shortest(settings), 0, math.inf)  # compiles the loops
    limit = bench.effort.strength_seconds
    found, others = [], []
    for seed in range(bench.effort.strength_seeds):
        found.append(_train(goal, goal.settings, seed, limit))
        others.append(_train(goal, ppo, seed, _PEER_TIME * min(limit, found[-1].times[-1])))
    rows = [_pace(bench, goal, found)] if goal.name == _SPIEL_GAME else []
    for k, score in enumerate(goal.scores):
        times, its = ([one.times[k] for one in each] for each in (found, others))
        value, against = statistics.median(times), statistics.median(its)
        measure = f"CPU time to {score} against {_RIVAL}"
        if math.isinf(value):
            bench.missing.append(f"{measure}: not reached on {goal.name} within {limit:g} s")
            continue
        reached = None if math.isinf(against) else against
        rows.append(
            Row(measure, goal.name, value, "s", _PEER, reached, spread=(min(times), max(times)))
        )
    return rows


def _pace(bench: Bench, goal: _Goal, found: Sequence[_Found]) -> Row:
    """Return the row that compares the positions of self-play with OpenSpiel's AlphaZero."""
    simulations = goal.settings.guided.simulations
    its = None
    try:
        its = alpha_zero_pace(simulations, bench.effort.spiel_steps)
    except ImportError:
        bench.missing.append(
            f"skipped {_SPIEL}: run pip install 'boardenvs[openspiel]' flax optax chex "
            "orbax-checkpoint"
        )
    value = statistics.median(one.rate for one in found)
    measure = f"positions of self-play, {simulations} simulations, with the gradient steps"
    return Row(measure, goal.name, value, "positions/s", _SPIEL, its)


def alpha_zero_pace(simulations: int, steps: int) -> float:
    """Return the positions per second of an actor of OpenSpiel's AlphaZero on Gekitai.

    Args:
        simulations: simulations of each search.
        steps: learning steps of 64 positions each; the last one counts.

    Raises:
        ImportError: a package is not installed.
        OSError: the process failed.
    """
    for package in _SPIEL_NEEDS:
        importable(package)
    # Its actors print, too.
    return float(output_of(_ALPHA_ZERO, {}, str(simulations), str(steps)).split()[-1])
