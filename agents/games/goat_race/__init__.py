"""Players of Goat Race alone."""
