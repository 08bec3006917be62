"""Programs for maintainers that concern only Dominoes 175, for `python -m agents.dev`."""
