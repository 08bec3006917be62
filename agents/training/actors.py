"""Actors: each plays a group of searched games, guided by the network that it was sent last."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.making import make
from agents.training.guided_settings import GuidedSettings
from agents.training.policy_evaluator import Judge, PolicyEvaluator
from agents.training.replay_buffer import Samples
from agents.training.searched_games import SearchedGames
from boardenvs.game import Game

__all__ = ["Actor", "LocalActors", "Played"]


class Played(NamedTuple):
    """What some plies in all games of an actor brought."""

    samples: Samples
    """Of the games that ended, values filled in."""
    searched: int
    """Positions, by full searches or cheap ones."""
    lengths: npt.NDArray[np.int32]
    """Of the games that ended, in plies."""


class Actor:
    """A group of games whose play depends on nothing but its seed and the networks it is sent."""

    def __init__(
        self,
        game: Game,
        settings: GuidedSettings,
        number: int,
        seed: int,
        opponents: Sequence[str],
    ) -> None:
        """Begin the games.

        Args:
            game: what is played.
            settings: how; the actors share the games out.
            number: of the actor, from 0.
            seed: of the run.
            opponents: specs of the fixed ones.

        Raises:
            ValueError: an opponent cannot be made, or does not play many games at once.
        """
        others = []
        for spec in opponents:
            other = make(spec, game, seed)
            if not isinstance(other, Agent):
                raise ValueError(f"{spec!r} cannot play against searches: it is no Agent")
            others.append(other)
        self._rng = np.random.default_rng([seed, number])
        self._evaluator = PolicyEvaluator(game, _nobody)
        num = len(range(number, settings.games, settings.actors))
        self._games = SearchedGames(
            game, settings, self._rng, self._evaluator, others, num=num, threads=1
        )

    def play(self, judge: Judge, plies: int) -> Played:
        """So many plies in each game.

        Args:
            judge: the network as it is now.
            plies: how many.
        """
        self._evaluator.judge_by(judge)
        played = [self._games.play_ply() for _ in range(plies)]
        return Played(
            np.concatenate([each.samples for each in played]),
            sum(each.searched for each in played),
            np.concatenate([each.lengths for each in played]),
        )

    def state(self) -> dict[str, Any]:
        """The games under way, for `load_state`."""
        return {"games": self._games.state(), "rng": json.dumps(self._rng.bit_generator.state)}

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on from `state()` of the same actor of a run with the same settings."""
        self._games.load_state(state["games"])
        self._rng.bit_generator.state = json.loads(state["rng"])


def _nobody(seen: npt.NDArray[np.int8]) -> Any:
    raise AssertionError("an actor was sent no network yet")


class LocalActors:
    """The actors of a run in threads of this process."""

    def __init__(
        self, game: Game, settings: GuidedSettings, seed: int, opponents: Sequence[str]
    ) -> None:
        """Begin the games; see `Actor`."""
        self._actors = [
            Actor(game, settings, number, seed, opponents) for number in range(settings.actors)
        ]
        # One for each: however many cores there are, all end at about the same time.
        self._pool = ThreadPoolExecutor(settings.actors, "actor")
        self._playing: list[Future[Played]] = []

    def begin(self, judge: Judge, plies: int) -> None:
        """Have every actor play so many plies in each of its games; see `Actor.play`."""
        self._playing = [self._pool.submit(actor.play, judge, plies) for actor in self._actors]

    def wait(self) -> None:
        """Until all have played."""
        wait(self._playing)

    def finish(self) -> list[Played]:
        """What each has played since `begin`, in their order; none plays any more then."""
        wait(self._playing)
        playing, self._playing = self._playing, []
        return [one.result() for one in playing]

    def state(self) -> list[dict[str, Any]]:
        """Of each actor."""
        return [actor.state() for actor in self._actors]

    def load_state(self, states: list[dict[str, Any]]) -> None:
        """Go on from `state()`."""
        for actor, state in zip(self._actors, states, strict=True):
            actor.load_state(state)
