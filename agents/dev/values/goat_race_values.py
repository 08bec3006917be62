"""A program that solves small Goat Races, and prints the value of each place in the order."""

from __future__ import annotations

import argparse
import time

import numpy as np

import boardenvs
from agents.arguments import add_parameters, parameters
from agents.games.goat_race.exact import GoatRaceExactAgent
from agents.report.table import Table
from boardenvs.core.checks import whole_number
from boardenvs.goat_race import GoatRace
from boardenvs.goat_race.positions import ARRIVALS, GOATS

__all__ = ["DESCRIPTION", "add_arguments", "race", "run"]

DESCRIPTION = "Solve small Goat Races, and print the value of each place in the order of play."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    add_parameters(parser)
    parser.add_argument(
        "--goats",
        type=int,
        action="append",
        metavar="N",
        help="goats of each player, 1 to 4; may be repeated (default 4, as in the game); with "
        "fewer than three, all of them have to arrive",
    )
    parser.add_argument(
        "--budget",
        type=int,
        default=2_000_000,
        help="maximum number of positions of a race (default 2,000,000)",
    )


def run(options: argparse.Namespace) -> None:
    """Print a table with a row for each number of goats and draw rule.

    Raises:
        ValueError: a parameter does not exist or is out of range, or a race is too large.
    """
    given = parameters(options)
    rules = [given.pop("draw_rule")] if "draw_rule" in given else ["forward", "jump"]
    rows = []
    names: list[str] = []
    for goats in options.goats or [GOATS]:
        for rule in rules:
            game = race(goats, draw_rule=rule, **given)
            exact = GoatRaceExactAgent(game, 0, budget=options.budget)
            states = game.new(1, 0)
            begin = time.process_time()
            values = exact.values(states)[0, states["order"][0]]
            seconds = time.process_time() - begin
            names = [f"place {k + 1}" for k in range(len(values))]
            numbers = [f"{value:+.6f}" for value in np.round(values, 6) + 0.0]
            walls = " ".join(
                f"{column}{row}" for row, column in game.to_dict(states[0])["obstacles"]
            )
            size = f"{exact.race(states[0]).positions:,}"
            rows.append([f"{goats}", rule, walls, size, *numbers, f"{seconds:.0f}"])
    head = ("goats", "draw rule", "obstacles", "positions", *names, "CPU seconds")
    print(Table(head, rows, left=(1, 2)))


def race(goats: int, **params: object) -> GoatRace:
    """Return a race with fewer goats than the arguments of the game allow.

    Raises:
        ValueError: a number or parameter is out of range.
    """
    game = boardenvs.make("goat_race", **params)
    assert isinstance(game, GoatRace)
    game.constants["goats"] = whole_number("goats", goats, 1, GOATS)
    game.constants["arrivals"] = min(goats, ARRIVALS)
    return game
