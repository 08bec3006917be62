"""Players of Gomoku alone."""

AGENTS = {"greedy": "greedy:GomokuGreedyAgent", "neighbour": "neighbour:NeighbourAgent"}
