"""`boardenvs engine`: an agent as a program that tournament managers run."""

from __future__ import annotations

import argparse
import sys

from agents.arguments import make_game
from agents.command.parser import Commands
from agents.command.thinking_time import add_time, timed
from agents.games import part
from agents.making import make, options_of
from agents.specs import parse
from boardenvs.game import Game
from boardenvs.opponents import Opponent

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the subcommand."""
    engine = commands.add(
        "engine",
        _run,
        "let a tournament manager run an agent, by the protocol of Gomocup on standard input and "
        "output",
    )
    engine.add_argument("agent", metavar="SPEC", help="the agent")
    add_time(engine)
    engine.add_argument("--seed", type=int, default=None, help="of everything random")


def _run(options: argparse.Namespace) -> None:
    game = make_game(options)
    brain = part(game, "brain")
    if brain is None:
        raise ValueError(f"there is no protocol for {game.name}: gomoku has one")
    (spec,) = timed([options.agent], options, game)
    parsed = parse(spec, game)
    # Where the spec does not tell how much to think, the manager does.
    free = (
        parsed.declared is not None
        and not parsed.arguments
        and "time_limit" in options_of(parsed.name, game)
    )

    def make_agent(game: Game, seconds: float | None) -> Opponent:
        limit = {"time_limit": seconds} if free and seconds is not None else {}
        return make(spec, game, options.seed, **limit)

    make_agent(game, None)  # what cannot be made is said before the manager speaks
    for answer in brain.Brain(spec, make_agent, game).answers(sys.stdin):
        print(answer, flush=True)
