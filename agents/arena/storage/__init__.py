"""Storage of finished games in one SQLite file."""
