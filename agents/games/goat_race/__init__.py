"""Agents only for Goat Race."""

AGENTS = {"greedy": "greedy:GoatRaceGreedyAgent", "exact": "exact:GoatRaceExactAgent"}
PUCT = {"exploration": 0.3, "policy_temperature": 2.5}
"""Constants of `puct`. Values of actions differ by 0.03 to 0.15, and the policy gives 0.90 to its
first action: with the usual constants, the search would repeat the policy."""
ANALYSTS = ("puct:200", "mcts:200")
OPPONENTS = {
    "random": None,
    "mcts:50": None,
    "greedy": ("Greedy", "wants its goats ahead after its turn"),
    "trained": None,
    "puct:50": None,
}
PARAMETERS = {"num_players": ("Players", {number: str(number) for number in range(2, 6)})}
