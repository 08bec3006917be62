"""Agents only for Gekitai."""

AGENTS = {"exact": "exact:GekitaiExactAgent"}
ANALYSTS = ("puct:1600",)
OPPONENTS = {
    "random": None,
    "greedy": None,
    "mcts:400": None,
    "trained": None,
    "puct:400": None,
    "exact": ("Prover", "plays what it can prove to win"),
}
PARAMETERS = {"board_size": ("Board", {size: f"{size} by {size}" for size in (6, 7, 8)})}
