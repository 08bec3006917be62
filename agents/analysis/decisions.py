"""The decisions of an agent in some games."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.agent import blamed
from boardenvs.core.checks import whole_number
from boardenvs.envs.opponents import Opponent
from boardenvs.envs.playout import playout
from boardenvs.game import Game, States

__all__ = ["decisions"]


def decisions(
    game: Game, agent: Opponent, opponent: Opponent, games: int, seed: int, opening_plies: int = 0
) -> tuple[States, npt.NDArray[np.int64]]:
    """Play games, and return the positions in which an agent was to move and its actions.

    The agent has the first seat in every other game, including the first one.

    Args:
        game: a game of two players.
        agent: the agent whose decisions are returned.
        opponent: the other agent.
        games: number of games, at least 1.
        seed: seed of the game and the openings; the agents have their own randomness.
        opening_plies: number of random plies at the start of each game.

    Returns:
        Positions, records of shape (N,), and the agent's actions there, int64 of shape (N,).

    Raises:
        ValueError: a number is out of range, an action is illegal, or an agent failed.
    """
    states = game.new(whole_number("games", games, 1), seed)
    rng = np.random.default_rng([seed, 1])
    seats = np.arange(games) % 2
    found: list[tuple[States, npt.NDArray[np.int64]]] = []
    plies = 0

    def choose(live: States, places: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
        nonlocal plies
        plies += 1
        if plies <= opening_plies:
            return (rng.random((len(live), game.num_actions)) * game.legal(live)).argmax(1)
        turn = live["to_move"] == seats[places]
        actions = np.zeros(len(live), np.int64)
        for player, its in ((agent, turn), (opponent, ~turn)):
            if its.any():
                with blamed(f"agent {getattr(player, 'spec', type(player).__name__)}"):
                    actions[its] = player.act(live[its])
        found.append((live[turn].copy(), actions[turn]))
        return actions

    playout(game, states, choose, illegal="raise")
    if not found:
        return states[:0], np.zeros(0, np.int64)
    return np.concatenate([part for part, _ in found]), np.concatenate([done for _, done in found])
