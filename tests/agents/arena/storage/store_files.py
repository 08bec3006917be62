"""Direct access to a store's file, without the store's classes."""

import sqlite3


def rows(path):
    """Return all games of a store, ordered by match and number."""
    with sqlite3.connect(path, timeout=60) as connection:
        found = connection.execute(
            "SELECT agents, number, seed, seats, moves, returns, plies FROM games "
            "JOIN matches ON id = match ORDER BY agents, number"
        ).fetchall()
    connection.close()
    return found


def changed(path, statement):
    """Execute an SQL statement."""
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()
