"""Programs for maintainers that concern only Gomoku, for `python -m agents.dev`."""
