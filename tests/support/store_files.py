"""What stands in a store's file, read and changed past the store."""

import sqlite3


def rows(path):
    """All games of a store, by match and number."""
    with sqlite3.connect(path, timeout=60) as connection:
        found = connection.execute(
            "SELECT agents, number, seed, seats, moves, returns, plies FROM games "
            "JOIN matches ON id = match ORDER BY agents, number"
        ).fetchall()
    connection.close()
    return found


def changed(path, statement):
    """Execute a statement of SQL."""
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()
