"""The learner as an agent: as it is now, and as it was earlier."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agents.agent import Actions, Agent, RandomBits
from agents.players.choice import masked_choice
from boardenvs.game import Game, States

__all__ = ["EarlierSelves", "PolicyAgent"]

_MEMORY = 200
"""Games over which a self's score is averaged, about."""
_LEAST = 0.05
"""Weight of a self that loses every game. The learner may forget how to beat such a self."""


class PolicyAgent(Agent):
    """Plays by a policy in training, as the policy is at that moment; legal actions only.

    A `BoardPolicy` plays on a board of any size. A model of Stable-Baselines3 (`agents.from_sb3`)
    plays only on the size that it was made for.
    """

    def __init__(
        self, game: Game, policy: Any = None, temperature: float = 0.0, spec: str = "policy"
    ) -> None:
        """Set up.

        Args:
            game: what is played.
            policy: an `agents.networks.policy_networks.PlainPolicy` that fits the game. `None` if
                the attribute `policy` is set later, but before the first choice.
            temperature: 0 takes the most probable action; 1 draws from the policy.
            spec: the name it goes by.
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
    """One of the learner's earlier selves at a time, drawn anew by `draw`.

    A self is drawn in proportion to `(1 - score)**2`, the learner's score against it, so
    that the hardest come oftenest: prioritised fictitious self-play, from O. Vinyals et al.,
    "Grandmaster level in StarCraft II using multi-agent reinforcement learning", Nature 575
    (2019).
    """

    def __init__(self, game: Game, size: int, num_games: int, seed: int) -> None:
        """Set up; `attach` follows, and begins with the learner as it is then.

        Args:
            game: what is played.
            size: how many earlier selves are kept. With one more, a random one of the older
                half goes, so that old ones get fewer but do not vanish.
            num_games: games side by side, which `note` reports.
            seed: of the draws.
        """
        super().__init__(game, None, 1.0, "earlier self")
        self.selves: list[dict[str, Any]] = []
        self.scores: list[float] = []
        """The learner's score against each, as far as it is known; at first 0.5."""
        self.draws = np.random.default_rng(seed)
        self._size = size
        self._playing = 0
        self._began_before = np.ones(num_games, np.bool_)
        self._finished = 0
        self._model: Any = None

    def attach(self, model: Any) -> None:
        self._model = model
        self.policy = copy.deepcopy(model.policy)
        self.remember()

    def remember(self) -> None:
        """Keep the learner as it is now among the earlier selves."""
        weights = {k: v.detach().clone() for k, v in self._model.policy.state_dict().items()}
        self.selves.append(weights)
        self.scores.append(0.5)
        if len(self.selves) > self._size:
            gone = int(self.draws.integers(len(self.selves) // 2))
            del self.selves[gone], self.scores[gone]
            if gone == self._playing:
                self._playing = -1  # it plays on until the next draw, but is not counted
            elif gone < self._playing:
                self._playing -= 1

    def note(self, over: npt.NDArray[np.bool_], rewards: npt.NDArray[np.float32]) -> None:
        """Update the score against the self that plays, from the games that ended.

        Args:
            over: which of the games ended in this step, shape (num_games,).
            rewards: the learner's, shape (num_games,).
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
        """Draw the self that plays from now on, if enough games of the present one have ended."""
        if self._playing >= 0 and self._finished < len(self._began_before):
            return
        weights = (1 - np.array(self.scores)) ** 2 + _LEAST
        self._playing = int(self.draws.choice(len(self.selves), p=weights / weights.sum()))
        self.policy.load_state_dict(self.selves[self._playing])
        self._began_before[:] = True
        self._finished = 0

    def state(self) -> dict[str, Any]:
        """Return the selves, the scores and the generator, for `load_state`."""
        draws = json.dumps(self.draws.bit_generator.state)
        return {"selves": self.selves, "scores": self.scores, "draws": draws}

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on from `state`. The next self is drawn anew."""
        self.selves, self.scores = list(state["selves"]), list(state["scores"])
        self.draws.bit_generator.state = json.loads(state["draws"])
        self._playing = -1
