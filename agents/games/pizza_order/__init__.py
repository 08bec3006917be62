"""Players of the ordering dialogue alone."""
