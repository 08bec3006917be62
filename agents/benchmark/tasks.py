"""The tasks of a suite: the games, openings and reference agents of a benchmark.

The reference agents of a task are a ladder, weakest agent first. The stronger of two neighbours
scores 0.55 to 0.85. Between agents that are farther apart, there are agents that play some of their
moves at random (`mixed:PERCENT:AGENT`). In a game for more than two players, two agents share the
seats in every way, and the agent with the better mean result wins. Agents of a task for one player
have no ratings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import boardenvs
from boardenvs.core.checks import one_of
from boardenvs.game import Game

__all__ = ["SUITES", "Task", "suite"]


@dataclass(frozen=True)
class Task:
    """One game with its parameters and reference agents."""

    name: str
    """Name of the task, such as "gomoku-9x9"."""
    game: str
    """Name of the game."""
    agents: tuple[str, ...]
    """Specs of the reference agents, the weakest first."""
    params: Mapping[str, Any] = field(default_factory=dict)
    openings: str | None = None
    """Name of the openings, if the games use any."""
    opening_plies: int = 0
    """Number of random plies at the start of every game; both games of a pair share them."""
    solved: bool = False
    """Whether the card also has the distance from perfect play."""
    aim: float = 50.0
    """Half the width of the rating's interval at which the task ends, in points."""

    def make(self) -> Game:
        """Return the game."""
        return boardenvs.make(self.game, **self.params)


def _mixes(agent: str, *percents: int) -> tuple[str, ...]:
    return tuple(f"mixed:{percent}:{agent}" for percent in percents)


_V1 = (
    Task(
        "gekitai",
        "gekitai",
        (
            "random",
            *_mixes("greedy", 80, 50, 20),
            "greedy",
            "mcts:50",
            "mcts:100",
            "mcts:400",
            "trained",
            "puct:10",
            "puct:50",
            "puct:200",
        ),
        openings="balanced",
        solved=True,
    ),
    Task(
        "gomoku-9x9",
        "gomoku",
        (
            "random",
            *_mixes("greedy", 95, 88, 75, 60, 40, 20, 8),
            "greedy",
            "threats:5000",
        ),
        {"board_size": 9},
        openings="balanced",
    ),
    Task(
        "gomoku-15x15",
        "gomoku",
        (
            "random",
            *_mixes("greedy", 97, 92, 82, 66, 50, 32, 16, 6),
            "greedy",
            "threats:100",
            "threats:500",
            "threats:1500",
            "threats:5000",
        ),
        openings="balanced",
    ),
    Task(
        "game112",
        "game112",
        ("random", *_mixes("greedy", 60, 20), "greedy"),
        opening_plies=2,
        solved=True,
    ),
    Task(
        "goat_race-2",
        "goat_race",
        ("random", *_mixes("greedy", 70, 40), "greedy", "trained", "puct:200"),
        {"num_players": 2},
    ),
    Task(
        "goat_race-3",
        "goat_race",
        ("random", *_mixes("greedy", 70, 40), "greedy", "trained", "puct:200"),
        {"num_players": 3},
    ),
    Task(
        "goat_race-4",
        "goat_race",
        ("random", *_mixes("greedy", 70, 40), "greedy", "trained", "puct:200"),
        {"num_players": 4},
    ),
    Task("dominoes175", "dominoes175", ("random", "greedy", "trained", "perfect")),
    Task("pizza_order", "pizza_order", ("random", "trained", "greedy")),
)
SUITES = {"v1": _V1}
"""The tasks of each suite, in order. A published suite never changes."""


def suite(name: str) -> dict[str, Task]:
    """Return the tasks of a suite by name.

    Raises:
        ValueError: the suite does not exist.
    """
    one_of("suite", name, SUITES)
    return {task.name: task for task in SUITES[name]}
