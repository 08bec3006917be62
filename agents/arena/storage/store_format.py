"""The tables of a store's file, and their format."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

from agents.arena.storage.sqlite_files import connect, is_no_database, transaction

__all__ = ["check", "create_tables", "is_empty", "roll_back"]

_APPLICATION = 0x626F6172  # "boar": identifies stores among SQLite files
_FORMAT = 3
"""Version of the tables below, recorded in the file."""
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


def is_empty(path: Path, connection: sqlite3.Connection) -> bool:
    """Return whether a file has no tables yet.

    The size of the file is not enough: a run that was stopped while creating the tables may leave a
    part of them, which SQLite removes when it opens the file.
    """
    return bool(_asked(path, connection, "PRAGMA page_count") == 0)


def roll_back(path: Path) -> None:
    """Let SQLite remove incomplete changes of a stopped run, for which it needs write access."""
    if path.with_name(f"{path.name}-journal").exists():
        with contextlib.closing(connect(path, "rw")) as connection:
            _asked(path, connection, "PRAGMA page_count")


def create_tables(connection: sqlite3.Connection, settings: dict[str, str]) -> None:
    """Create all tables in one transaction, so that a store is never incomplete."""
    with transaction(connection):
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_FORMAT}")
            for statement in _TABLES.strip().split(";\n"):
                connection.execute(statement)
            connection.executemany("INSERT INTO arena VALUES (?, ?)", list(settings.items()))


def check(path: Path, connection: sqlite3.Connection) -> None:
    """Raise `ValueError` unless a file is a complete store of this format."""
    if is_empty(path, connection):
        raise ValueError(f"{path} is empty: expected an arena's store")
    if _asked(path, connection, "PRAGMA application_id") != _APPLICATION:
        raise ValueError(f"{path} is not an arena's store")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != _FORMAT:
        raise ValueError(f"{path} must be a store of format {_FORMAT}, got format {version}")
    verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        raise ValueError(f"{path} is damaged: {' '.join(verdict.split())}")


def _asked(path: Path, connection: sqlite3.Connection, pragma: str) -> Any:
    """Return the answer to a pragma; raise `ValueError` if the file is not a database."""
    try:
        return connection.execute(pragma).fetchone()[0]
    except sqlite3.DatabaseError as error:
        if is_no_database(path, error):
            raise ValueError(f"{path} is not an arena's store: {error}") from error
        raise
