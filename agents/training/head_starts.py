"""Positions from the middle of an agent's games, for a learner to begin in."""

from __future__ import annotations

import numpy as np

from agents.agent import Agent
from boardenvs.game import Game, States
from boardenvs.table import Opponent

__all__ = ["HeadStarts"]

_GAMES = 1024
"""Played side by side; each gives one position."""


class HeadStarts:
    """Positions of games that an agent plays, every ply of a game as likely as the others.

    Where only a long row of right actions is rewarded, as in a pizza order, a learner that
    begins near the end meets the reward, and learns the game backwards: a reverse
    curriculum, as in C. Florensa et al., "Reverse curriculum generation for reinforcement
    learning", CoRL 2017.
    """

    def __init__(self, game: Game, agent: Agent | Opponent, seed: int) -> None:
        """Prepare; the first games are played when they are needed.

        Args:
            game: for one player.
            agent: plays them.
            seed: of the games and the choice of plies.

        Raises:
            ValueError: the game has more than one player, so that a position in it may not be
                the learner's to move in.
        """
        if game.num_players != 1:
            raise ValueError(f"head starts are for games of one player, not {game!r}")
        self._game = game
        self._agent = agent
        self._rng = np.random.default_rng(seed)
        self._ready = game.new(0, 0)

    def draw(self, num: int) -> States:
        """So many positions, none of them over: records, shape (num,)."""
        while len(self._ready) < num:
            self._ready = np.concatenate([self._ready, self._play()])
        drawn, self._ready = self._ready[:num], self._ready[num:]
        return drawn

    def _play(self) -> States:
        """One position out of each of many games, drawn by reservoir sampling."""
        game, rng = self._game, self._rng
        states = game.new(_GAMES, int(rng.integers(2**63)))
        chosen = states.copy()
        for ply in range(game.max_plies):
            places = np.flatnonzero(~(game.terminated(states) | game.truncated(states)))
            if not len(places):
                break
            live = states[places]
            kept = rng.random(len(places)) * (ply + 1) < 1
            chosen[places[kept]] = live[kept]
            known = game.conceal(live, live["to_move"], rng)
            game.play(live, self._agent.act(known))
            states[places] = live
        return chosen
