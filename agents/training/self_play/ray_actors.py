"""The actors of a run on a Ray cluster, one on each of its cores.

Each is a process that plays by the code that plays locally
(`agents.training.self_play.actors.Actor`). What it has played comes back by Ray's object store, and
with every answer it gets the network as it is then. An actor has one order at a time, so it never
runs ahead of the learner by more than that; and the learner takes the gradient steps that the new
samples are worth, so it never runs ahead of the actors. An actor that is lost takes its unfinished
games with it, and another begins in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agents.agent import one_line
from agents.networks.sizes import Sizes
from agents.training.self_play.actors import Actor, games_of_actors
from agents.training.self_play.policy_evaluator import Network
from agents.training.self_play.searched_games import Played
from agents.training.settings import GuidedSettings
from boardenvs.game import Game
from boardenvs.kernels.interpreting import compile_first

__all__ = ["RayActors"]

_LOOK = 10.0
"""Seconds without news after which the cluster's cores are counted again."""
_LOSSES = 3
"""In a row for each actor, without anything played by any, until the run ends."""


class RayActors:
    """Actors on every core of the cluster that this process is connected to.

    A single one stops while the network learns: it then does what one local actor does. Of several,
    whoever has played goes on at once, by the network before these gradient steps, so that the
    order in which they answer decides what is learned from first.
    """

    def __init__(
        self,
        ray: Any,
        game: Game | Sizes,
        settings: GuidedSettings,
        seed: int,
        opponents: Sequence[str],
    ) -> None:
        """Begin the games.

        Args:
            ray: the module, connected (see `agents.arena.workers.cluster.joined`).
            game: as for `agents.training.self_play.actors.Actor`, as are the rest. Of the settings'
                games each actor has as many as a local one has at most.
            settings: see there.
            seed: see there.
            opponents: see there.

        Raises:
            ValueError: the cluster has no core, or the boards are of several sizes.
        """
        if isinstance(game, Sizes):
            raise ValueError(f"Ray requires one board size, got {game!r}: use --engine local")
        self._ray = ray
        self._plies = settings.plies
        self._given = game, settings, games_of_actors(settings)[0], seed
        self._opponents = list(opponents)
        self._make = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Remote)
        self._number = 0  # of actors, so far
        self._free: list[Any] = []
        self._playing: dict[Any, Any] = {}  # from what is to come to who plays it
        self._sent: tuple[Network, Any] | None = None  # the last network, and where it lies
        self._losses = 0
        if not self.cores():
            raise ValueError("the Ray cluster must have at least one CPU core, got 0")

    def cores(self) -> int:
        """Of the cluster as it is now."""
        return int(self._ray.cluster_resources().get("CPU", 0))

    @property
    def ahead(self) -> bool:
        """Whether there are several."""
        return len(self._free) + len(self._playing) > 1

    def begin(self, network: Network) -> None:
        """As `Actors.begin`; actors begin on cores that have none yet."""
        while len(self._free) + len(self._playing) < self.cores():
            self._free.append(self._make.remote(*self._given, self._number, self._opponents))
            self._number += 1
        if self._sent is None or self._sent[0] != network:
            self._sent = network, self._ray.put(network)
        for actor in self._free:
            self._playing[actor.play.remote(self._sent[1], self._plies)] = actor
        self._free = []

    def wait(self) -> None:
        """Until an actor has played."""
        while self._playing and not self._ray.wait(list(self._playing), timeout=_LOOK)[0]:
            if self._sent is not None:
                self.begin(self._sent[0])  # where nodes have joined

    def finish(self) -> list[Played]:
        """What has come, in the order in which the actors were told to play.

        Raises:
            ValueError: an actor fails, or all are lost again and again.
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
                self._free.append(actor)  # what it played is lost; if it is as well, that is told
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
        """As `Actors.state`, without games: they stay where they are."""
        return {"number": self._number, "games": []}

    def load_state(self, state: dict[str, Any]) -> None:
        """All games begin anew, by actors that have not been."""
        for actor in [*self._free, *self._playing.values()]:
            self._ray.kill(actor)
        self._free, self._playing = [], {}
        self._number = state["number"]


class _Remote:
    """An actor in its process. It begins when it is first told to play: what fails then is told."""

    def __init__(self, *given: Any) -> None:
        self._given = given
        self._actor: Actor | None = None

    @compile_first()
    def play(self, network: bytes, plies: int) -> Played:
        if self._actor is None:
            self._actor = Actor(*self._given)
        return self._actor.play(network, plies)
