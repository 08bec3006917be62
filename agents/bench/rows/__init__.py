"""Measurements of `boardenvs bench`, a file for each kind of row."""
