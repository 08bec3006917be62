"""Players of Gekitai alone."""
