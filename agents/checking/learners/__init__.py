"""Learners of libraries as functions for `agents.check_learner`.

Each function sets up a library as its own pages or examples do. The time becomes a number of steps,
so that results do not depend on the load of the machine. Each module has a tuple `LEARNERS`, whose
rows `python -m agents.checking.learners` measures.
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.checking.check import Train

__all__ = ["STEPS", "Learner"]

STEPS = 2000
"""Steps of the environment for each second of a training."""


@dataclass(frozen=True)
class Learner:
    """A row of the table of libraries."""

    about: str
    """Text for the table, without the library and its version."""
    train: Train
    """Function for `agents.check_learner`."""
    library: str
    """Name of the installed distribution, such as `sb3-contrib`."""
    seconds: float = 2
    """Time of each training, the third argument of `train`."""
    mends: str = ""
    """Setting that mends what is wrong."""

    @property
    def name(self) -> str:
        """The function, such as `sb3:dqn`."""
        return f"{self.train.__module__.rpartition('.')[2]}:{self.train.__name__}"
