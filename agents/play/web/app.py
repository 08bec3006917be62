"""The web application around a `Session`: who may ask, and how.

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
import json
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
from agents.play.web.session import OutdatedError, Session

__all__ = ["make_app"]

_LARGEST = 1024  # bytes of an order
_ORDERS = ("move", "advance", "undo", "hint", "restart")

T = TypeVar("T")


def make_app(session: Session, token: str, host: str) -> Starlette:
    """The application.

    Args:
        session: the game.
        token: the secret first part of every path.
        host: where it is served, such as `127.0.0.1:8000`.
    """
    desk = _Desk(session, token, host)
    app = Starlette(
        routes=[
            Route("/{token}/", desk.page, methods=["GET"]),
            Route("/{token}/act", desk.act, methods=["POST"]),
        ],
        exception_handlers={
            HTTPException: _refusal,
            ClientDisconnect: _nobody,
            Exception: _failure,
        },
    )
    app.router.redirect_slashes = False
    app.add_middleware(_Guard, host=host)
    return app


class _Guard:
    """Answers for its own host alone, and forbids browsers all that a game does not need."""

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


def _page_policy(page: str) -> str:
    """The policy under which a page's own script and style run, and no other."""
    sources = dict.fromkeys(("script", "style"), "")
    for kind, text in re.findall(r"<(script|style)>(.*?)</\1>", page, re.DOTALL):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        sources[kind] += f" 'sha256-{digest}'"
    return (
        f"{_POLICY}; connect-src 'self'; script-src{sources['script']}; style-src{sources['style']}"
    )


class _Desk:
    """Takes requests, checks them, and lets the session answer, one at a time."""

    def __init__(self, session: Session, token: str, host: str) -> None:
        self._session = session
        self._token = token
        self._origin = f"http://{host}"
        self._lock = threading.Lock()

    async def page(self, request: Request) -> Response:
        self._check_token(request)
        text = await self._answer(self._session.page)
        return HTMLResponse(text, headers={"Content-Security-Policy": _page_policy(text)})

    async def act(self, request: Request) -> Response:
        self._check_token(request)
        if request.headers.getlist("origin") != [self._origin]:
            raise HTTPException(403, "only the game's own page may do this")
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise HTTPException(415, "an order must be application/json")
        order = _order(await _body(request))
        try:
            news = await self._answer(lambda: self._carry_out(order))
        except OutdatedError as error:
            raise HTTPException(409, str(error)) from None
        except ValueError as error:
            raise HTTPException(400, " ".join(str(error).split())) from None
        return JSONResponse(news)

    def _check_token(self, request: Request) -> None:
        given = request.path_params["token"].encode()
        if not hmac.compare_digest(given, self._token.encode()):
            raise HTTPException(404, "there is nothing here")

    def _carry_out(self, order: dict[str, Any]) -> dict[str, Any]:
        session = self._session
        session.require_positions(order["positions"])
        if order["do"] == "move":
            return session.move(order["move"])
        doing: Callable[[], dict[str, Any]] = getattr(session, order["do"])
        return doing()

    async def _answer(self, work: Callable[[], T]) -> T:
        """The result of what may take long, which other requests wait for."""

        def locked() -> T:
            with self._lock:
                return work()

        return await _in_thread(locked)


async def _in_thread(work: Callable[[], T]) -> T:
    """The result of work in a thread that does not keep the program from ending."""
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


async def _body(request: Request) -> bytes:
    """The body, of which no more is read than an order may have."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LARGEST:
            # The rest is not waited for.
            raise HTTPException(
                413, f"an order has at most {_LARGEST} bytes", {"Connection": "close"}
            )
    return body


def _order(body: bytes) -> dict[str, Any]:
    """What a request asks for, checked: `do`, `positions`, and the text of a move."""
    try:
        order = json.loads(body)
    except (ValueError, RecursionError):
        raise HTTPException(400, "an order must be JSON") from None
    if not isinstance(order, dict) or order.get("do") not in _ORDERS:
        raise HTTPException(400, f"an order must do one of {', '.join(_ORDERS)}")
    expected = {"do", "positions"} | ({"move"} if order["do"] == "move" else set())
    if order.keys() != expected:
        raise HTTPException(400, f"this order must have the keys {', '.join(sorted(expected))}")
    move = order.get("move", "")
    if type(order["positions"]) is not int or not isinstance(move, str):
        raise HTTPException(400, "positions must be a whole number, a move a text")
    if any("\ud800" <= letter <= "\udfff" for letter in move):  # could not be told back
        raise HTTPException(400, "a move must be text that UTF-8 can write")
    return order


def _failure(request: Request, error: Exception) -> Response:
    """Tell of a mistake in this program, or in an agent, in one line each here and in the page."""
    print(f"boardenvs: error: {one_line(error)}", file=sys.stderr)
    return JSONResponse({"problem": "the program failed; it says why where it runs"}, 500)


def _refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"problem": error.detail}, error.status_code, error.headers)


def _nobody(request: Request, error: Exception) -> Response:
    """A client left in the middle of its order: nobody hears the answer."""
    return Response(status_code=400)
