"""Storage of finished games in one SQLite file, and what is read back from it."""
