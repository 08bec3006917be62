"""SQLite files: connections, transactions, and errors on one line."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

__all__ = ["connect", "is_no_database", "sqlite_errors", "transaction"]

_LITTLE = 2**16  # bytes; with fewer free, a failed write means that the disk is full


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Return a connection to a file.

    Args:
        path: path of the file.
        mode: "ro" to read, "rw" to write, "rwc" to create a missing file and write.

    Raises:
        ValueError: the file cannot be opened.
    """
    with sqlite_errors(path):
        return sqlite3.connect(
            f"{path.resolve().as_uri()}?mode={mode}", uri=True, timeout=60, isolation_level=None
        )


@contextlib.contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into a `ValueError` of one line that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise ValueError(f"{path}: {_reason(path, error)}") from error


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all changes of the context, or undo them if it raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite ends it by itself if the disk is full
            with contextlib.suppress(sqlite3.Error):  # the first error is the one to report
                connection.execute("ROLLBACK")
        raise


def is_no_database(path: Path, error: sqlite3.Error) -> bool:
    """Return whether an error means that a file is not SQLite's, or is damaged."""
    code = _kind(error)
    return code == sqlite3.SQLITE_NOTADB or (code == sqlite3.SQLITE_CORRUPT and not _unread(path))


def _reason(path: Path, error: sqlite3.Error) -> str:
    """Return the reason of an error in one line."""
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
            f"a stopped run left {left[0]} beside it, and SQLite needs a writable folder to read "
            "it: copy both files to such a folder"
        )
    return str(error)


def _unread(path: Path) -> str | None:
    """Return why a file could not be read; `None` if it really is malformed.

    SQLite also reports a malformed file after some disk errors.
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
    return (
        "disk I/O error: the file was unreadable, but a second attempt succeeded" if whole else None
    )


def _full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < _LITTLE
    except OSError:
        return False


def _kind(error: sqlite3.Error) -> int:
    """Return the number of an error's kind, without SQLite's higher bits; 0 for none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
