"""How a person's game begins, in the terminal as in the page: who plays, and what is dealt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.agent import check_can_play
from agents.making import make
from agents.seeds import agent_seed, fresh_seed
from boardenvs.core.chance import make_streams, one_way, seed_word
from boardenvs.game import Game, States

__all__ = ["Deal", "Setup"]


class Deal(NamedTuple):
    """What one game begins with."""

    start: States
    """The position, shape (1,)."""
    stream: npt.NDArray[np.uint64]
    """What the game's own random stream starts with, shape (1,)."""

    @property
    def opponents(self) -> npt.NDArray[np.uint64]:
        """The opponents' random stream, from which nothing can be told of the game's."""
        return one_way(self.stream, "players")


class Setup:
    """The agents that persons meet, and what is dealt.

    The same seed gives the same agents and the same deals.

    Attributes, not to be changed:
        game: what is played, a `Game`.
        opponents: the specs of the agents in the seats that no person has, in their order, a tuple
            of str; where persons have all seats, whoever was named.
        seed: of everything random, an int.
    """

    def __init__(
        self, game: Game, opponents: Sequence[str], seats: Sequence[int], seed: int | None
    ) -> None:
        """Make the agents.

        Args:
            game: what is played.
            opponents: specs, one for all other seats or one for each of them in order.
            seats: the persons'.
            seed: of everything random; `None` for a fresh one.

        Raises:
            ValueError: there is no such opponent, it cannot play the game, or they are too few or
                too many.
        """
        others = [seat for seat in range(game.num_players) if seat not in seats]
        if len(opponents) not in (1, len(others)):
            raise ValueError(
                f"expected one opponent for all other seats, or one for each of the {len(others)}, "
                f"got {len(opponents)}: {', '.join(opponents)}"
            )
        self.game = game
        one_for_all = len(opponents) == 1
        self.opponents = tuple(opponents) * (max(1, len(others)) if one_for_all else 1)
        self.seed = fresh_seed() if seed is None else seed
        self._specs = dict(zip(others, self.opponents, strict=False))
        # Of the further places 1 is the adviser's, 2 the next game's.
        self._agents = {
            spec: make(spec, game, agent_seed(self.seed, place + 2 if place else 0))
            for place, spec in enumerate(dict.fromkeys(self.opponents))
        }
        for agent in self._agents.values():
            check_can_play(agent, self.deal(0).start)

    @property
    def agents(self) -> Mapping[str, Any]:
        """Each agent that plays, by its spec."""
        return {spec: self._agents[spec] for spec in self._specs.values()}

    def spec(self, seat: int) -> str:
        """Of the agent that has a seat."""
        return self._specs[seat]

    def deal(self, number: int) -> Deal:
        """The beginning of a game, by its number from 0."""
        stream = make_streams(seed_word(self.seed), number + 1)[-1:]
        return Deal(self.game.arrays.new(stream), stream)
