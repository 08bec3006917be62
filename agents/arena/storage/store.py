"""`Store`: the finished games of an arena in one SQLite file.

Each game is written as soon as it ends, so a killed process loses no finished game. While an arena
runs, SQLite keeps a log beside the file (`FILE-wal`), which is part of the store.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

import boardenvs
from agents.arena.games import Games, episode_of
from agents.arena.results import PairResult, SoloResult
from agents.arena.scores import agent_scores
from agents.arena.storage.sqlite_files import connect, sqlite_errors, transaction
from agents.arena.storage.store_format import check, create_tables, is_empty, roll_back
from agents.naming.spec import Spec, specs_of
from boardenvs.core.checks import file_path, one_of
from boardenvs.episode import Episode
from boardenvs.game import Game

__all__ = ["Lineup", "Store", "StoredMatch"]


@dataclass(frozen=True)
class Lineup:
    """A match to be kept in a store."""

    specs: tuple[Spec, ...]
    """The agents."""
    versions: tuple[str, ...]
    """Versions of the agents; see `Spec.version`."""
    opening_plies: int


@dataclass(frozen=True)
class StoredMatch:
    """One match of a store."""

    specs: tuple[str, ...]
    """Texts of the agents' specs."""
    versions: tuple[str, ...]
    """Versions of the agents."""
    opening_plies: int
    id: int
    games: int
    """Number of its games in the store."""


