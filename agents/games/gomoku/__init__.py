"""Players of Gomoku alone."""

AGENTS = {
    "greedy": "greedy:GomokuGreedyAgent",
    "neighbour": "neighbour:NeighbourAgent",
    "threats:NODES": "threats:ThreatsAgent",
}
