"""The check of a learner on the probe games: "is my learner right?"."""

from __future__ import annotations

from agents.checking.check import check_learner
from agents.checking.report import LearnerReport, ProbeResult

__all__ = ["LearnerReport", "ProbeResult", "check_learner"]
