"""The tasks of a suite: which games a benchmark plays, from which openings, against which agents.

A task of several agents has a ladder, weakest agent first. Of neighbours, the stronger one scores
0.55 to 0.85; where agents lie farther apart, rungs between them play some of their moves at random
(`mixed:PERCENT:AGENT`). In a game for more than two, two agents share the seats in every way, and
whose seats do better on average has won. A task for one player has the same agents without ratings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import boardenvs
from boardenvs.game import Game

__all__ = ["SUITES", "Task", "suite"]


@dataclass(frozen=True)
class Task:
    """One game with its parameters, and who is there to play against."""

    name: str
    """What it goes by, such as "gomoku-9x9"."""
    game: str
    agents: tuple[str, ...]
    """The specs of the reference agents, the weakest first."""
    params: Mapping[str, Any] = field(default_factory=dict)
    openings: str | None = None
    """The name of the openings with which games begin, if they do."""
    opening_plies: int = 0
    """Random plies with which every game begins, seats swapped after it."""
    solved: bool = False
    """Whether it is told how near a policy comes to perfect play, beside its rating."""
    aim: float = 50.0
    """How narrow a rating is to become: half its interval's width; for one player in games won."""

    def make(self) -> Game:
        """The game."""
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
        ("random", *_mixes("greedy", 70, 40), "greedy", "trained"),
        {"num_players": 3},
    ),
    Task(
        "goat_race-4",
        "goat_race",
        ("random", *_mixes("greedy", 70, 40), "greedy", "trained"),
        {"num_players": 4},
    ),
    Task("dominoes175", "dominoes175", ("random", "greedy", "trained", "perfect")),
    Task("pizza_order", "pizza_order", ("random", "trained", "greedy")),
)
SUITES = {"v1": _V1}
"""The tasks of each suite, in order. A suite that was published does not change."""


def suite(name: str) -> dict[str, Task]:
    """The tasks of a suite by their names.

    Raises:
        ValueError: there is no such suite.
    """
    if name not in SUITES:
        raise ValueError(f"there is no suite {name!r}; there is {', '.join(SUITES)}")
    return {task.name: task for task in SUITES[name]}
