"""`boardenvs engine`: an agent as a program for tournament managers."""

from __future__ import annotations

import argparse

from agents.arguments import add_time, make_game, timed
from agents.command.common.parser import Commands
from agents.games import player_module
from agents.making import make, options_of
from agents.specs import parse
from boardenvs.envs.opponents import Opponent
from boardenvs.game import Game
from boardenvs.inbox import standard_inbox

__all__ = ["add"]

_TIME = "time_limit"
"""The option of agents that limits their thinking time."""
_AT_ONCE = 0.01
"""Seconds that the agent thinks in its first move, which prepares the program."""


def add(commands: Commands) -> None:
    """Add the subcommand."""
    engine = commands.add(
        "engine",
        _run,
        "run an agent for a tournament manager, by Gomocup's protocol on standard input",
        ["gomoku threats", "gomoku mcts:5s"],
        games=("gomoku",),
        agents=True,
    )
    engine.add_argument("agent", metavar="SPEC", help="agent")
    add_time(engine)
    engine.add_argument(
        "--seed", type=int, default=None, help="seed of everything random; default: a random one"
    )


def _run(options: argparse.Namespace) -> None:
    game = make_game(options)
    brain = player_module(game, "brain")
    if brain is None:
        raise ValueError(f"GAME must be gomoku, which has a protocol, got {game.name}")
    (spec,) = timed([options.agent], options, game)
    parsed = parse(spec, game)

    def make_agent(game: Game, seconds: float | None) -> Opponent:
        # A limit in the spec takes precedence over the manager's time.
        free = parsed.declared is not None and not parsed.arguments and seconds is not None
        limit = {"time_limit": seconds} if free and _TIME in options_of(parsed.name, game) else {}
        return make(spec, game, options.seed, **limit)

    def get_ready() -> None:
        make_agent(game, _AT_ONCE).act(game.new(1, 0))

    inbox = standard_inbox()
    inbox.get_ready(get_ready)
    for answer in brain.Brain(options.agent, make_agent, game).answers(inbox):
        print(answer, flush=True)
