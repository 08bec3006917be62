"""Lines of a Gomoku board: bitboards of lines, open lines, and cells that complete a line."""
