"""The web application around a `Room`, with its access rules.

Whoever has the address, which holds a secret token, is the person. A page of another site can
neither read anything here nor make a move: it does not know the token, its requests name another
origin, a name that is rebound to this machine arrives as another host, and nothing is ever
allowed across origins.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import re
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agents.agent import one_line
from agents.play.web.orders import read_order
from agents.play.web.room import OutdatedError, Room

__all__ = ["make_app"]

_LARGEST = 1024  # bytes of an order
_LARGEST_FILE = 2**22  # bytes of a game that is opened

T = TypeVar("T")


def make_app(room: Room, token: str, host: str) -> Starlette:
    """Return the application.

    Args:
        room: where the game is played.
        token: the secret first part of every path.
        host: where it is served, such as `127.0.0.1:8000`.
    """
    endpoints = _Endpoints(room, token, host)
    app = Starlette(
        routes=[
            Route("/{token}/", endpoints.page, methods=["GET"]),
            Route("/{token}/replay", endpoints.replay, methods=["GET"]),
            Route("/{token}/game.json", endpoints.saved, methods=["GET"]),
            Route("/{token}/act", endpoints.act, methods=["POST"]),
            Route("/{token}/open", endpoints.open, methods=["POST"]),
        ],
        exception_handlers={
            HTTPException: _refusal,
            ClientDisconnect: _client_gone,
            Exception: _failure,
        },
    )
    app.router.redirect_slashes = False
    app.add_middleware(_Guard, host=host)
    return app


class _Guard:
    """Middleware that answers only for its own host and restricts browsers."""

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app = app
        self._host = host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["type"] != "http":
            return
        if Headers(scope=scope).getlist("host") != [self._host]:
            await PlainTextResponse("another host", 421)(scope, receive, guarded)
        else:
            await self._app(scope, receive, guarded)


_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def _page_policy(page: str, more: str = "") -> str:
    """Return a content security policy that allows only the page's own script and style."""
    sources = dict.fromkeys(("script", "style"), "")
    for kind, text in re.findall(r"<(script|style)>(.*?)</\1>", page, re.DOTALL):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        sources[kind] += f" 'sha256-{digest}'"
    return f"{_POLICY}; {more}script-src{sources['script']}; style-src{sources['style']}"


class _Endpoints:
    """Takes requests and checks them; the room answers."""

    def __init__(self, room: Room, token: str, host: str) -> None:
        self._room = room
        self._token = token
        self._origin = f"http://{host}"

    async def page(self, request: Request) -> Response:
        self._check_token(request)
        text = await _in_thread(self._room.page)
        policy = _page_policy(text, "connect-src 'self'; ")
        return HTMLResponse(text, headers={"Content-Security-Policy": policy})

    async def replay(self, request: Request) -> Response:
        self._check_token(request)
        text = await _in_thread(self._room.replay)
        return HTMLResponse(text, headers={"Content-Security-Policy": _page_policy(text)})

    async def saved(self, request: Request) -> Response:
        self._check_token(request)
        name, text = await _in_thread(self._room.saved)
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(text, media_type="application/json", headers=headers)

    async def act(self, request: Request) -> Response:
        self._check_sender(request)
        body = await _body(request, _LARGEST)
        return await _answer(lambda: self._room.carry_out(read_order(body)))

    async def open(self, request: Request) -> Response:
        self._check_sender(request)
        version = request.query_params.get("version", "")
        if not re.fullmatch(r"\d{1,9}", version, re.ASCII):
            raise HTTPException(400, "version must be a whole number")
        body = await _body(request, _LARGEST_FILE)
        return await _answer(lambda: self._room.open(int(version), body))

    def _check_token(self, request: Request) -> None:
        given = request.path_params["token"].encode()
        if not hmac.compare_digest(given, self._token.encode()):
            raise HTTPException(404, "there is nothing here")

    def _check_sender(self, request: Request) -> None:
        """Accept orders only from the game's own page, before reading them."""
        self._check_token(request)
        if request.headers.getlist("origin") != [self._origin]:
            raise HTTPException(403, "only the game's own page may do this")
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise HTTPException(415, "an order must be application/json")


async def _answer(work: Callable[[], dict[str, Any]]) -> Response:
    """Return the answer to an order, which may take long."""
    try:
        return JSONResponse(await _in_thread(work))
    except OutdatedError as error:
        raise HTTPException(409, str(error)) from None
    except ValueError as error:
        raise HTTPException(400, " ".join(str(error).split())) from None


async def _in_thread(work: Callable[[], T]) -> T:
    """Return the result of work in a daemon thread."""
    future: Future[T] = Future()

    def run() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 it is raised where it is waited for
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return await asyncio.wrap_future(future)


async def _body(request: Request, most: int) -> bytes:
    """Return the body, up to the maximum length."""
    parts, size = [], 0
    async for part in request.stream():
        parts.append(part)
        size += len(part)
        if size > most:
            # The rest is not waited for.
            raise HTTPException(413, f"at most {most} bytes are taken", {"Connection": "close"})
    return b"".join(parts)


def _failure(request: Request, error: Exception) -> Response:
    """Report a fault of this program or of an agent in one line, here and on the page."""
    print(f"boardenvs: error: {one_line(error)}", file=sys.stderr)
    return JSONResponse({"problem": "the program failed; it says why where it runs"}, 500)


def _refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"problem": error.detail}, error.status_code, error.headers)


def _client_gone(request: Request, error: Exception) -> Response:
    """Answer a client that has left."""
    return Response(status_code=400)
