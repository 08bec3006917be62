"""Actors, each of which plays a group of searched games with the latest network it received."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from agents.networks.sizes import Games, shared_out
from agents.training.learning_games import fixed_opponents
from agents.training.self_play.policy_evaluator import Network, PolicyEvaluator, evaluate_with
from agents.training.self_play.searched_games import Played, SearchedGames
from agents.training.settings import GuidedSettings
from boardenvs.game import Game

__all__ = [
    "Actor",
    "Actors",
    "LocalActors",
    "games_of_actors",
    "sizes_and_games",
]


class Actor:
    """A group of games that depend only on the seed and the received networks."""

    def __init__(
        self,
        game: Game,
        settings: GuidedSettings,
        games: int,
        seed: int,
        number: int,
        opponents: Sequence[str],
    ) -> None:
        """Start the games.

        Args:
            game: the game to play.
            settings: settings of self-play.
            games: number of parallel games.
            seed: seed of the run.
            number: number of the actor in the run, from 0.
            opponents: specs of the fixed opponents.

        Raises:
            ValueError: an opponent cannot be made, or is not an `Agent`.
        """
        others = fixed_opponents(game, opponents, seed)
        self._rng = np.random.default_rng([seed, number])
        self._evaluator = PolicyEvaluator(game, _no_network_yet)
        self._games = SearchedGames(
            game, settings, self._rng, self._evaluator, others, num=games, threads=1
        )

    def play(self, network: Network, plies: int) -> Played:
        """Play `plies` plies in each game with searches that a network guides."""
        self._evaluator.use(evaluate_with(network))
        played = [self._games.play_ply() for _ in range(plies)]
        return Played(
            np.concatenate([each.samples for each in played]),
            sum(each.searched for each in played),
            np.concatenate([each.lengths for each in played]),
        )

    def state(self) -> dict[str, Any]:
        """Return the state of the games, for `load_state`."""
        return {"games": self._games.state(), "rng": json.dumps(self._rng.bit_generator.state)}

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore the games from `state()` of the same actor with the same settings."""
        self._games.load_state(state["games"])
        self._rng.bit_generator.state = json.loads(state["rng"])


def _no_network_yet(seen: npt.NDArray[np.int8]) -> Any:
    raise AssertionError("the actor has not received a network")


class Actors(Protocol):
    """Protocol of all actors of a run."""

    @property
    def ahead(self) -> bool:
        """Whether actors play with the previous network while the network learns."""

    def begin(self, network: Network) -> None:
        """Start all free actors, which play `settings.plies` plies in each of their games."""

    def wait(self) -> None:
        """Wait until at least one actor has finished."""

    def finish(self) -> list[Played]:
        """Return the results of the actors that have finished, which are then free."""

    def state(self) -> dict[str, Any]:
        """Return `number`, the total of actors so far, and `games`, the states of the actors."""

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore the actors from `state()`; new actors start games that the state lacks."""


class LocalActors:
    """Actors in threads of this process, which all play, and then wait for the learner.

    Each actor plays on one board size. There are at least as many actors as sizes.
    """

    ahead = False

    def __init__(
        self,
        games: Games,
        shares: Sequence[float],
        settings: GuidedSettings,
        seed: int,
        opponents: Sequence[str],
    ) -> None:
        """Start the games; see `Actor`. `shares` are those of `agents.networks.sizes.shares_of`."""
        self._given = games, shares, settings, seed, opponents
        self._plies = settings.plies
        self._begin_games(0)
        # One thread for each actor, so that on any number of cores all end at about the same time.
        self._pool = ThreadPoolExecutor(len(self._actors), "actor")
        self._playing: list[Future[Played]] = []

    def _begin_games(self, first: int) -> None:
        games, shares, settings, seed, opponents = self._given
        self._sizes, numbers = sizes_and_games(shares, settings)
        self._actors = [
            Actor(games[size], settings, num, seed, first + k, opponents)
            for k, (size, num) in enumerate(zip(self._sizes, numbers, strict=True))
        ]
        self._number = first + len(self._actors)

    def begin(self, network: Network) -> None:
        evaluate = [evaluate_with(network, game) for game in self._given[0]]
        self._playing = [
            self._pool.submit(actor.play, evaluate[size], self._plies)
            for size, actor in zip(self._sizes, self._actors, strict=True)
        ]

    def wait(self) -> None:
        wait(self._playing)

    def finish(self) -> list[Played]:
        """Return the results of all actors, in their order."""
        wait(self._playing)
        playing, self._playing = self._playing, []
        return [
            one.result()._replace(size=size)
            for size, one in zip(self._sizes, playing, strict=False)
        ]

    def state(self) -> dict[str, Any]:
        return {"number": self._number, "games": [actor.state() for actor in self._actors]}

    def load_state(self, state: dict[str, Any]) -> None:
        if len(state["games"]) != len(self._actors):
            self._begin_games(state["number"])
            return
        self._number = state["number"]
        for actor, games in zip(self._actors, state["games"], strict=True):
            actor.load_state(games)


def games_of_actors(settings: GuidedSettings) -> list[int]:
    """Return the number of parallel games of each actor."""
    actors = min(settings.actors, settings.games)
    return [len(range(number, settings.games, actors)) for number in range(actors)]


def sizes_and_games(
    shares: Sequence[float], settings: GuidedSettings
) -> tuple[list[int], list[int]]:
    """Return the index of each actor's size, and the number of its parallel games."""
    games = shared_out("guided.games", settings.games, shares)
    actors = shared_out("actors", max(settings.actors, len(shares)), shares)
    parts = [
        games_of_actors(replace(settings, games=num, actors=by))
        for num, by in zip(games, actors, strict=True)
    ]
    sizes = [size for size, part in enumerate(parts) for _ in part]
    return sizes, [num for part in parts for num in part]
