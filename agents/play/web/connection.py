"""`Connection`: uvicorn's connection with time limits for idle clients.

uvicorn waits without a limit for the rest of a request and for a client that does not read the
answer. Without these limits, enough idle clients would block all others.
"""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["MOST", "PATIENCE", "Connection"]

PATIENCE = 3.0
"""Seconds for each step of a client: beginning a request, sending its head or body, reading an
answer. The client runs on this machine, where each step takes milliseconds."""
MOST = 32
"""Maximum number of waiting clients; beyond it, the one that waited longest is disconnected."""

_Awaited = Literal["request", "head", "body", "reader", "end"]


class Connection(H11Protocol):
    """A connection that is closed if its client is too slow."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._awaited: _Awaited | None = None
        self.deadline: asyncio.TimerHandle | None = None
        """Timer of the current wait for the client, `None` if there is no wait."""
        self._unread = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._look()
        others: Any = self.connections
        waiting = [one for one in others if one.deadline is not None]
        if len(waiting) > MOST:
            min(waiting, key=lambda one: one.deadline.when()).abort()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._await(None)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = True
        self._look()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unread = False
        self._look()

    def abort(self) -> None:
        """Close the connection at once; unsent data is lost."""
        self.connections.discard(self)  # no longer counts against the limit
        self.transport.abort()

    def _look(self) -> None:
        """Update the step that the client must do, and restart its time limit if it changed."""
        self._await(self._to_do())

    def _to_do(self) -> _Awaited | None:
        if self.transport.is_closing():
            return "end"
        if self._unread:
            return "reader"
        if self.conn.their_state is h11.SEND_BODY:
            return "body"
        if self.conn.their_state is h11.IDLE:
            return "head" if self.conn.trailing_data[0] else "request"
        return None

    def _await(self, awaited: _Awaited | None) -> None:
        if awaited == self._awaited:
            return
        self._awaited = awaited
        if self.deadline is not None:
            self.deadline.cancel()
        self.deadline = None
        if awaited is not None:
            self.deadline = self.loop.call_later(PATIENCE, self._give_up)

    def _give_up(self) -> None:
        if self._awaited in ("reader", "end"):
            self.abort()
        else:
            self.transport.close()  # after the previous answer is sent
            self._look()
