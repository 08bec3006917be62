"""PettingZoo's environments for libraries that make a number of everything in `infos`."""

from __future__ import annotations

from typing import Any

from pettingzoo.utils import BaseWrapper

__all__ = ["WithoutInfo"]


class WithoutInfo(BaseWrapper):
    """An AEC environment whose infos are empty.

    Those of Dominoes 175 and of the pizza order are pairs, lists or `None`, of which Tianshou
    and TorchRL cannot make arrays; what they tell is in the observation, too.
    """

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """An empty dictionary for every agent."""
        return {agent: {} for agent in self.env.infos}
