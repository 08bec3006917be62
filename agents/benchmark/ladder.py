"""`Ladder`: a task's reference agents with their frozen ratings, from a file of the suite."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from textwrap import shorten
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.benchmark.rating import Scale
from agents.benchmark.tasks import Task, suite
from agents.naming.spec import Spec
from agents.seeds import agent_seed, one_way_words
from boardenvs.core.suggestion import did_you_mean
from boardenvs.game import Game, States

__all__ = ["Ladder", "choices_of", "ladder_dict", "ladder_path", "read_ladder"]

_FORMAT = "boardenvs ladder"
_POSITIONS = 24
_SEED = 175


@dataclass(frozen=True)
class Ladder:
    """A task's reference agents, with ratings unless the task is for one player."""

    suite: str
    task: Task
    specs: tuple[str, ...]
    scale: Scale | None
    """Ratings, with `random` at 0, and their covariance; `None` for a task for one player."""
    data: dict[str, Any]
    """The content of the file."""

    @property
    def shares(self) -> list[float]:
        """Share of games that each agent won, in a task for one player."""
        return [solo["wins"] / solo["games"] for solo in self.data["solos"]]

    @property
    def best(self) -> float:
        """Top of the scale: the strongest agent's Elo, or the best policy's share of games."""
        if self.scale is not None:
            return float(self.scale.elo.max())
        return (1 + max(float(solo["best"]) for solo in self.data["solos"])) / 2

    def score(self, value: float) -> float:
        """Return the score of an Elo, or of a share of games: 0 is `random`, 1 the best."""
        return (value - self._bottom) / (self.best - self._bottom)

    def value_of(self, score: float) -> float:
        """Return the Elo, or the share of games, of a score."""
        return self._bottom + score * (self.best - self._bottom)

    @property
    def _bottom(self) -> float:
        return 0.0 if self.scale is not None else self.shares[0]

    @property
    def sha256(self) -> str:
        """SHA-256 of the content."""
        text = json.dumps(self.data, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def ladder_path(suite_name: str, task: str) -> Traversable:
    """Return the path of a ladder in this package."""
    return resources.files(__package__) / "suites" / suite_name / f"{task}.json"


def read_ladder(suite_name: str, task: str) -> Ladder:
    """Return the frozen ladder of a task.

    Raises:
        ValueError: the suite or the task does not exist, or its ladder is missing or damaged.
    """
    tasks = suite(suite_name)
    if task not in tasks:
        raise ValueError(
            f"suite {suite_name} has no task {task!r}; it has {', '.join(tasks)}"
            f"{did_you_mean(task, tasks)}"
        )
    path = ladder_path(suite_name, task)
    if not path.is_file():
        raise ValueError(f"suite {suite_name} has no ladder of {task} yet")
    try:
        ladder = _parsed(json.loads(path.read_text(encoding="utf-8")), suite_name, tasks[task])
        ladder.score(ladder.best)  # fails here if values are missing
    except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
        missing = isinstance(error, KeyError)
        reason = f"{error} is missing" if missing else shorten(str(error), 200)
        raise ValueError(f"{path} is damaged: {reason}") from error
    return ladder


def _parsed(data: Any, suite_name: str, task: Task) -> Ladder:
    """Return the ladder of a file's content; damaged content raises any of several errors."""
    if data.get("format") != _FORMAT or data["task"] != task.name:
        raise ValueError(f"expected a ladder of {task.name}")
    agents = data["agents"]
    scale = None
    if "covariance" in data:
        elo = np.array([agent["elo"] for agent in agents], np.float64)
        scale = Scale(elo, np.array(data["covariance"], np.float64))
        if scale.covariance.shape != (len(agents), len(agents)):
            raise ValueError("the covariance must have a row and a column for each agent")
    specs = tuple(agent["spec"] for agent in agents)
    return Ladder(suite_name, task, specs, scale, data)


def choices_of(spec: Spec) -> str:
    """Return the SHA-256 of an agent's actions in some positions, which identifies the agent."""
    game = spec.game
    agent = spec.make(agent_seed(_SEED, 0))
    assert isinstance(agent, Agent)
    states = _positions(game)
    random_bits = one_way_words(_SEED, "words", np.arange(len(states)))
    known = game.arrays.conceal(states, states["to_move"], random_bits)
    actions = agent.choose(known, one_way_words(_SEED, "choices", np.arange(len(states))))
    return hashlib.sha256(np.asarray(actions, "<i8").tobytes()).hexdigest()


def _positions(game: Game) -> States:
    """Return early and late positions of random games."""
    states = game.new(_POSITIONS, _SEED)
    reached = states.copy()
    rng = np.random.default_rng(_SEED)
    for ply in range(2 * _POSITIONS):
        live = ~game.over(states)
        if not live.any():
            break
        random_bits = rng.integers(0, 2**64, _POSITIONS, np.uint64)
        chosen = np.empty(int(live.sum()), np.int64)
        game.kernels.random_actions(game.legal(states[live]), random_bits[live], chosen)
        played = states[live]
        game.play(played, chosen)
        states[live] = played
        keep = ~game.over(states) & (ply < 2 * np.arange(_POSITIONS))
        reached[keep] = states[keep]
    return reached


def ladder_dict(
    suite_name: str, task: Task, agents: Sequence[dict[str, Any]], **rest: Any
) -> dict[str, Any]:
    """Return the content of a ladder's file."""
    return {
        "format": _FORMAT,
        "suite": suite_name,
        "task": task.name,
        "game": task.game,
        "params": dict(task.params),
        "openings": task.openings,
        "opening_plies": task.opening_plies,
        "agents": list(agents),
        **rest,
    }
