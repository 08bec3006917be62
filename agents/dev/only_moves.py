"""A program that counts how often agents find the only move that does not lose at once.

`python -m agents.dev only_moves gomoku trained` plays games. A position counts if the agent cannot
win at once and all its actions except one let the opponent win at once. In Gomoku, these are the
fours that must be blocked. The game must have two seats and no chance or hidden information.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.analysis.decisions import decisions
from agents.analysis.intervals import wilson
from agents.arguments import make_game
from agents.dev.grading import add_agents, pairings
from boardenvs.core.checks import whole_number
from boardenvs.game import Game, States

__all__ = ["DESCRIPTION", "OnlyMoveCount", "add_arguments", "only_moves", "run"]

DESCRIPTION = "Count how often agents find the only move that does not lose at once."
_AT_A_TIME = 1 << 16
"""Maximum number of positions in a batch."""


@dataclass(frozen=True)
class OnlyMoveCount:
    """Counts of positions in which an agent found the only move."""

    played: int
    """Number of positions in which the agent played the move."""
    positions: int
    """Number of positions with an only move."""

    def __str__(self) -> str:
        if not self.positions:
            return "no position with a single move that does not lose at once"
        low, high = wilson(self.played, self.positions)
        return (
            f"played {self.played:,} of {self.positions:,} only moves: "
            f"{self.played / self.positions:.4f} ({low:.4f} to {high:.4f})"
        )


def only_moves(game: Game, states: States) -> npt.NDArray[np.int64]:
    """Return the only action that does not lose at once, for each position.

    Args:
        game: a game with two seats and no chance or hidden information.
        states: records of games that are not over, shape (N,).

    Returns:
        The actions, int64 of shape (N,). The action is -1 if the player to move can win at once,
        or if the number of actions that do not lose at once is not 1.

    Raises:
        ValueError: the game is not supported, or `states` are not its records.
    """
    if game.num_players != 2 or game.has_chance or game.has_hidden:
        raise ValueError(
            f"game must have two players and no chance or hidden information, got {game!r}"
        )
    states = game.arrays.batch(states)
    found = np.full(len(states), -1, np.int64)
    # Most positions have two safe actions among the first three, so try the others only if needed.
    rest = np.arange(len(states))
    for most in (3, game.num_actions):
        of, actions, safe, wins = _tried(game, states[rest], most)
        number = np.bincount(of[safe], minlength=len(rest))
        alone = safe & (number[of] == 1) & ~wins[of]
        if most == game.num_actions:
            found[rest[of[alone]]] = actions[alone]
        rest = rest[(number < 2) & ~wins]
    return found


def _tried(
    game: Game, states: States, most: int
) -> tuple[
    npt.NDArray[np.intp], npt.NDArray[np.int64], npt.NDArray[np.bool_], npt.NDArray[np.bool_]
]:
    """Try up to `most` actions in each position.

    Returns:
        For each action: the index of its position, the action, and whether it does not lose at
        once. For each position: whether one of the actions wins at once.
    """
    legal = game.legal(states)
    after, of, actions = _children(game, states, legal & (legal.cumsum(1) <= most))
    winners, movers = _winners(game, after), states["to_move"][of]
    wins = np.zeros(len(states), bool)
    wins[of[winners == movers]] = True
    safe = winners != 1 - movers
    still_open = np.flatnonzero(~game.over(after) & ~wins[of])
    step = max(1, _AT_A_TIME // game.num_actions)
    for low in range(0, len(still_open), step):
        part = still_open[low : low + step]
        replies, child, _ = _children(game, after[part], game.legal(after[part]))
        beaten = _winners(game, replies) == after["to_move"][part][child]
        safe[part[child[beaten]]] = False
    return of, actions, safe, wins


def _children(
    game: Game, states: States, chosen: npt.NDArray[np.bool_]
) -> tuple[States, npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """Return the positions after the chosen actions, and the parent index and action of each."""
    of, actions = np.nonzero(chosen)
    after = states[of]
    game.play(after, actions, illegal="raise")
    return after, of, actions


def _winners(game: Game, states: States) -> npt.NDArray[np.int64]:
    """Return the seat that has won in each position, or -1."""
    returns = game.returns(states)
    return np.where(game.terminated(states) & (returns.max(1) > 0), returns.argmax(1), -1)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    add_agents(parser)
    parser.add_argument(
        "--opening-plies",
        type=int,
        default=4,
        metavar="N",
        help="random plies at the start of each game (default 4)",
    )


def run(options: argparse.Namespace) -> None:
    """Print a line for each agent.

    Raises:
        ValueError: an argument is out of range, or an agent cannot play the game.
    """
    game = make_game(options)
    plies = whole_number("opening plies", options.opening_plies, 0)
    only_moves(game, game.new(1, 0))  # checks the game before any is played
    for spec, player, opponent, games, seed in pairings(options, game):
        states, actions = decisions(game, player, opponent, games, seed, plies)
        wanted = np.concatenate(
            [only_moves(game, states[k : k + 64]) for k in range(0, len(states), 64)]
        )
        there = wanted >= 0
        found = OnlyMoveCount(int((wanted == actions)[there].sum()), int(there.sum()))
        print(f"{spec}: {found}", flush=True)
