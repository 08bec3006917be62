"""Actors of a run on a Ray cluster, one on each core.

Each actor is a process that runs the same code as local actors
(`agents.training.self_play.actors.Actor`). It returns its results through Ray's object store, and
then receives the current network. An actor has one task at a time, and the learner takes only the
gradient steps that are due for the new samples, so neither runs far ahead of the other. If an actor
is lost, its unfinished games are lost, and a new actor replaces it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agents.agent import one_line
from agents.networks.sizes import Games, described
from agents.training.self_play.actors import Actor, games_of_actors
from agents.training.self_play.policy_evaluator import Network
from agents.training.self_play.searched_games import Played
from agents.training.settings import GuidedSettings
from boardenvs.kernels.interpreting import compile_first

__all__ = ["RayActors"]

_LOOK = 10.0
"""Seconds without a result after which the cluster's cores are counted again."""
_LOSSES = 3
"""Consecutive losses for each core, without a result of any actor, that the run tolerates."""


class RayActors:
    """Actors on all cores of the cluster that this process is connected to.

    A single actor waits while the network learns, so it plays the same games as one local actor.
    Several actors continue at once with the previous network, so the samples arrive in an order
    that is not reproducible.
    """

    def __init__(
        self,
        ray: Any,
        games: Games,
        shares: Sequence[float],
        settings: GuidedSettings,
        seed: int,
        opponents: Sequence[str],
    ) -> None:
        """Set up the actors, which start with the first `begin`.

        Args:
            ray: the connected module `ray` (see `agents.arena.workers.cluster.joined`).
            games: the game to play, on one board size.
            shares: shares of the sizes, which are not used.
            settings: settings of self-play. Each actor plays as many games as the first local actor
                would.
            seed: seed of the run.
            opponents: specs of the fixed opponents.

        Raises:
            ValueError: the cluster has no cores, or the game has several board sizes.
        """
        if len(games) > 1:
            raise ValueError(
                f"Ray requires one board size, got {described(games)}: use --engine local"
            )
        self._ray = ray
        self._plies = settings.plies
        self._given = games[0], settings, games_of_actors(settings)[0], seed
        self._opponents = list(opponents)
        self._make = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Remote)
        self._number = 0  # total of actors so far
        self._free: list[Any] = []
        self._playing: dict[Any, Any] = {}  # actors by the references of their results
        self._sent: tuple[Network, Any] | None = None  # the last network and its reference
        self._losses = 0
        if not self.cores():
            raise ValueError("the Ray cluster must have at least one CPU core, got 0")

    def cores(self) -> int:
        """Return the current number of cores of the cluster."""
        return int(self._ray.cluster_resources().get("CPU", 0))

    @property
    def ahead(self) -> bool:
        """Whether there are several actors."""
        return len(self._free) + len(self._playing) > 1

    def begin(self, network: Network) -> None:
        """Start all free actors, and new actors on cores without one; see `Actors.begin`."""
        while len(self._free) + len(self._playing) < self.cores():
            self._free.append(self._make.remote(*self._given, self._number, self._opponents))
            self._number += 1
        if self._sent is None or self._sent[0] != network:
            self._sent = network, self._ray.put(network)
        for actor in self._free:
            self._playing[actor.play.remote(self._sent[1], self._plies)] = actor
        self._free = []

    def wait(self) -> None:
        """Wait until an actor has finished."""
        while self._playing and not self._ray.wait(list(self._playing), timeout=_LOOK)[0]:
            if self._sent is not None:
                self.begin(self._sent[0])  # nodes may have joined

    def finish(self) -> list[Played]:
        """Return the results that have arrived, in the order in which the actors were started.

        Raises:
            ValueError: an actor fails, or actors are lost repeatedly.
        """
        waiting = list(self._playing)
        come = set(self._ray.wait(waiting, num_returns=len(waiting), timeout=0)[0])
        return list(self._taken([one for one in waiting if one in come]))

    def _taken(self, come: Sequence[Any]) -> Iterator[Played]:
        errors = self._ray.exceptions
        for one in come:
            actor = self._playing.pop(one)
            try:
                played = self._ray.get(one)
            except errors.RayTaskError as error:
                cause = error.cause
                said = str(cause) if isinstance(cause, ValueError) else one_line(cause)
                raise ValueError(said) from error
            except errors.ObjectLostError:
                self._free.append(actor)  # if the actor is lost too, its next call fails
                self._lost()
            except errors.RayActorError as error:
                self._lost(error)
            else:
                self._losses = 0
                self._free.append(actor)
                yield played

    def _lost(self, error: Exception | None = None) -> None:
        self._losses += 1
        if self._losses > _LOSSES * max(1, self.cores()):
            reason = f": {one_line(error)}" if error else ""
            raise ValueError(
                f"actors on Ray failed {self._losses} times in a row without a result{reason}"
            )

    def state(self) -> dict[str, Any]:
        """Return the state without games, which stay on the cluster; see `Actors.state`."""
        return {"number": self._number, "games": []}

    def load_state(self, state: dict[str, Any]) -> None:
        """Replace all actors by new ones, which start new games."""
        for actor in [*self._free, *self._playing.values()]:
            self._ray.kill(actor)
        self._free, self._playing = [], {}
        self._number = state["number"]


class _Remote:
    """An actor in its process, created in the first `play`, so that the caller gets its errors."""

    def __init__(self, *given: Any) -> None:
        self._given = given
        self._actor: Actor | None = None

    @compile_first()
    def play(self, network: bytes, plies: int) -> Played:
        if self._actor is None:
            self._actor = Actor(*self._given)
        return self._actor.play(network, plies)
