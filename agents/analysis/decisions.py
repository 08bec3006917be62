"""What an agent did in each position of some games."""

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
    """Play games, and tell where an agent was to move and what it did.

    It has the first seat in every other game, beginning with the first.

    Args:
        game: what is played, of two players.
        agent: whose decisions are wanted.
        opponent: whom it plays.
        games: how many.
        seed: of the game's records and the openings; the agents have randomness of their own.
        opening_plies: random plies with which each game begins.

    Returns:
        Records of the game, shape (N,), and its actions there, int64 of shape (N,).

    Raises:
        ValueError: a number is out of range, an opening ended a game's rules, or an agent failed.
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
