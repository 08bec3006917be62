"""Agents only for Goat Race."""

AGENTS = {"greedy": "greedy:GoatRaceGreedyAgent"}
ANALYSTS = ("puct:200", "mcts:200")
OPPONENTS = {
    "random": None,
    "mcts:50": None,
    "greedy": ("Greedy", "wants its goats ahead after its turn"),
    "trained": None,
    "puct:50": None,
}
PARAMETERS = {"num_players": ("Players", {number: str(number) for number in range(2, 6)})}
