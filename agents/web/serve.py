"""Serving a game in a page, on this machine alone, until Ctrl-C."""

from __future__ import annotations

import os
import secrets
import socket
import sys
import webbrowser

import uvicorn

from agents.arena.seeds import fresh_seed
from agents.web.app import make_app
from agents.web.session import Session
from boardenvs.game import Game

__all__ = ["prepare", "serve"]

_HERE = "127.0.0.1"


def serve(game: Game, opponent: str, seat: int, seed: int | None, *, browser: bool) -> None:
    """Let a person play in a browser, against an agent in every other seat, until Ctrl-C.

    Args:
        game: what is played.
        opponent: spec of the agent.
        seat: the person's.
        seed: of everything random; `None` for a fresh one.
        browser: whether to open the page in the browser.

    Raises:
        ValueError: there is no such opponent or seat.
        OSError: no port can be had.
        KeyboardInterrupt: it was ended.
    """
    session = Session(game, opponent, seat, fresh_seed() if seed is None else seed)
    with socket.socket() as listening:
        server, address = prepare(session, listening)
        print(f"Play at {address}\nCtrl-C ends it.", flush=True)
        if browser and _has_window():
            webbrowser.open(address)
        server.run(sockets=[listening])


def prepare(session: Session, listening: socket.socket) -> tuple[uvicorn.Server, str]:
    """A server of a game that is ready to run, and the address of the page.

    Args:
        session: the game.
        listening: a fresh socket; it gets a free port of this machine alone.
    """
    token = secrets.token_urlsafe(32)
    listening.bind((_HERE, 0))
    listening.listen()
    host = f"{_HERE}:{listening.getsockname()[1]}"
    config = uvicorn.Config(
        make_app(session, token, host),
        log_config=None,
        log_level="critical",  # what goes wrong is told by the page, or in one line
        access_log=False,
        lifespan="off",
        ws="none",
        http="h11",
        proxy_headers=False,
        server_header=False,
        limit_concurrency=64,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config), f"http://{host}/{token}/"


def _has_window() -> bool:
    """Whether a browser would open a window, rather than take over this terminal."""
    return sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
