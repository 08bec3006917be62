"""Who plays whom: the learner in a seat drawn anew each game, one opponent in all others."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
from ray.rllib.callbacks.callbacks import RLlibCallback

from boardenvs.game import Game

__all__ = [
    "DECISIONS",
    "LEARNER",
    "RANDOM",
    "SELF_PLAY",
    "KeepLearner",
    "NumberGames",
    "earlier",
    "line_up",
    "policy_mapping",
]

LEARNER = "learner"
RANDOM = "random"
DECISIONS = "learner_decisions"
SELF_PLAY = 1 / 3
"""In what part of the games the learner has all seats."""


def earlier(number: int) -> str:
    """The name of the module that holds one of the learner's earlier selves."""
    return f"earlier_{number}"


@functools.lru_cache(maxsize=1024)  # RLlib asks for each seat by itself, again and again
def line_up(name: str, num_players: int, selves: int) -> tuple[str, ...]:
    """The module of each seat, in order, drawn from the game's name.

    The other seats are all the random player's, the learner's own, or those of one of its
    earlier selves: each in a third of the games.

    Args:
        name: of the game that is played, unlike any other's.
        num_players: seats.
        selves: how many earlier selves there are.
    """
    digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
    draws = np.random.default_rng(int.from_bytes(digest, "little"))
    other = (RANDOM, LEARNER, earlier(int(draws.integers(selves))))[draws.integers(3)]
    seats = [other] * num_players
    seats[draws.integers(num_players)] = LEARNER
    return tuple(seats)


def policy_mapping(game: Game, selves: int) -> Callable[..., str]:
    """RLlib's policy mapping: from a seat such as `player_1`, and the game, to its module."""
    return functools.partial(_player_of, game.num_players, selves)


def _player_of(num_players: int, selves: int, seat: str, episode: Any, **kwargs: Any) -> str:
    return line_up(episode.id_, num_players, selves)[int(seat.removeprefix("player_"))]


class NumberGames(RLlibCallback):
    """Names each game after the run's seed, the env runner and a count.

    RLlib's own names are random, so line-ups drawn from them would differ from run to run.
    """

    def __init__(self) -> None:
        super().__init__()
        self._count = 0

    def on_episode_created(self, *, episode: Any, env_runner: Any, **kwargs: Any) -> None:
        """Name a game; RLlib calls this before it begins."""
        episode.id_ = f"{env_runner.config.seed}-{env_runner.worker_index}-{self._count}"
        self._count += 1


class KeepLearner(RLlibCallback):
    """Counts the learner's decisions, and leaves out of what an env runner hands over all others.

    Nobody learns from those. The count is the metric `DECISIONS`.
    """

    def on_sample_end(self, *, samples: list[Any], metrics_logger: Any, **kwargs: Any) -> None:
        """Cut the samples down, in place."""
        decisions = 0
        for game in samples:
            for seat, played in list(game.agent_episodes.items()):
                if played.module_id == LEARNER:
                    decisions += len(played)
                else:
                    del game.agent_episodes[seat]
        samples[:] = [game for game in samples if game.agent_episodes]
        metrics_logger.log_value(DECISIONS, decisions, reduce="sum")
