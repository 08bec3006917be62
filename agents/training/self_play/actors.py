"""Actors: each plays a group of searched games, guided by the network that it was sent last."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.making import make
from agents.networks.sizes import Sizes, games_of, shared_out, shares_of
from agents.training.self_play.guided_settings import GuidedSettings
from agents.training.self_play.policy_evaluator import Network, PolicyEvaluator, judge_by
from agents.training.self_play.replay_buffer import Samples
from agents.training.self_play.searched_games import SearchedGames
from boardenvs.game import Game

__all__ = [
    "Actor",
    "Actors",
    "LocalActors",
    "Played",
    "fixed_opponents",
    "games_of_actors",
    "sizes_and_games",
]


class Played(NamedTuple):
    """What some plies in all games of an actor brought."""

    samples: Samples
    """Of the games that ended, values filled in."""
    searched: int
    """Positions, by full searches or cheap ones."""
    lengths: npt.NDArray[np.int32]
    """Of the games that ended, in plies."""
    size: int = 0
    """The place of their game among those of several sizes."""


class Actor:
    """A group of games whose play depends on nothing but its seed and the networks it is sent."""

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
        """So many plies in each game.

        Args:
            network: as it is now.
            plies: how many.
        """
        self._evaluator.judge_by(judge_by(network))
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


def _no_network_yet(seen: npt.NDArray[np.int8]) -> Any:
    raise AssertionError("an actor was sent no network yet")


class Actors(Protocol):
    """All actors of a run, wherever they play."""

    @property
    def ahead(self) -> bool:
        """Whether they are to play on while the network learns, by what it was before."""

    def begin(self, network: Network) -> None:
        """Have those that are free play the settings' number of plies in each game."""

    def wait(self) -> None:
        """Until some have played."""

    def finish(self) -> list[Played]:
        """What they have played since they were told to, who are free now."""

    def state(self) -> dict[str, Any]:
        """`number`, how many actors there have been, and `games`, the states of those there are."""

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on from `state()`; games that are not in it begin anew, by other actors."""


class LocalActors:
    """The actors of a run in threads of this process. All play at once, then the network learns.

    Of several sizes each actor plays one; there are more actors than the settings say where there
    are more sizes.
    """

    ahead = False

    def __init__(
        self, game: Game | Sizes, settings: GuidedSettings, seed: int, opponents: Sequence[str]
    ) -> None:
        """Begin the games; see `Actor`."""
        self._given = game, settings, seed, opponents
        self._plies = settings.plies
        self._begin_games(0)
        # One for each: however many cores there are, all end at about the same time.
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
        judges = [judge_by(network, game) for game in games_of(self._given[0])]
        self._playing = [
            self._pool.submit(actor.play, judges[size], self._plies)
            for size, actor in zip(self._sizes, self._actors, strict=True)
        ]

    def wait(self) -> None:
        wait(self._playing)

    def finish(self) -> list[Played]:
        """In the order of the actors, none of whom plays any more then."""
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
    """Who plays against searches besides the learner; raises as `Actor`."""
    found = []
    for spec in specs:
        one = make(spec, game, seed)
        if not isinstance(one, Agent):
            raise ValueError(f"{spec!r} cannot play against searches: it is no Agent")
        found.append(one)
    return found


def games_of_actors(settings: GuidedSettings) -> list[int]:
    """How many games each actor has side by side."""
    actors = min(settings.actors, settings.games)
    return [len(range(number, settings.games, actors)) for number in range(actors)]


def sizes_and_games(game: Game | Sizes, settings: GuidedSettings) -> tuple[list[int], list[int]]:
    """Of each actor the place of its size, and how many games it has side by side."""
    shares = shares_of(game)
    games = shared_out("guided.games", settings.games, shares)
    actors = shared_out("actors", max(settings.actors, len(shares)), shares)
    parts = [
        games_of_actors(replace(settings, games=num, actors=by))
        for num, by in zip(games, actors, strict=True)
    ]
    sizes = [size for size, part in enumerate(parts) for _ in part]
    return sizes, [num for part in parts for num in part]
