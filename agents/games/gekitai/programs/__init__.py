"""Programs for maintainers that concern only Gekitai, for `python -m agents.dev`."""
