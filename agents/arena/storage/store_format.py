"""What a store's file holds: its tables and their format, made and checked."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

from agents.arena.storage.sqlite_files import at_once, connected, no_database

__all__ = ["check", "found", "holds_nothing", "take_back"]

_APPLICATION = 0x626F6172  # "boar": tells SQLite files of this kind from others
_FORMAT = 3
"""The format of the tables below, as the file records it."""
_TABLES = """
CREATE TABLE arena (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE agents (spec TEXT PRIMARY KEY, version TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE matches (
    id INTEGER PRIMARY KEY,
    agents TEXT NOT NULL UNIQUE,  -- specs, a JSON list
    opening_plies INTEGER NOT NULL
);
CREATE TABLE games (
    match INTEGER NOT NULL REFERENCES matches,
    number INTEGER NOT NULL,
    seed TEXT NOT NULL,     -- where the game's own random stream starts: 16 hex digits
    seats TEXT NOT NULL,    -- each seat's agent by its place in the match, a JSON list
    moves TEXT NOT NULL,    -- all actions, those of the opening too, a JSON list
    returns TEXT NOT NULL,  -- each seat's result, a JSON list
    plies INTEGER NOT NULL,
    offender INTEGER NOT NULL,  -- the seat that lost by an illegal action, else -1
    times TEXT NOT NULL,    -- each agent's seconds and its choices, a JSON list
    PRIMARY KEY (match, number)
) WITHOUT ROWID;
"""


def holds_nothing(path: Path, connection: sqlite3.Connection) -> bool:
    """Whether a file is yet to be made a store.

    The file's size does not tell: of a run that was stopped while it made it, a part may be
    there, which SQLite takes back on looking.
    """
    return bool(_asked(path, connection, "PRAGMA page_count") == 0)


def take_back(path: Path) -> None:
    """What a run left half-written; SQLite does it on looking, if it may write."""
    if path.with_name(f"{path.name}-journal").exists():
        with contextlib.closing(connected(path, "rw")) as connection:
            _asked(path, connection, "PRAGMA page_count")


def found(connection: sqlite3.Connection, settings: dict[str, str]) -> None:
    """Make all tables at once, so that there is a whole store or none."""
    with at_once(connection):
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_FORMAT}")
            for statement in _TABLES.strip().split(";\n"):
                connection.execute(statement)
            connection.executemany("INSERT INTO arena VALUES (?, ?)", list(settings.items()))


def check(path: Path, connection: sqlite3.Connection) -> None:
    """Whether this is a store, whole and of this format."""
    if holds_nothing(path, connection):
        raise ValueError(f"{path} is empty: it is no arena's store yet")
    if _asked(path, connection, "PRAGMA application_id") != _APPLICATION:
        raise ValueError(f"{path} is no arena's store")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != _FORMAT:
        raise ValueError(f"{path} is a store of format {version}; expected {_FORMAT}")
    verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        raise ValueError(f"{path} is damaged: {' '.join(verdict.split())}")


def _asked(path: Path, connection: sqlite3.Connection, pragma: str) -> Any:
    """A file's first answer, which a file of another kind does not give."""
    try:
        return connection.execute(pragma).fetchone()[0]
    except sqlite3.DatabaseError as error:
        if no_database(path, error):
            raise ValueError(f"{path} is no arena's store: {error}") from error
        raise
