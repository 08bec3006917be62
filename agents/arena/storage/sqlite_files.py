"""SQLite's files: opened, changed at once or not at all, and its errors in a line that is true."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

__all__ = ["at_once", "connected", "no_database", "sqlite_errors"]

_LITTLE = 2**16  # bytes: where fewer are free, a failure to write comes of that


def connected(path: Path, mode: str) -> sqlite3.Connection:
    """Open a file.

    Args:
        path: of the file.
        mode: "ro" to read, "rw" to write, "rwc" to make it if it is not there.

    Raises:
        ValueError: it cannot be opened.
    """
    with sqlite_errors(path):
        return sqlite3.connect(
            f"{path.resolve().as_uri()}?mode={mode}", uri=True, timeout=60, isolation_level=None
        )


@contextlib.contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """SQLite's errors become a `ValueError` of one line that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise ValueError(f"{path}: {_reason(path, error)}") from error


@contextlib.contextmanager
def at_once(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is written in here is, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite ends it by itself where the disk is full
            with contextlib.suppress(sqlite3.Error):  # the first error is the one to be told
                connection.execute("ROLLBACK")
        raise


def no_database(path: Path, error: sqlite3.Error) -> bool:
    """Whether an error is that a file is none of SQLite's, or is a damaged one."""
    code = _kind(error)
    return code == sqlite3.SQLITE_NOTADB or (code == sqlite3.SQLITE_CORRUPT and not _unread(path))


def _reason(path: Path, error: sqlite3.Error) -> str:
    """What is the matter, where SQLite does not say it by itself."""
    code = _kind(error)
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _full(path)):
        return "the disk is full"
    if code == sqlite3.SQLITE_CORRUPT and (unread := _unread(path)):
        return unread
    logs = [path.with_name(f"{path.name}-{kind}") for kind in ("wal", "journal")]
    left = [log.name for log in logs if log.exists()]
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    if left and not writable and code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
        return (
            f"a run that was stopped left {left[0]} beside it, which SQLite takes in only where it "
            f"may write: copy both files to such a folder"
        )
    return str(error)


def _unread(path: Path) -> str | None:
    """Why a file could not be read that SQLite calls malformed, as it does after some such errors.

    Returns:
        One line, or `None` if it can be read and is malformed.
    """
    try:
        with path.open("rb") as file:
            while file.read(1 << 20):
                pass
        again = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        with contextlib.closing(again):
            whole = again.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
    except OSError as error:
        return f"it cannot be read: {error.strerror or error}"
    except sqlite3.Error:
        return None
    return "disk I/O error: it could not be read, but now it can, and is whole" if whole else None


def _full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < _LITTLE
    except OSError:
        return False


def _kind(error: sqlite3.Error) -> int:
    """The number of an error's kind, without what SQLite adds in higher bits; 0 for none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
