"""Matches between agents, and their results.

`match` plays games, `schedule` lists the games to play, `workers` play them in processes or on Ray,
`storage` keeps them, and `tournament` combines these. `scores`, `ratings`, `sequential` and
`results` compute the numbers; `tables` and `page` display them.
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
