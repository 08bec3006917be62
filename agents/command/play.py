"""`boardenvs play`: persons against agents, or one another."""

from __future__ import annotations

import argparse

from agents.arguments import add_time, make_game, timed
from agents.command.common.extras import require_extra
from agents.command.common.parser import Commands

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the subcommand."""
    play = commands.add(
        "play",
        _run,
        "play against an agent, here in the terminal or in a page",
        ["gekitai", "gomoku -p board_size=9 --opponent mcts:2s --web"],
        agents=True,
    )
    play.add_argument(
        "--opponent",
        action="append",
        metavar="SPEC",
        help="by default greedy; of several there is one for each other seat, in order",
    )
    add_time(play)
    play.add_argument(
        "--seat",
        type=int,
        action="append",
        help="yours, from 0; by default 0, the first; given twice or more for several persons at "
        "one terminal",
    )
    play.add_argument("--seed", type=int, default=None, help="of everything random")
    play.add_argument(
        "--web",
        action="store_true",
        help="play in a page, served on this machine alone; Ctrl-C ends it",
    )
    play.add_argument(
        "--no-browser", action="store_true", help="with --web: print the address, open nothing"
    )


def _run(options: argparse.Namespace) -> None:
    game = make_game(options)
    if game.num_players == 1 and options.opponent is not None and not options.web:
        raise ValueError(
            f"{game.name} is for one player: --opponent is for games of more, "
            "and for the hints of --web"
        )
    opponents = timed(options.opponent or ["greedy"], options, game)
    seats = options.seat or [0]
    if options.web:
        if len(seats) > 1:
            raise ValueError("with --web there is one person: --seat may be given once")
        require_extra("--web", "web", ["starlette", "uvicorn"])
        from agents.play.web.serve import serve

        # Where nobody plays against the person, the agent that was named gives the hints.
        adviser = opponents[0] if game.num_players == 1 and options.opponent is not None else None
        serve(
            game,
            opponents,
            seats[0],
            options.seed,
            browser=not options.no_browser,
            adviser=adviser,
        )
        return
    if options.no_browser:
        raise ValueError("--no-browser is for --web")
    from agents.play.terminal import play

    play(game, opponents, seats, options.seed)