class Store:
    """An open store; a context manager that closes it.

    Attributes, read-only:
        game: the `Game`.
        seed: seed of everything random, an int.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Use `Store.open` or `Store.read`."""
        self.path = path
        self._connection = connection
        self._ids: dict[tuple[str, ...], int] = {}
        settings = dict(self._rows("SELECT key, value FROM arena"))
        with self._well_formed():
            _require_text(*settings.values())
            name, params = settings["game"], json.loads(settings["params"])
            self.seed = int(settings["seed"])
            self.game: Game = boardenvs.make(name, **params)

    @classmethod
    def open(cls, path: str | Path, game: Game, seed: int, openings: str | None = None) -> Store:
        """Open a store to add games, or create it if the file is missing or empty.

        Args:
            path: path of the file.
            game: the game.
            seed: seed of everything random.
            openings: name and version of the openings, if the games use any.

        Raises:
            ValueError: the file is not a store, is damaged, or has games with other settings. The
                file stays unchanged.
        """
        path = file_path("store", path)
        wanted = {
            "game": game.name,
            "params": json.dumps(game.params, sort_keys=True),
            "seed": str(seed),
            "version": boardenvs.__version__,
            **({} if openings is None else {"openings": openings}),
        }
        try:
            mode = "rw" if path.exists() else "rwc"
        except OSError as error:  # an impossible file name
            raise ValueError(f"{path}: {error.strerror}") from None
        connection = connect(path, mode)
        try:
            with sqlite_errors(path):
                if is_empty(path, connection):
                    create_tables(connection, wanted)
                check(path, connection)
            store = cls(path, connection)
            store._expect(wanted)
        except BaseException:
            connection.close()
            raise
        return store

    @classmethod
    def read(cls, path: str | Path) -> Store:
        """Open a store for reading.

        Raises:
            ValueError: the store does not exist, or it is damaged.
        """
        path = file_path("store", path)
        if not path.is_file():
            raise ValueError(f"there is no store {path}")
        with sqlite_errors(path):
            roll_back(path)
        connection = connect(path, "ro")
        try:
            with sqlite_errors(path):
                check(path, connection)
            return cls(path, connection)
        except BaseException:
            connection.close()
            raise

    def _expect(self, wanted: dict[str, str]) -> None:
        """Raise `ValueError` if the store's settings differ from the wanted ones."""
        settings = dict(self._rows("SELECT key, value FROM arena"))
        for key in settings | wanted:
            held, given = (
                f"{key} {values[key]}" if key in values else f"no {key}"
                for values in (settings, wanted)
            )
            if held != given:
                raise ValueError(
                    f"{self.path} has games with {held}, got {given}; use another file"
                )

    def close(self) -> None:
        """Close the file. SQLite then removes its log, unless others have the file open."""
        with contextlib.suppress(sqlite3.Error):  # open elsewhere, or read-only
            self._connection.execute("PRAGMA journal_mode = DELETE")
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- Writing ------------------------------------------------------------------------

    def enter(self, wanted: Sequence[Lineup]) -> None:
        """Prepare the store for games of some matches. An error changes nothing.

        Raises:
            ValueError: the store has games of other versions of the agents or with other openings,
                or a spec is not printable.
        """
        held = dict(self._rows("SELECT spec, version FROM agents"))
        plies = {match.specs: match.opening_plies for match in self.matches()}
        for lineup in wanted:
            names = _names(lineup.specs)
            _require_text(*names)
            for spec, version in zip(names, lineup.versions, strict=True):
                if held.setdefault(spec, version) != version:
                    raise ValueError(
                        f"{self.path} has games of another version of {spec}: expected "
                        f"{held[spec]}, got {version}; use another file"
                    )
            if plies.setdefault(names, lineup.opening_plies) != lineup.opening_plies:
                raise ValueError(
                    f"{self.path} has games of {' - '.join(names)} with opening_plies "
                    f"{plies[names]}, got {lineup.opening_plies}; use another file"
                )
        with sqlite_errors(self.path):
            # A log survives the process, and a power cut except for the last games.
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
        with self._transaction() as connection:
            connection.executemany("INSERT OR IGNORE INTO agents VALUES (?, ?)", held.items())
            connection.executemany(
                "INSERT OR IGNORE INTO matches (agents, opening_plies) VALUES (?, ?)",
                [(json.dumps(specs), number) for specs, number in plies.items()],
            )
        self._ids = {match.specs: match.id for match in self.matches()}

    def add(self, specs: Sequence[Spec | str], games: Games) -> None:
        """Write finished games of an entered match. Games that the store has stay unchanged.

        Raises:
            ValueError: the games cannot be written.
        """
        match = self._ids[_names(specs)]
        rows = zip(
            games.numbers.tolist(),
            games.streams.tolist(),
            games.who.tolist(),
            games.moves.tolist(),
            games.returns.tolist(),
            games.plies.tolist(),
            games.offenders.tolist(),
            np.stack([games.seconds.round(6), games.choices], 2).tolist(),
            strict=True,
        )
        with self._transaction() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO games (match, number, seed, seats, moves, returns, plies, "
                "offender, times) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        match,
                        number,
                        f"{word:016x}",
                        json.dumps(who),
                        json.dumps(moves, separators=(",", ":")),
                        json.dumps(returns),
                        plies,
                        offender,
                        json.dumps(times),
                    )
                    for number, word, who, moves, returns, plies, offender, times in rows
                ],
            )

    # -- Reading ------------------------------------------------------------------------

    def matches(self) -> list[StoredMatch]:
        """Return the matches, in order of entry."""
        versions = dict(self._rows("SELECT spec, version FROM agents"))
        counts = dict(self._rows("SELECT match, count(*) FROM games GROUP BY match"))
        found = []
        with self._well_formed():
            for number, agents, plies in self._rows(
                "SELECT id, agents, opening_plies FROM matches ORDER BY id"
            ):
                specs = tuple(json.loads(agents))
                theirs = tuple(versions[spec] for spec in specs)
                _require_text(*specs, *theirs)
                if not (isinstance(number, int) and isinstance(plies, int)):
                    raise ValueError(
                        f"match id and opening_plies must be integers, got {number!r} and {plies!r}"
                    )
                found.append(StoredMatch(specs, theirs, plies, number, counts.get(number, 0)))
        return found

    def games(self, specs: Sequence[Spec | str], below: int | None = None) -> Iterator[Games]:
        """Yield the games of a match, some thousands at a time, without their moves.

        Args:
            specs: the match's agents, or the texts of their specs.
            below: only games with smaller numbers; by default all.

        Raises:
            ValueError: the store is damaged.
        """
        match = self._match(specs).id
        rows = self._rows(
            "SELECT number, seed, seats, returns, plies, offender, times FROM games "
            "WHERE match = ? AND number >= 0 AND number < ? ORDER BY number",
            (match, 2**62 if below is None else below),
        )
        seats = self.game.num_players
        for low in range(0, len(rows), 4096):
            with self._well_formed():
                columns = zip(*rows[low : low + 4096], strict=True)
                numbers, seeds, who, returns, plies, offenders, taken = columns
                streams = np.array([int(seed, 16) for seed in seeds], np.uint64)
                count = len(numbers)
                shape = count, len(specs), 2
                seconds, choices = np.moveaxis(_parsed(taken, np.float64, shape, 0, 1e12), 2, 0)
                yield Games(
                    np.array(numbers, np.int64),
                    streams,
                    _parsed(who, np.int64, (count, seats), 0, len(specs) - 1),
                    _parsed(returns, np.float32, (count, seats), -1, 1),
                    np.array(plies, np.int32),
                    np.zeros((count, 0), np.int32),
                    self._offenders(offenders),
                    seconds,
                    choices.astype(np.int64),
                )

    def _offenders(self, recorded: Sequence[int]) -> npt.NDArray[np.int64]:
        """Return the seat that forfeited each game, -1 for a game without a forfeit."""
        found = np.array(recorded, np.int64)
        if not ((found >= -1) & (found < self.game.num_players)).all():
            raise ValueError("offender must be -1 or a seat in every game")
        return found

    def results(self) -> list[PairResult | SoloResult]:
        """Return the result of each match over all its games.

        Raises:
            ValueError: the store is damaged.
        """
        found: list[PairResult | SoloResult] = []
        for match in self.matches():
            none = Games.blank(0, self.game.num_players, len(match.specs))
            games = Games.joined([none, *self.games(match.specs)])
            scores = agent_scores(games, len(match.specs))
            kind = SoloResult if len(match.specs) == 1 else PairResult
            found.append(kind(tuple(specs_of(match.specs, self.game)), scores))
        return found

    def episode(self, name: str) -> Episode:
        """Return a game as an episode.

        Args:
            name: `MATCH.NUMBER`, such as "2.17": the match's `id`, and the game's number
                in it, from 0.

        Raises:
            ValueError: the game does not exist, or it is damaged.
        """
        match_id, dot, number = name.partition(".")
        if not (dot and match_id.isdecimal() and number.isdecimal()):
            raise ValueError(f"game must be MATCH.NUMBER, such as 1.0, got {name!r}")
        match = next((m for m in self.matches() if m.id == int(match_id)), None)
        rows = self._rows(
            "SELECT seed, seats, moves, returns FROM games WHERE match = ? AND number = ?",
            (int(match_id), min(int(number), 2**63 - 1)) if match else (0, 0),
        )
        if match is None or not rows:
            raise ValueError(f"{self.path} has no game {name}")
        seed, seats, moves, returns = rows[0]
        with self._well_formed():
            episode = episode_of(
                self.game, match.specs, json.loads(seats), int(seed, 16), json.loads(moves)
            )
            if episode.returns.tolist() != json.loads(returns):
                raise ValueError(f"the moves of game {name} do not lead to its result")
        return episode

    def plies(
        self, specs: Sequence[Spec | str]
    ) -> Iterator[tuple[int, list[int], list[int], list[float]]]:
        """Yield the games of a match with their moves, each verified by a replay.

        Args:
            specs: the match's agents, or the texts of their specs.

        Yields:
            For each game the start of its random stream, the index in `specs` of each seat's agent,
            all actions, and each seat's result.

        Raises:
            ValueError: the store is damaged or does not have the match.
        """
        match = self._match(specs)
        query = "SELECT number, seed, seats FROM games WHERE match = ? ORDER BY number"
        for number, seed, seats in self._rows(query, (match.id,)):
            episode = self.episode(f"{match.id}.{number}")
            with self._well_formed():
                who = [int(place) for place in json.loads(seats)]
                yield int(seed, 16), who, episode.actions, episode.returns.tolist()

    def game_of(self, specs: Sequence[Spec | str], number: int) -> Episode:
        """Return one game of a match of these agents; raises as `episode`."""
        return self.episode(f"{self._match(specs).id}.{number}")

    def export(self, folder: str | Path, suffix: str = ".json") -> int:
        """Write each game to a file `MATCH.NUMBER` in a folder, which is created if missing.

        Args:
            folder: folder of the files.
            suffix: suffix of the files, which selects their format; see `Episode.save`.

        Returns:
            The number of games.

        Raises:
            OSError: a file cannot be written.
            ValueError: the game does not support the format, or the store is damaged.
        """
        one_of("suffix", suffix, [".json", *self.game.file_formats])
        place = file_path("folder", folder)
        place.mkdir(exist_ok=True)
        games = self._rows("SELECT match, number FROM games ORDER BY match, number")
        for match, number in games:
            self.episode(f"{match}.{number}").save(place / f"{match}.{number}{suffix}")
        return len(games)

    # -- SQLite -------------------------------------------------------------------------

    def _match(self, specs: Sequence[Spec | str]) -> StoredMatch:
        for match in self.matches():
            if match.specs == _names(specs):
                return match
        raise ValueError(f"{self.path} has no match of {' - '.join(_names(specs))}")

    def _rows(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        with sqlite_errors(self.path):
            return self._connection.execute(query, values).fetchall()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with sqlite_errors(self.path), transaction(self._connection):
            yield self._connection

    @contextlib.contextmanager
    def _well_formed(self) -> Iterator[None]:
        """Turn any error in the content of the file into a `ValueError` of one line."""
        try:
            yield
        except RecursionError as error:
            raise ValueError(f"{self.path} is damaged: its values are nested too deeply") from error
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
            raise ValueError(f"{self.path} is damaged: {error}") from error


def _names(specs: Sequence[Spec | str]) -> tuple[str, ...]:
    return tuple(map(str, specs))


def _require_text(*values: object) -> None:
    """Raise `ValueError` for unprintable text, whose escape sequences a terminal would execute."""
    for value in values:
        if not (isinstance(value, str) and value.isprintable()):
            raise ValueError(f"expected text of printable characters, got {value!r}")


def _parsed(
    texts: Sequence[str], kind: Any, shape: tuple[int, ...], low: float, high: float
) -> Any:
    """Return JSON lists as an array of this shape, with values from `low` to `high`."""
    array = np.array(json.loads(f"[{','.join(texts)}]"), kind)
    if array.shape != shape or not ((array >= low) & (array <= high)).all():
        raise ValueError("seats, results or times of a game are missing or out of range")
    return array
