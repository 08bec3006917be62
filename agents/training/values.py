"""The fit of the values: the finished policy plays all seats, and its values learn the results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.networks.policy_networks import copied
from agents.networks.sizes import Games
from agents.training.imitation import Imitation
from agents.training.selves import PolicyAgent
from agents.training.settings import CloningSettings

__all__ = ["Values"]


class Values(Imitation):
    """Imitation of the policy by itself: its values learn, and its actions stay the same."""

    name = "values"
    ends_early = False

    def __init__(
        self,
        games: Games,
        shares: Sequence[float],
        policy: Any,
        settings: CloningSettings,
        seed: int,
    ) -> None:
        """Create the part; see `Imitation`. The policy at the first `advance` plays all games."""
        self._players = [PolicyAgent(game, policy) for game in games]
        super().__init__(games, shares, policy, settings, seed, self._players)

    def advance(self) -> dict[str, float]:
        """Advance as `Imitation`."""
        if not self.steps:
            self._set_player()
        return super().advance()

    def _set_player(self) -> None:
        """Let a copy of the policy play all seats from now on."""
        player = copied(self.policy)
        for one in self._players:
            one.policy = player
        self.fitter.teacher = player

    def state(self) -> dict[str, Any]:
        """Return the complete state; see `Part.state`."""
        return {**super().state(), "player": self._players[0].policy.state_dict()}

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore `state()`; see `Part.load_state`."""
        super().load_state(state)
        self._set_player()
        self._players[0].policy.load_state_dict(state["player"])
