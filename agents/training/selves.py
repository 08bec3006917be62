"""The learner and its earlier selves as agents."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agents.agent import Actions, Agent, RandomBits
from agents.players.choice import masked_choice
from agents.training.part import generator_state, set_generator
from boardenvs.game import Game, States

__all__ = ["EarlierSelves", "PolicyAgent"]

_MEMORY = 200
"""Approximate number of games over which a self's score is averaged."""
_LEAST = 0.05
"""Weight of a self that loses every game. The learner may forget how to beat the self."""


class PolicyAgent(Agent):
    """An agent that plays legal actions of a policy during its training.

    A `BoardPolicy` supports boards of any size. A model of Stable-Baselines3 (`agents.from_sb3`)
    supports only the size that it was made for.
    """

    def __init__(
        self, game: Game, policy: Any = None, temperature: float = 0.0, spec: str = "policy"
    ) -> None:
        """Create the agent.

        Args:
            game: the game to play.
            policy: an `agents.networks.policy_networks.PlainPolicy` that fits the game; `None` if
                the attribute `policy` is set before the first choice.
            temperature: 0 takes the most probable action; 1 samples from the policy.
            spec: name of the agent.
        """
        super().__init__(game, 0, spec)
        self.policy = policy
        self.temperature = temperature
        self.deterministic = temperature == 0

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        if not len(states):
            return np.zeros(0, np.int64)
        seen = torch.from_numpy(self.game.observe_to_move(states))
        with torch.inference_mode():
            logits = self.policy.logits(seen.to(self.policy.device)).cpu().numpy()
        return masked_choice(logits, self.game.legal(states), self.temperature, random_bits)


class EarlierSelves(PolicyAgent):
    """An agent that plays as one of the learner's earlier selves, sampled by `draw`.

    The probability of a self is proportional to `(1 - score)**2`, where `score` is the learner's
    score against the self. So the strongest selves play most often: prioritised fictitious
    self-play, from O. Vinyals et al., "Grandmaster level in StarCraft II using multi-agent
    reinforcement learning", Nature 575 (2019).
    """

    def __init__(self, game: Game, size: int, num_games: int, seed: int) -> None:
        """Create the agent; `attach` must follow.

        Args:
            game: the game to play.
            size: maximum number of earlier selves. A further self replaces a random one of the
                older half, so that old selves become rarer but do not vanish.
            num_games: number of parallel games, for `note`.
            seed: seed of the samples.
        """
        super().__init__(game, None, 1.0, "earlier self")
        self.selves: list[dict[str, Any]] = []
        self.scores: list[float] = []
        """The learner's estimated score against each self, initially 0.5."""
        self.draws = np.random.default_rng(seed)
        self._size = size
        self._playing = 0
        self._began_before = np.ones(num_games, np.bool_)
        self._finished = 0
        self._model: Any = None

    def attach(self, model: Any) -> None:
        """Set the learner's model, and remember its current policy."""
        self._model = model
        self.policy = copy.deepcopy(model.policy)
        self.remember()

    def remember(self) -> None:
        """Add the current learner to the earlier selves."""
        weights = {k: v.detach().clone() for k, v in self._model.policy.state_dict().items()}
        self.selves.append(weights)
        self.scores.append(0.5)
        if len(self.selves) > self._size:
            gone = int(self.draws.integers(len(self.selves) // 2))
            del self.selves[gone], self.scores[gone]
            if gone == self._playing:
                self._playing = -1  # plays until the next draw, but without a score
            elif gone < self._playing:
                self._playing -= 1

    def note(self, over: npt.NDArray[np.bool_], rewards: npt.NDArray[np.float32]) -> None:
        """Update the score against the current self, from the games that ended.

        Args:
            over: whether each game ended in this step, shape (num_games,).
            rewards: rewards of the learner, shape (num_games,).
        """
        counted = over & ~self._began_before  # the others began against another self
        self._began_before &= ~over
        if self._playing < 0:
            return
        for reward in rewards[counted]:
            score = (1 + float(np.clip(reward, -1, 1))) / 2
            self.scores[self._playing] += (score - self.scores[self._playing]) / _MEMORY
        self._finished += int(counted.sum())

    def draw(self) -> None:
        """Sample the self that plays next, if enough games of the current self have ended."""
        if self._playing >= 0 and self._finished < len(self._began_before):
            return
        weights = (1 - np.array(self.scores)) ** 2 + _LEAST
        self._playing = int(self.draws.choice(len(self.selves), p=weights / weights.sum()))
        self.policy.load_state_dict(self.selves[self._playing])
        self._began_before[:] = True
        self._finished = 0

    def state(self) -> dict[str, Any]:
        """Return the selves, the self that plays and the generator, for `load_state`."""
        return {
            "selves": self.selves,
            "scores": self.scores,
            "draws": generator_state(self.draws),
            "policy": self.policy.state_dict(),
            "playing": self._playing,
            "began_before": torch.from_numpy(self._began_before.copy()),
            "finished": self._finished,
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore the selves from `state`."""
        self.selves, self.scores = list(state["selves"]), list(state["scores"])
        set_generator(self.draws, state["draws"])
        self.policy.load_state_dict(state["policy"])
        self._playing, self._finished = state["playing"], state["finished"]
        self._began_before = state["began_before"].numpy().copy()
