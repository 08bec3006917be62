"""Lines of a Gomoku board: stones as bits, open lines, cells that complete a line."""
