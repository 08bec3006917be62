"""The web application around a `Room`, with its access rules.

The address contains a secret token. Pages of other sites can neither read the game nor make a move:

- They do not know the token.
- Their requests have another origin, and no cross-origin request is allowed.
- A host name that is rebound to this machine is rejected.
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

_LARGEST = 1024  # maximum bytes of an order
_LARGEST_FILE = 2**22  # maximum bytes of an opened file

T = TypeVar("T")


def make_app(room: Room, token: str, host: str) -> Starlette:
    """Return the application.

    Args:
        room: the games.
        token: the secret first part of every path.
        host: host and port of the server, such as `127.0.0.1:8000`.
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
    """Middleware that rejects other hosts and sets security headers."""

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
    """Endpoints that check requests and pass them to the room."""

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
            raise HTTPException(400, f"version must be a whole number, got {version[:20]!r}")
        body = await _body(request, _LARGEST_FILE)
        return await _answer(lambda: self._room.open(int(version), body))

    def _check_token(self, request: Request) -> None:
        given = request.path_params["token"].encode()
        if not hmac.compare_digest(given, self._token.encode()):
            raise HTTPException(404, "there is nothing here")

    def _check_sender(self, request: Request) -> None:
        """Check, before the body is read, that an order comes from the game's page."""
        self._check_token(request)
        if request.headers.getlist("origin") != [self._origin]:
            raise HTTPException(403, "only the game's own page may do this")
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise HTTPException(415, "an order must be application/json")


async def _answer(work: Callable[[], dict[str, Any]]) -> Response:
    """Return the response to an order, which may take long."""
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
        except BaseException as error:  # noqa: BLE001 raised again in the waiting coroutine
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
            # Do not wait for the rest.
            raise HTTPException(
                413, f"body must have at most {most} bytes", {"Connection": "close"}
            )
    return b"".join(parts)


def _failure(request: Request, error: Exception) -> Response:
    """Report an unexpected error in one line, on standard error and on the page."""
    print(f"boardenvs: error: {one_line(error)}", file=sys.stderr)
    return JSONResponse({"problem": "the program failed; its terminal shows the error"}, 500)


def _refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"problem": error.detail}, error.status_code, error.headers)


def _client_gone(request: Request, error: Exception) -> Response:
    """Return a response although the client has disconnected."""
    return Response(status_code=400)
