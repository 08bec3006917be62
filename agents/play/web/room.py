"""`Room`: where a person plays one game after another, and what he may choose for the next."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from typing import Any

from agents.agent import one_line
from agents.play.choices import Tables, name_of, opponents_of, tables_of
from agents.play.web.session import YOU, Session
from agents.seeds import agent_seed
from boardenvs.episode import Episode
from boardenvs.game import Game
from boardenvs.registration import names

__all__ = ["MOST_ACTIONS", "OutdatedError", "Room"]

MOST_ACTIONS = 2000
"""Of a game that is opened: each is shown by a picture."""
_DEFAULT = "greedy"


class OutdatedError(ValueError):
    """The page does not show how the game stands, as when it is open twice."""


class Room:
    """The game that is on, and the next one while it is prepared.

    Any thread may ask for anything. What may take long, such as the making of an agent whose
    kernels are compiled, is done beside: it keeps nobody from seeing the page.
    """

    def __init__(self, session: Session) -> None:
        """Open the room.

        Args:
            session: the first game; its opponents may be chosen again whatever they are.
        """
        self._session = session
        self._first = session.opponents, session.game
        self._lock = threading.RLock()
        self._version = 1
        self._preparing = False
        self._problem = ""

    # -- What the page asks ---------------------------------------------------------------------

    def page(self) -> str:
        """The page of the game as it stands."""
        with self._lock:
            session = self._session
            status = {"version": self._version, "preparing": self._preparing}
            return session.page({**status, "choices": self._choices(session)})

    def replay(self) -> str:
        """The game so far as a page of its own."""
        return self._episode().to_html()

    def saved(self) -> tuple[str, str]:
        """A name for a file, and the game so far as it is kept in one."""
        episode = self._episode()
        return f"{episode.game.name}.json", episode.to_json()

    def _episode(self) -> Episode:
        with self._lock:
            return self._session.episode()

    def carry_out(self, order: dict[str, Any]) -> dict[str, Any]:
        """Do what the page asks.

        Args:
            order: as `agents.play.web.orders.read_order` gives it.

        Returns:
            The news, as JSON values.

        Raises:
            OutdatedError: the page shows another version of the game.
            ValueError: it cannot be done; one line says why.
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
        """Go on with a game that was saved; anybody may have made the file.

        Args:
            version: of the game that the page shows.
            data: what is in the file.

        Raises:
            OutdatedError: the page shows another version of the game.
            ValueError: another game is being prepared. What is wrong with the file is told
                with the next `ready`.
        """
        with self._lock:
            self._require(version)
            return self._prepare(lambda: self._opened(data))

    def _require(self, version: int) -> None:
        if version != self._version:
            raise OutdatedError(f"the game is at version {self._version}, not {version}")

    # -- The next game --------------------------------------------------------------------------

    def _prepare(self, begin: Callable[[], Session]) -> dict[str, Any]:
        """Have the next game made beside; when it is ready it takes the place of this one."""
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
        except Exception as error:  # noqa: BLE001 told as the server tells of its mistakes
            print(f"boardenvs: error: {one_line(error)}", file=sys.stderr)
            problem = "the program failed; it says why where it runs"
        with self._lock:
            self._preparing, self._problem = False, problem
            if not problem:
                self._session = session
                self._version += 1

    def _chosen(self, order: dict[str, Any]) -> Callable[[], Session]:
        """The making of a game as it was chosen.

        Raises:
            ValueError: that is not among what may be chosen.
        """
        session = self._session
        game = tables_of(session.game).games.get(tuple(order["values"]))
        if game is None or not all(
            type(value) is type(known)
            for value, known in zip(order["values"], self._current(game), strict=True)
        ):
            raise ValueError("the game cannot be played like that")
        specs, seat = order["opponents"], order["seat"]
        if len(specs) != max(1, game.num_players - 1):
            raise ValueError(f"there must be an opponent for each other seat, not {len(specs)}")
        known = [one["spec"] for one in self._opponents(game)]
        if any(spec not in known for spec in specs):
            raise ValueError("there is no such opponent to choose")
        if not 0 <= seat < game.num_players:
            raise ValueError(f"the seat must be one of {game.num_players}, counted from 0")
        adviser = specs[0] if game.num_players == 1 else None
        return lambda: Session(game, specs, seat, self._next_seed(), adviser=adviser)

    def _next_seed(self) -> int:
        """Of the next game: the same for the same seed and the same course of the ones before."""
        return agent_seed(self._session.seed, 2)

    def _opened(self, data: bytes) -> Session:
        """A game that was saved, with this room's opponents as far as they play it.

        Raises:
            ValueError: it is no such file, or not to be played here.
        """
        _check_length(data)
        episode = Episode.from_json(data)
        game = episode.game
        session = self._session
        known = [one["spec"] for one in self._opponents(game)]
        specs = [spec if spec in known else _DEFAULT for spec in session.opponents]
        if len(specs) != game.num_players - 1:
            specs = specs[:1]
        adviser = None
        if game == session.game:
            adviser = session.adviser.spec
        seats = [seat for seat, name in enumerate(episode.players) if name == YOU]
        seat = seats[0] if seats else min(session.seat, game.num_players - 1)
        opened = Session(game, specs, seat, self._next_seed(), adviser=adviser)
        opened.take_over(episode)
        return opened

    # -- What may be chosen ---------------------------------------------------------------------

    def _opponents(self, game: Game) -> list[dict[str, Any]]:
        """Those of the game, each with its place, and those that the program was started with."""
        found = [{**one._asdict(), "place": k} for k, one in enumerate(opponents_of(game), 1)]
        specs, first = self._first
        for spec in dict.fromkeys(specs if type(game) is type(first) else ()):
            if spec not in [one["spec"] for one in found]:
                found.append({**name_of(spec, game)._asdict(), "place": 0})
        return found

    def _current(self, game: Game) -> list[Any]:
        """The values of a game's parameters that may be chosen."""
        return [game.params[one.key] for one in tables_of(game).parameters]

    def _choices(self, session: Session) -> dict[str, Any]:
        """What the page needs to know of it."""
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
            "against": [session.adviser.spec] if single else list(session.opponents),
            "seat": session.seat,
        }


def _seats(game: Game) -> list[str]:
    """What each seat is called, and which of them begins, where that is not drawn."""
    called = [name.removeprefix("Player ").capitalize() for name in game.seat_names]
    if game.num_players > 1 and not game.has_chance:
        called[int(game.new(1, 0)["to_move"][0])] += ", moves first"
    return called


def _check_length(data: bytes) -> None:
    """Refuse a game of another program, or one that is too long to be shown, before it is played.

    Raises:
        ValueError: it is that.
    """
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return  # which `Episode` tells better
    if not isinstance(content, dict):
        return
    actions, initial = content.get("actions"), content.get("initial")
    if isinstance(actions, list) and len(actions) > MOST_ACTIONS:
        raise ValueError(f"the game has {len(actions)} moves; at most {MOST_ACTIONS} can be shown")
    if isinstance(initial, dict) and initial.get("game") not in names():
        raise ValueError("it is a game that this program does not know")
