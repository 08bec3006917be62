"""`Batch`: some games of one match as plain values, which any process can play."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.arena.games import Games, Numbers
from agents.arena.match import Match
from agents.naming.spec import Spec
from agents.seeds import agent_seed
from boardenvs.envs.opponents import Opponent
from boardenvs.kernels.interpreting import compile_first

__all__ = ["Batch", "Players", "play_batch"]


@dataclass(frozen=True)
class Batch:
    """Everything that is needed to play some games. A batch can be pickled."""

    match: int
    """Index of the match in the schedule."""
    specs: tuple[Spec, ...]
    """The agents."""
    seed: int
    """Seed of the match."""
    opening_plies: int
    numbers: Numbers
    """Numbers of the games in the match, shape (N,)."""
    openings: str | None = None
    """Name of the openings, if the games use any."""


class Players:
    """Agents of one seed, each created when it is first needed."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._made: dict[tuple[Spec, int], Opponent] = {}

    def get(self, spec: Spec, place: int) -> Opponent:
        """Return the agent in a place of its match, with its own seed.

        Raises:
            ValueError: as `Spec.make`.
        """
        if (spec, place) not in self._made:
            self._made[spec, place] = spec.make(agent_seed(self._seed, place))
        return self._made[spec, place]

    def match(
        self, specs: Sequence[Spec], opening_plies: int | None = None, openings: str | None = None
    ) -> Match:
        """Return a match of these agents, with the arguments of `Match`.

        Raises:
            ValueError: an agent cannot be made, or as `Match`.
        """
        agents = [self.get(spec, place) for place, spec in enumerate(specs)]
        return Match(specs[0].game, agents, self._seed, opening_plies, openings)


def play_batch(batch: Batch, players: Players | None = None) -> Iterator[Games | None]:
    """Play a batch.

    Args:
        batch: the games to play.
        players: agents of the same seed; by default new ones.

    Yields:
        As `Match.play`. The games do not depend on the process or the rest of the batch.

    Raises:
        ValueError: an agent cannot be made, fails, or returns an invalid answer.
    """
    players = players or Players(batch.seed)
    match = players.match(batch.specs, batch.opening_plies, batch.openings)
    with compile_first():  # compiling pays for many matches
        yield from match.play(batch.numbers)
