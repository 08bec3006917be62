"""`Room`: the games that a person plays one after another, and the choices for the next one."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from agents.agent import one_line
from agents.naming.spec import specs_of
from agents.play.choices import Named, Tables, name_of, opponents_of, tables_of
from agents.play.web.session import YOU, Session
from agents.seeds import agent_seed
from boardenvs.episode import Episode
from boardenvs.game import Game
from boardenvs.registration import names

__all__ = ["MOST_ACTIONS", "OutdatedError", "Room"]

MOST_ACTIONS = 2000
"""Maximum number of actions of an opened game, since each action has a picture."""
_DEFAULT = "greedy"


class OutdatedError(ValueError):
    """An error if the page shows an old version of the game, such as in a second tab."""


class Room:
    """The current game, and the next one while it is prepared.

    Methods may be called from any thread. Slow work, such as compiling an agent's kernels, runs in
    its own thread, so that the page stays available.
    """

    def __init__(self, session: Session) -> None:
        """Create a room with its first game.

        Args:
            session: the first game. Its opponents stay available for later games.
        """
        self._session = session
        self._first = session.opponents, session.game
        self._lock = threading.RLock()
        self._version = 1
        self._preparing = False
        self._problem = ""

    # -- Requests of the page ---------------------------------------------------------------------

    def page(self) -> str:
        """Return the page of the game."""
        with self._lock:
            session = self._session
            status = {"version": self._version, "preparing": self._preparing}
            return session.page({**status, "choices": self._choices(session)})

    def replay(self) -> str:
        """Return the game so far as a page of its own."""
        return self._episode().to_html()

    def saved(self) -> tuple[str, str]:
        """Return a file name and the game so far as the content of that file."""
        episode = self._episode()
        return f"{episode.game.name}.json", episode.to_json()

    def _episode(self) -> Episode:
        with self._lock:
            return self._session.episode()

    def carry_out(self, order: dict[str, Any]) -> dict[str, Any]:
        """Carry out an order of the page.

        Args:
            order: an order from `agents.play.web.orders.read_order`.

        Returns:
            The news, as JSON values.

        Raises:
            OutdatedError: the page shows another version of the game.
            ValueError: the order cannot be carried out.
        """
        do = order["do"]
        with self._lock:
            if do == "ready":
                return {"preparing": self._preparing, "problem": self._problem}
            self._require(order["version"])
            session = self._session
            if do == "new":
                return self._prepare(self._chosen(order))
            if do != "analyse":
                doing: Callable[..., dict[str, Any]] = getattr(session, do)
                news = doing(order["move"]) if do == "move" else doing()
                self._version += 1
                return {**news, "version": self._version}
            advice = session.analyse(order["at"])
        return advice()

    def open(self, version: int, data: bytes) -> dict[str, Any]:
        """Continue a saved game. The file is not trusted.

        Args:
            version: version of the game that the page shows.
            data: the content of the file.

        Raises:
            OutdatedError: the page shows another version of the game.
            ValueError: another game is being prepared. Errors in the file are reported by the next
                `ready`.
        """
        with self._lock:
            self._require(version)
            return self._prepare(lambda: self._opened(data))

    def _require(self, version: int) -> None:
        if version != self._version:
            raise OutdatedError(f"version must be {self._version}, got {version}; reload the page")

    # -- The next game --------------------------------------------------------------------------

    def _prepare(self, begin: Callable[[], Session]) -> dict[str, Any]:
        """Prepare the next game in a thread; when it is ready it replaces the current one."""
        if self._preparing:
            raise ValueError("another game is being prepared")
        self._preparing, self._problem = True, ""
        threading.Thread(target=self._make, args=(begin,), daemon=True).start()
        return {"preparing": True}

    def _make(self, begin: Callable[[], Session]) -> None:
        try:
            session, problem = begin(), ""
            session.warm_up()
        except ValueError as error:
            problem = " ".join(str(error).split())
        except Exception as error:  # noqa: BLE001 reported like the server's own errors
            print(f"boardenvs: error: {one_line(error)}", file=sys.stderr)
            problem = "the program failed; its terminal shows the error"
        with self._lock:
            self._preparing, self._problem = False, problem
            if not problem:
                self._session = session
                self._version += 1

    def _chosen(self, order: dict[str, Any]) -> Callable[[], Session]:
        """Return a function that makes the chosen game.

        Raises:
            ValueError: the page does not offer this choice.
        """
        session = self._session
        game = tables_of(session.game).games.get(tuple(order["values"]))
        if game is None or not all(
            type(value) is type(known)
            for value, known in zip(order["values"], self._current(game), strict=True)
        ):
            raise ValueError(f"values must be a choice of the page, got {order['values']}")
        texts, seat = order["opponents"], order["seat"]
        if len(texts) != max(1, game.num_players - 1):
            raise ValueError(f"opponents must be one for each other seat, got {len(texts)}")
        known = [one["spec"] for one in self._opponents(game)]
        if any(text not in known for text in texts):
            raise ValueError(f"opponents must be choices of the page, got {', '.join(texts)}")
        if not 0 <= seat < game.num_players:
            raise ValueError(f"seat must be from 0 to {game.num_players - 1}, got {seat}")
        specs = specs_of(texts, game)
        adviser = specs[0] if game.num_players == 1 else None
        return lambda: Session(game, specs, seat, self._next_seed(), adviser=adviser)

    def _next_seed(self) -> int:
        """Return the seed of the next game, which depends on the current seed only."""
        return agent_seed(self._session.seed, 2)

    def _opened(self, data: bytes) -> Session:
        """Return a saved game, with this room's opponents if they can play it.

        Raises:
            ValueError: the file is not a saved game, or its game cannot be played here.
        """
        _check_length(data)
        episode = Episode.from_json(data)
        game = episode.game
        session = self._session
        known = [one["spec"] for one in self._opponents(game)]
        texts = [spec.text if spec.text in known else _DEFAULT for spec in session.opponents]
        if len(texts) != game.num_players - 1:
            texts = texts[:1]
        adviser = None
        if game == session.game:
            adviser = session.adviser.spec
        seats = [seat for seat, name in enumerate(episode.players) if name == YOU]
        seat = seats[0] if seats else min(session.seat, game.num_players - 1)
        opened = Session(game, specs_of(texts, game), seat, self._next_seed(), adviser=adviser)
        opened.take_over(episode)
        return opened

    # -- Choices --------------------------------------------------------------------------------

    def _opponents(self, game: Game) -> list[dict[str, Any]]:
        """Return the game's opponents with their ranks, and those of the first game."""
        found = [_choice(one, k) for k, one in enumerate(opponents_of(game), 1)]
        specs, first = self._first
        for spec in dict.fromkeys(specs if type(game) is type(first) else ()):
            if spec.text not in [one["spec"] for one in found]:
                found.append(_choice(name_of(replace(spec, game=game)), 0))
        return found

    def _current(self, game: Game) -> list[Any]:
        """Return the values of the parameters that can be chosen."""
        return [game.params[one.key] for one in tables_of(game).parameters]

    def _choices(self, session: Session) -> dict[str, Any]:
        """Return the choices for the page."""
        tables: Tables = tables_of(session.game)
        single = session.game.num_players == 1
        return {
            "parameters": [
                {"label": one.label, "values": [[k, name] for k, name in one.values.items()]}
                for one in tables.parameters
            ],
            "games": [
                {
                    "values": list(values),
                    "seats": _seats(game),
                    "opponents": self._opponents(game),
                }
                for values, game in tables.games.items()
            ],
            "values": self._current(session.game),
            "against": [
                spec.text for spec in ([session.adviser.spec] if single else session.opponents)
            ],
            "seat": session.seat,
        }


def _choice(agent: Named, place: int) -> dict[str, Any]:
    """Return an agent with its rank for the page, as JSON values."""
    return {**agent._asdict(), "spec": agent.spec.text, "place": place}


def _seats(game: Game) -> list[str]:
    """Return the names of the seats; a note marks a seat that always moves first."""
    called = [name.removeprefix("Player ").capitalize() for name in game.seat_names]
    if game.num_players > 1 and not game.has_chance:
        called[int(game.new(1, 0)["to_move"][0])] += ", moves first"
    return called


def _check_length(data: bytes) -> None:
    """Raise `ValueError` if a saved game is unknown or too long to show."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return  # `Episode` reports it
    if not isinstance(content, dict):
        return
    actions, initial = content.get("actions"), content.get("initial")
    if isinstance(actions, list) and len(actions) > MOST_ACTIONS:
        raise ValueError(f"the game must have at most {MOST_ACTIONS} moves, got {len(actions)}")
    if isinstance(initial, dict) and initial.get("game") not in names():
        raise ValueError(f"game must be one of {', '.join(names())}")
