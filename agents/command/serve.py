"""`boardenvs serve`: a game as an OpenEnv server."""

from __future__ import annotations

import argparse
import sys

from agents.arguments import make_game
from agents.command.common.extras import require_extra
from agents.command.common.parser import Commands
from agents.naming.user_code import allow
from boardenvs.core.checks import whole_number

__all__ = ["add"]

_HERE = ("127.0.0.1", "::1", "localhost")


def add(commands: Commands) -> None:
    """Add the subcommand."""
    serve = commands.add(
        "serve",
        _run,
        "serve a game for language models, as an OpenEnv environment",
        ["gekitai", "gomoku -p board_size=9 --opponent threats --port 9000"],
        agents=True,
    )
    serve.add_argument(
        "--opponent",
        default="random",
        metavar="SPEC",
        help="agent in every other seat; default: random",
    )
    serve.add_argument(
        "--seat",
        default="0",
        help="seat of the model, from 0, or 'all' for every seat; default: 0",
    )
    serve.add_argument(
        "--tries",
        type=int,
        default=3,
        metavar="N",
        help="answers for one move, after which the model forfeits; default: 3",
    )
    serve.add_argument(
        "--list-moves", action="store_true", help="list the legal moves in each message"
    )
    serve.add_argument(
        "--strict",
        action="store_true",
        help="accept only moves that stand after 'Move:' on the same line",
    )
    serve.add_argument(
        "--seed",
        type=int,
        default=None,
        help="seed of each game that is started without one; default: a random one",
    )
    serve.add_argument(
        "--host", default="127.0.0.1", help="address to listen on; default: 127.0.0.1"
    )
    serve.add_argument("--port", type=int, default=8000, metavar="N", help="default: 8000")
    serve.add_argument(
        "--max-sessions", type=int, default=64, metavar="N", help="default: 64 at a time"
    )
    serve.add_argument(
        "--max-message",
        type=int,
        default=65536,
        metavar="BYTES",
        help="size of a message, above which its session ends; default: 65536",
    )
    serve.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="SPEC",
        help="your own agent, which --opponent and clients may then name; may be repeated",
    )


def _run(options: argparse.Namespace) -> None:
    game = make_game(options)
    port = whole_number("--port", options.port, 0, 65535)
    max_sessions = whole_number("--max-sessions", options.max_sessions, 1)
    max_message = whole_number("--max-message", options.max_message, 1)
    for spec in options.allow:
        allow(spec)
    require_extra("boardenvs serve", "openenv", ["openenv"])
    from agents.play.openenv_server import serve

    if options.host not in _HERE:
        print(
            f"boardenvs: warning: every client that reaches {options.host} can play, without a "
            "password",
            file=sys.stderr,
        )
    serve(
        game,
        options.host,
        port,
        max_sessions=max_sessions,
        max_message=max_message,
        opponent=options.opponent,
        seat=int(options.seat) if options.seat.isdecimal() else options.seat,
        tries=options.tries,
        list_moves=options.list_moves,
        strict=options.strict,
        seed=options.seed,
    )
