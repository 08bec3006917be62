"""Programs for maintainers that make and check shipped files."""
