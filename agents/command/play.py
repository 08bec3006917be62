"""`boardenvs play`: games between people and agents."""

from __future__ import annotations

import argparse

from agents.arguments import add_time, make_game, timed
from agents.command.common.extras import require_extra
from agents.command.common.parser import Commands
from agents.naming.spec import specs_of

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the subcommand."""
    play = commands.add(
        "play",
        _run,
        "play against an agent, in the terminal or in a browser",
        ["gekitai", "gomoku -p board_size=9 --opponent mcts:2s --web"],
        agents=True,
    )
    play.add_argument(
        "--opponent",
        action="append",
        metavar="SPEC",
        help="opponent; repeat it to name one for each other seat; default: greedy",
    )
    add_time(play)
    play.add_argument(
        "--seat",
        type=int,
        action="append",
        help="your seat, from 0; repeat it for several people at one terminal; default: 0",
    )
    play.add_argument(
        "--seed", type=int, default=None, help="seed of everything random; default: a random one"
    )
    play.add_argument(
        "--web",
        action="store_true",
        help="play in a browser on this machine; Ctrl-C ends it",
    )
    play.add_argument(
        "--no-browser", action="store_true", help="with --web: print the address only"
    )


def _run(options: argparse.Namespace) -> None:
    game = make_game(options)
    if game.num_players == 1 and options.opponent is not None and not options.web:
        raise ValueError(
            f"--opponent requires a game for several players, or --web for hints, got {game.name}"
        )
    opponents = timed(specs_of(options.opponent or ["greedy"], game), options)
    seats = options.seat or [0]
    if options.web:
        if len(seats) > 1:
            raise ValueError("--seat must be given at most once with --web")
        require_extra("--web", "web", ["starlette", "uvicorn"])
        from agents.play.web.serve import serve

        # In a game for one player the named agent gives the hints.
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
        raise ValueError("--no-browser requires --web")
    from agents.play.terminal import play

    play(game, opponents, seats, options.seed)
