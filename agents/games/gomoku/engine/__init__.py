"""The search of the Gomoku engine `threats`: patterns, threats and alpha-beta."""
