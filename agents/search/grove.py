"""Trees that one thread grows side by side, and how a part of them goes to another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Words
from agents.search.slots import Slot
from agents.search.tree import Tree
from boardenvs.game import States

__all__ = ["Grove"]


@dataclass
class Grove:
    """Trees, one for each of N states, and their leaves that wait for an evaluation."""

    states: States
    words: Words
    noise: npt.NDArray[np.float32]
    """Shape (N, num_actions), or (N, 0) for none."""
    forest: Tree
    """N trees or more, of which the first N count."""
    found: Sequence[npt.NDArray[Any]]
    """Where to write what is found, N rows each."""
    slots: list[Slot]
    is_parted: bool = False
    """Whether somebody else has some of the forest's trees."""

    def part(self, slot: Slot) -> Grove | None:
        """Give the half of the trees that are still growing away, the later ones.

        Args:
            slot: the one whose turn it is; it becomes the other grove's first. The leaves in all
                slots have been judged.

        Returns:
            The other trees; `None` if no two are growing.
        """
        growing = np.unique(np.concatenate([one.owners[: one.num, 0] for one in self.slots]))
        if len(growing) < 2:
            return None
        middle = int(growing[len(growing) // 2])
        here = self.slots.index(slot)
        self.is_parted = True
        other = Grove(
            self.states[middle:],
            self.words[middle:],
            self.noise[middle:],
            Tree._make(array[middle:] for array in self.forest),
            [array[middle:] for array in self.found],
            [one.part(middle) for one in self.slots[here:] + self.slots[:here]],
            is_parted=True,
        )
        self.states, self.words = self.states[:middle], self.words[:middle]
        self.noise = self.noise[:middle]
        self.found = [array[:middle] for array in self.found]
        return other
