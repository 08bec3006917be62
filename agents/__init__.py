"""Players for the games of boardenvs: baselines, trained agents, and matches between them.

Modules for all games are here or in the folder of their subject. Modules for one game are in the
folder of that game: see `agents.games`.
"""

from __future__ import annotations

from agents.agent import Agent
from agents.analysis.exploitability import exploitability
from agents.arena import Scores, play_match
from agents.benchmark import benchmark
from agents.naming.spec import make
from agents.naming.tables import SPECS
from agents.naming.user_code import allow
from agents.players.sb3 import from_sb3
from agents.players.text.agent import from_text

__all__ = [
    "SPECS",
    "Agent",
    "Scores",
    "allow",
    "benchmark",
    "exploitability",
    "from_sb3",
    "from_text",
    "make",
    "play_match",
]
