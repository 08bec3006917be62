"""Players of Gomoku."""

AGENTS = {
    "exact": "exact:GomokuExactAgent",
    "greedy": "greedy:GomokuGreedyAgent",
    "neighbour": "neighbour:NeighbourAgent",
    "engine:COMMAND!": "protocol.engine:EngineAgent",
    "threats:NODES": "threats:ThreatsAgent",
}
ANALYSTS = ("puct:800", "threats:5000")
OPPONENTS = {
    "random": None,
    "neighbour": ("Neighbour", "plays beside your last stone"),
    "mcts:400": None,
    "trained": None,
    "greedy": ("Greedy", "weighs the lines through each place"),
    "puct:400": None,
    "threats:5000": ("Threat finder", "forces wins by fours and threes"),
}
PARAMETERS = {
    "board_size": ("Board", {size: f"{size} by {size}" for size in (7, 9, 11, 13, 15, 17, 19)})
}
