"""An OpenEnv server of games, for language models.

It requires the extra `[openenv]`. `boardenvs serve` runs it.
"""

from __future__ import annotations

import functools
import json
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Annotated, Any

import uvicorn
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
from pydantic import BeforeValidator, Field, WithJsonSchema

from agents.play.server_signals import ended_by_signals
from agents.players.text.dialogue import Dialogue
from agents.seeds import fresh_seed
from boardenvs.core.suggestion import did_you_mean
from boardenvs.game import Game

__all__ = ["Answer", "GameEnvironment", "GameState", "Message", "make_app", "make_server", "serve"]

_ROUTES = {"/ws", "/health", "/metadata", "/schema", "/openapi.json"}
"""Routes of OpenEnv that keep no game. Its `/mcp` makes sessions that never end, and its `/reset`
and `/step` make a new environment for each request."""

_SETTINGS = ("opponent", "seat", "tries", "list_moves", "strict")


def _text(answer: Any) -> str:
    """Return an answer as text, since clients that read it as JSON send "3" as a number."""
    return answer if isinstance(answer, str) else json.dumps(answer)


class Answer(Action):
    """The answer of a text player."""

    answer: Annotated[
        str,
        BeforeValidator(_text),
        WithJsonSchema({"type": ["string", "number"], "description": "your move"}),
    ]


class Message(Observation):
    """A message to the text player, with reward 0 until the end of the game."""

    message: str = Field(description="Position and question, or empty after the end.")
    seat: int = Field(description="Seat that the message is for, or that answered last.")
    rewards: list[float] = Field(description="Reward of each seat; `reward` is that of `seat`.")


class GameState(State):
    """The settings and the course of a game."""

    game: str = ""
    opponent: str = ""
    seed: int = 0
    plies: int = 0
    wrong: int = 0
    """Number of answers without a legal move."""
    forfeited: bool = False


class GameEnvironment(Environment[Answer, Message, GameState]):
    """An OpenEnv environment of one game at a time, with a message for each move.

    An answer without a legal move is answered and costs a try, as in `Dialogue`.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, game: Game, **settings: Any) -> None:
        """Create an environment without a game.

        Args:
            game: the game, which other environments may share.
            **settings: default settings for `reset`.
        """
        super().__init__()
        self.game = game
        self._settings = settings
        self._dialogue: Dialogue | None = None
        self._state = GameState(game=game.name)
        self._steps = 0

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **settings: Any
    ) -> Message:
        """Start a game and return its first message.

        Args:
            seed: seed of all randomness, at least 0; by default that of the environment, or else a
                random one, which `state` reports.
            episode_id: name of the game for `state`.
            **settings: `opponent`, `seat`, `tries`, `list_moves` and `strict` of `Dialogue`; by
                default those of the environment.

        Raises:
            ValueError: a setting is unknown or invalid. The game before continues.
        """
        for name in settings:
            if name not in _SETTINGS:
                raise ValueError(
                    f"reset has no setting {name!r}{did_you_mean(name, _SETTINGS)}; its settings "
                    f"are seed, episode_id, {', '.join(_SETTINGS)}"
                )
        chosen = {"opponent": "random", **self._settings, **settings}
        if seed is not None:
            chosen["seed"] = seed
        if chosen.get("seed") is None:
            chosen["seed"] = fresh_seed() >> 33  # 31 bits, which every client can read
        dialogue = Dialogue(self.game, **chosen)
        self._state = GameState(
            episode_id=episode_id,
            game=self.game.name,
            opponent=chosen["opponent"],
            seed=chosen["seed"],
        )
        self._dialogue, self._steps = dialogue, 0
        return self._message(dialogue)

    def step(self, action: Answer, timeout_s: float | None = None, **_: Any) -> Message:
        """Play the move of an answer and return the next message.

        Raises:
            ValueError: no game was started, or the game is over.
        """
        if self._dialogue is None:
            raise ValueError("step must be called after reset")
        self._dialogue.answer(action.answer)
        self._steps += 1
        return self._message(self._dialogue)

    @property
    def state(self) -> GameState:
        """The settings of the game, and its course until now."""
        if self._dialogue is None:
            return self._state
        course = {name: getattr(self._dialogue, name) for name in ("plies", "wrong", "forfeited")}
        return self._state.model_copy(update={"step_count": self._steps, **course})

    def get_metadata(self) -> EnvironmentMetadata:
        return EnvironmentMetadata(
            name=self.game.name,
            description=f"The game {self.game.title} for language models, against an agent.",
        )

    @staticmethod
    def _message(dialogue: Dialogue) -> Message:
        rewards = dialogue.results
        return Message(
            message=dialogue.message,
            seat=dialogue.seat,
            rewards=rewards,
            reward=rewards[dialogue.seat],
            done=dialogue.over,
        )


def make_app(game: Game, *, max_sessions: int = 64, **settings: Any) -> Callable[..., Any]:
    """Return an ASGI application that serves a game over WebSockets.

    Pages of other sites in a browser cannot connect.

    Args:
        game: the game.
        max_sessions: maximum number of sessions at a time.
        **settings: default settings of every game, see `GameEnvironment.reset`.
    """
    app = create_fastapi_app(
        functools.partial(GameEnvironment, game, **settings),
        Answer,
        Message,
        max_concurrent_envs=max_sessions,
        env_name=game.name,
        state_cls=GameState,
        mode="production",
    )
    app.router.routes[:] = [route for route in app.routes if route.path in _ROUTES]

    async def guarded(
        scope: MutableMapping[str, Any],
        receive: Callable[[], Awaitable[Any]],
        send: Callable[[Any], Awaitable[None]],
    ) -> None:
        headers = dict(scope.get("headers", ()))
        if scope["type"] == "websocket" and b"origin" in headers:  # only browsers send it
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await app(scope, receive, send)

    return guarded


def serve(
    game: Game,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    max_sessions: int = 64,
    max_message: int = 65536,
    **settings: Any,
) -> None:
    """Serve a game until Ctrl-C.

    Args:
        game: the game.
        host: address to listen on.
        port: port to listen on; 0 for a free one.
        max_sessions: maximum number of sessions at a time.
        max_message: maximum size of a message from a client, in bytes; a longer one ends its
            session.
        **settings: default settings of every game, see `GameEnvironment.reset`.

    Raises:
        ValueError: a setting is invalid.
        OSError: the port is not available.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    GameEnvironment(game, **settings).reset()  # raises errors before the server starts
    server = make_server(make_app(game, max_sessions=max_sessions, **settings), max_message)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listening:
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listening.getsockname()[1]}"
        print(f"{game.title} for OpenEnv at {address}\nCtrl-C ends it.", flush=True)
        with ended_by_signals(server):
            server.run(sockets=[listening])


def make_server(app: Callable[..., Any], max_message: int = 65536) -> uvicorn.Server:
    """Return a server of an ASGI application; see `serve` for `max_message`."""
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="critical",  # clients receive the errors
        access_log=False,
        proxy_headers=False,
        server_header=False,
        ws_max_size=max_message,
        ws_per_message_deflate=False,  # costs more time than the short messages save
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)
