"""Matches between agents, and what came of them.

`match` plays games, `schedule` says which are to be played, `local` and `ray_tasks` have them
played, `store` keeps them, `tournament` puts these together; `scores`, `sequential` and
`results` are the numbers, `tables` what is printed of them.
"""

from __future__ import annotations

from agents.analysis.intervals import wilson
from agents.arena.match import play_match, seats
from agents.arena.results import (
    PairResult,
    SoloResult,
    rated,
    report,
)
from agents.arena.scores import Scores
from agents.arena.tables import forfeit_lines, results_table
from agents.arena.tournament import round_robin, solos

__all__ = [
    "PairResult",
    "Scores",
    "SoloResult",
    "forfeit_lines",
    "play_match",
    "rated",
    "report",
    "results_table",
    "round_robin",
    "seats",
    "solos",
    "wilson",
]
