"""Server of a game's page on this machine."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import sys
import webbrowser
from collections.abc import Sequence

import uvicorn

from agents.naming.spec import Spec
from agents.play.server_signals import ended_by_signals
from agents.play.web.app import make_app
from agents.play.web.connection import MOST, Connection
from agents.play.web.redirect_file import redirect_file
from agents.play.web.room import Room
from agents.play.web.session import Session
from boardenvs.game import Game

__all__ = ["prepare", "serve"]

_HERE = "127.0.0.1"


def serve(
    game: Game,
    opponents: Sequence[Spec],
    seat: int,
    seed: int | None,
    *,
    browser: bool,
    adviser: Spec | None = None,
) -> None:
    """Let a person play in a browser, against an agent in every other seat, until Ctrl-C.

    Args:
        game: the game.
        opponents: the agents, one for all other seats or one for each of them in order.
        seat: seat of the person.
        seed: seed of everything random; `None` for a random one.
        browser: whether to open the page in the browser.
        adviser: agent that gives hints; by default the game's.

    Raises:
        ValueError: an opponent or the seat does not exist.
        OSError: no port is available.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    session = Session(game, opponents, seat, seed, adviser=adviser)
    with contextlib.ExitStack() as last:
        listening = last.enter_context(socket.socket())
        server, address = prepare(Room(session), listening)
        print(f"Play at {address}\nCtrl-C ends it.", flush=True)
        if browser and _has_window():
            webbrowser.open(last.enter_context(redirect_file(address)))
        last.enter_context(ended_by_signals(server))
        server.run(sockets=[listening])


def prepare(room: Room, listening: socket.socket) -> tuple[uvicorn.Server, str]:
    """Return a server of a game that is ready to run, and the address of the page.

    Args:
        room: room of the game.
        listening: new socket, which gets a free local port.
    """
    token = secrets.token_urlsafe(32)
    listening.bind((_HERE, 0))
    listening.listen()
    host = f"{_HERE}:{listening.getsockname()[1]}"
    config = uvicorn.Config(
        make_app(room, token, host),
        log_config=None,
        log_level="critical",  # the page or one line reports errors
        access_log=False,
        lifespan="off",
        ws="none",
        http=Connection,
        proxy_headers=False,
        server_header=False,
        # Far above MOST, because disconnected clients count until they are closed.
        limit_concurrency=16 * MOST,
        backlog=8 * MOST,  # far below the limit of open files
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config), f"http://{host}/{token}/"


def _has_window() -> bool:
    """Return whether a browser opens a window instead of using this terminal."""
    return sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
