"""Actors: each plays a group of searched games, guided by the network that it was sent last."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.making import make
from agents.networks.sizes import Sizes, games_of, shared_out, shares_of
from agents.training.self_play.policy_evaluator import Network, PolicyEvaluator, evaluate_with
from agents.training.self_play.searched_games import Played, SearchedGames
from agents.training.settings import GuidedSettings
from boardenvs.game import Game

__all__ = [
    "Actor",
    "Actors",
    "LocalActors",
    "fixed_opponents",
    "games_of_actors",
    "sizes_and_games",
]


class Actor:
    """A group of games, whose play depends only on the seed and the networks that it receives."""

    def __init__(
        self,
        game: Game,
        settings: GuidedSettings,
        games: int,
        seed: int,
        number: int,
        opponents: Sequence[str],
    ) -> None:
        """Begin the games.

        Args:
            game: what is played.
            settings: how.
            games: side by side.
            seed: of the run.
            number: of the actor, from 0, in the run.
            opponents: specs of the fixed ones.

        Raises:
            ValueError: an opponent cannot be made, or does not play many games at once.
        """
        others = fixed_opponents(game, opponents, seed)
        self._rng = np.random.default_rng([seed, number])
        self._evaluator = PolicyEvaluator(game, _no_network_yet)
        self._games = SearchedGames(
            game, settings, self._rng, self._evaluator, others, num=games, threads=1
        )

    def play(self, network: Network, plies: int) -> Played:
        """Play `plies` plies in each game, guided by a network."""
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
        """Go on from `state()` of the same actor of a run with the same settings."""
        self._games.load_state(state["games"])
        self._rng.bit_generator.state = json.loads(state["rng"])


def _no_network_yet(seen: npt.NDArray[np.int8]) -> Any:
    raise AssertionError("the actor has not received a network")


class Actors(Protocol):
    """All actors of a run, wherever they play."""

    @property
    def ahead(self) -> bool:
        """Whether actors play on while the network learns, with the network from before."""

    def begin(self, network: Network) -> None:
        """Let all free actors play the settings' number of plies in each of their games."""

    def wait(self) -> None:
        """Wait until at least one actor has played."""

    def finish(self) -> list[Played]:
        """Return what actors have played since `begin`. These actors are free then."""

    def state(self) -> dict[str, Any]:
        """Return `number`, of all actors so far, and `games`, the states of the present actors."""

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on from `state()`. Games that are not in it begin anew, with other actors."""


class LocalActors:
    """The actors of a run in threads of this process. All play at once, then the network learns.

    Each actor plays on one size of the board. There are at least as many actors as sizes.
    """

    ahead = False

    def __init__(
        self, game: Game | Sizes, settings: GuidedSettings, seed: int, opponents: Sequence[str]
    ) -> None:
        """Begin the games; see `Actor`."""
        self._given = game, settings, seed, opponents
        self._plies = settings.plies
        self._begin_games(0)
        # One thread for each actor: on any number of cores, all end at about the same time.
        self._pool = ThreadPoolExecutor(len(self._actors), "actor")
        self._playing: list[Future[Played]] = []

    def _begin_games(self, first: int) -> None:
        game, settings, seed, opponents = self._given
        self._sizes, numbers = sizes_and_games(game, settings)
        self._actors = [
            Actor(games_of(game)[size], settings, games, seed, first + k, opponents)
            for k, (size, games) in enumerate(zip(self._sizes, numbers, strict=True))
        ]
        self._number = first + len(self._actors)

    def begin(self, network: Network) -> None:
        evaluate = [evaluate_with(network, game) for game in games_of(self._given[0])]
        self._playing = [
            self._pool.submit(actor.play, evaluate[size], self._plies)
            for size, actor in zip(self._sizes, self._actors, strict=True)
        ]

    def wait(self) -> None:
        wait(self._playing)

    def finish(self) -> list[Played]:
        """Return what the actors have played, in their order."""
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


def fixed_opponents(game: Game, specs: Sequence[str], seed: int) -> list[Agent]:
    """Make the fixed opponents of searched games; raises as `Actor`."""
    found = []
    for spec in specs:
        one = make(spec, game, seed)
        if not isinstance(one, Agent):
            raise ValueError(
                f"opponents of search-guided self-play must be of the class Agent, got {spec!r}"
            )
        found.append(one)
    return found


def games_of_actors(settings: GuidedSettings) -> list[int]:
    """Return how many games each actor plays side by side."""
    actors = min(settings.actors, settings.games)
    return [len(range(number, settings.games, actors)) for number in range(actors)]


def sizes_and_games(game: Game | Sizes, settings: GuidedSettings) -> tuple[list[int], list[int]]:
    """Return the place of each actor's size, and how many games each actor plays side by side."""
    shares = shares_of(game)
    games = shared_out("guided.games", settings.games, shares)
    actors = shared_out("actors", max(settings.actors, len(shares)), shares)
    parts = [
        games_of_actors(replace(settings, games=num, actors=by))
        for num, by in zip(games, actors, strict=True)
    ]
    sizes = [size for size, part in enumerate(parts) for _ in part]
    return sizes, [num for part in parts for num in part]
