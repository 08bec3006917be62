"""The mixed agent, which plays some moves at random and the others as another agent."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from agents.naming.spec import Spec
from agents.players.random import RandomAgent
from boardenvs.core.chance import next_bits
from boardenvs.core.checks import whole_number
from boardenvs.envs.opponents import Opponent
from boardenvs.game import Game, States

__all__ = ["MixedAgent"]

_PARTS = 100


class MixedAgent(Agent):
    """An agent that plays each move either at random or as another agent.

    Its strength lies between `random` and the other agent, so it fills gaps in a ladder of agents.
    """

    def __init__(
        self, game: Game, percent: int, agent: Spec, seed: int | None = None, spec: str = ""
    ) -> None:
        """Create the agent.

        Args:
            game: the game to play.
            percent: share of uniformly random moves in percent, from 0 to 100.
            agent: the agent that plays the other moves.
            seed: seed of the choice and of the other agent.
            spec: name of the agent; by default "mixed:PERCENT:AGENT".

        Raises:
            ValueError: `percent` is out of range, or `agent` cannot be made.
        """
        super().__init__(game, seed, spec or f"mixed:{percent}:{agent}")
        self.percent = whole_number("percent", percent, 0, _PARTS)
        self.agent: Agent | Opponent = agent.make(seed)
        self.repeatable = getattr(self.agent, "repeatable", True)
        self.one_game_at_a_time = getattr(self.agent, "one_game_at_a_time", False)
        self._random = RandomAgent(game, seed)

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        streams = random_bits.copy()
        at_random = next_bits(streams) % np.uint64(_PARTS) < self.percent
        theirs = next_bits(streams)
        actions = np.empty(len(states), np.int64)
        if at_random.any():
            actions[at_random] = self._random.choose(states[at_random], theirs[at_random])
        others = ~at_random
        if others.any():
            if isinstance(self.agent, Agent):
                actions[others] = self.agent.choose(states[others], theirs[others])
            else:
                actions[others] = self.game.arrays.action_numbers(
                    self.agent.act(states[others]), int(others.sum())
                )
        return actions

    def check_can_play(self, states: States) -> None:
        """Check that the other agent can play from these states."""
        if isinstance(self.agent, Agent):
            self.agent.check_can_play(states)

    def policies(self, states: States) -> npt.NDArray[np.float64]:
        """Return the mixed probabilities, if the other agent has any; see `Agent.policies`."""
        if not isinstance(self.agent, Agent):
            return super().policies(states)
        share = self.percent / _PARTS
        mixed: npt.NDArray[np.float64] = share * self._random.policies(states) + (
            1 - share
        ) * self.agent.policies(states)
        return mixed
