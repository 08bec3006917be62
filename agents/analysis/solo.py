"""Playing of games for one player by an agent."""

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
    """Let an agent play games for one player to their ends, in place.

    The agent receives only information that the player has, and the same random bits as in a match
    with this seed.

    Args:
        agent: the agent.
        game: a game for one player.
        states: records of the game, shape (N,), changed in place.
        seed: seed of the agent's random bits.
        watch: function called before every ply with the unfinished positions, shape (M,), their
            indices in `states`, and the actions.

    Raises:
        ValueError: the agent fails, or one of its actions is illegal.
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
