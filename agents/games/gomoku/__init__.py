"""Players of Gomoku alone."""

AGENTS = {
    "greedy": "greedy:GomokuGreedyAgent",
    "neighbour": "neighbour:NeighbourAgent",
    "engine:COMMAND!": "engine:EngineAgent",
    "threats:NODES": "threats:ThreatsAgent",
}
ANALYSTS = ("puct:800", "threats:5000")
