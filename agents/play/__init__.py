"""A person at the board, in the terminal or in a page."""
