"""A program that counts the proved wins that an agent keeps, with `agents.analysis.grading`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from agents.analysis.grading import grade
from agents.arguments import add_game, make_game
from agents.naming.spec import Spec, specs_of
from boardenvs.core.checks import whole_number
from boardenvs.envs.opponents import Opponent
from boardenvs.game import Game

__all__ = ["DESCRIPTION", "add_agents", "add_arguments", "pairings", "run"]

DESCRIPTION = "Count the proved wins that an agent keeps, as judged by the agent exact."


def add_agents(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for a game, agents to judge, their opponent, the games and the seed."""
    add_game(parser, optional=False)
    parser.add_argument(
        "agents", nargs="+", metavar="AGENT", help="agent to judge, such as trained"
    )
    parser.add_argument(
        "--against",
        metavar="AGENT",
        default="greedy",
        help="opponent of the agents (default greedy)",
    )
    parser.add_argument(
        "--games", type=int, default=100, metavar="N", help="games of each agent (default 100)"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of everything random (default 0)")


def pairings(
    options: argparse.Namespace, game: Game
) -> Iterator[tuple[Spec, Opponent, Opponent, int, int]]:
    """Yield the name of each agent, the agent, its opponent, the number of games and the seed.

    Raises:
        ValueError: a number is out of range, or an agent cannot be made.
    """
    seed = whole_number("seed", options.seed, 0)
    games = whole_number("games", options.games, 1)
    specs = specs_of(options.agents, game)
    players = [spec.make(seed) for spec in specs]
    rival = Spec.of(options.against, game)
    opponents = [rival.make(seed + 1) for _ in players]
    for spec, player, opponent in zip(specs, players, opponents, strict=True):
        yield spec, player, opponent, games, seed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    add_agents(parser)
    parser.add_argument(
        "--budget",
        type=int,
        default=100_000,
        metavar="N",
        help="maximum positions that exact searches to judge a position (default 100000); with "
        "more, exact proves more and takes longer",
    )


def run(options: argparse.Namespace) -> None:
    """Print a line for each agent.

    Raises:
        ValueError: an argument is out of range, or an agent or exact cannot play the game.
    """
    game = make_game(options)
    budget = whole_number("budget", options.budget, 1)
    for spec, player, opponent, games, seed in pairings(options, game):
        found = grade(game, player, opponent, games, seed, budget)
        print(f"{spec}: {found}", flush=True)
