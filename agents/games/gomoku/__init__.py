"""Players of Gomoku alone."""
