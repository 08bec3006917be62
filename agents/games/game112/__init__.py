"""Agents only for the 112 game."""

AGENTS = {"exact": "exact:Game112ExactAgent"}
ANALYSTS = ("exact",)
OPPONENTS = {
    "random": None,
    "greedy": None,
    "mcts:100": None,
    "trained": None,
    "exact": ("Perfect", "knows every position"),
}
PARAMETERS = {"board_size": ("Row", {size: f"{size} places" for size in range(4, 10)})}
