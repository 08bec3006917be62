"""Learners of other libraries as functions for `agents.check_learner`.

Each function sets up a library as its own pages or examples do. The time becomes a number of steps,
so that results do not depend on the load of the machine.
"""

from __future__ import annotations

__all__ = ["STEPS"]

STEPS = 2000
"""Steps of the environment for each second of a training."""
