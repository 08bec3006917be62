"""Players for the games of boardenvs."""
