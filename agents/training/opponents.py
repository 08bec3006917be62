"""Who the learner plays against: fixed agents, its latest self, and earlier ones."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

import numpy as np

from agents.agent import Actions, Agent, Words
from agents.sb3 import SB3Agent
from boardenvs.game import Game, States

__all__ = ["EarlierSelves", "LatestSelf"]


class LatestSelf(Agent):
    """The learner as it is now; it draws its moves from its policy.

    The learner's model needs its opponents to be made, so `attach` follows later.
    """

    def __init__(self, game: Game) -> None:
        super().__init__(game, 0, "latest self")
        self._agent: SB3Agent | None = None

    def attach(self, model: Any) -> None:
        """Play as this model's policy."""
        self._agent = SB3Agent(model, self.game, temperature=1.0)

    def choose(self, states: States, words: Words) -> Actions:
        assert self._agent is not None, "attach comes first"
        return self._agent.choose(states, words)


class EarlierSelves(LatestSelf):
    """One of the learner's earlier selves at a time, drawn anew by `draw`."""

    def __init__(self, game: Game, size: int, seed: int) -> None:
        """Prepare; `attach` starts with the learner as it is then.

        Args:
            game: what is played.
            size: how many earlier selves are kept: when there is one more, a random one
                of the older half goes, so that old ones thin out but do not vanish.
            seed: of the draws.
        """
        super().__init__(game)
        self.spec = "earlier self"
        self.selves: list[dict[str, Any]] = []
        self.draws = np.random.default_rng(seed)
        self._size = size
        self._model: Any = None
        self._policy: Any = None

    def attach(self, model: Any) -> None:
        self._model = model
        self._policy = copy.deepcopy(model.policy)
        super().attach(
            SimpleNamespace(
                policy=self._policy,
                observation_space=model.observation_space,
                action_space=model.action_space,
            )
        )
        self.remember()

    def remember(self) -> None:
        """Keep the learner as it is now among the earlier selves."""
        weights = {k: v.detach().clone() for k, v in self._model.policy.state_dict().items()}
        self.selves.append(weights)
        if len(self.selves) > self._size:
            del self.selves[int(self.draws.integers(len(self.selves) // 2))]

    def draw(self) -> None:
        """Play as a random one of the earlier selves from now on."""
        self._policy.load_state_dict(self.selves[int(self.draws.integers(len(self.selves)))])
