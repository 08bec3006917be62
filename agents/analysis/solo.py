"""Games of one player, played to their ends by an agent."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, blamed
from agents.seeds import one_way_words
from boardenvs.envs.opponents import ask
from boardenvs.envs.playout import playout
from boardenvs.game import Game, States

__all__ = ["play_alone"]


def play_alone(
    agent: Agent,
    game: Game,
    states: States,
    seed: int,
    watch: Callable[[States, npt.NDArray[np.intp], Actions], None] | None = None,
) -> None:
    """Have an agent play games of one player to their ends, in place.

    It is told no more than the player knows, and given the random bits that a match of this seed
    gives it.

    Args:
        agent: who plays.
        game: what is played.
        states: records, shape (N,).
        seed: of the agent's random bits.
        watch: told before every ply the positions that are not over, shape (M,), their places among
            all, and what is played.

    Raises:
        ValueError: the agent fails, or an action of its is illegal.
    """
    streams = one_way_words(seed, "words 0", np.arange(len(states)))

    def choose(live: States, places: npt.NDArray[np.intp]) -> Actions:
        bits = streams[places]
        with blamed(f"agent {agent.spec}"):
            actions = ask(agent, game, live, bits)
        streams[places] = bits
        if watch is not None:
            watch(live, places, actions)
        return actions

    playout(game, states, choose, illegal="raise")
