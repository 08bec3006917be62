"""Players of Dominoes 175 alone."""
