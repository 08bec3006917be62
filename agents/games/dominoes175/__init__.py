"""Agents only for Dominoes 175."""

AGENTS = {"greedy": "greedy:Dominoes175GreedyAgent", "perfect": "perfect:Dominoes175PerfectAgent"}
ANALYSTS = ("trained",)
OPPONENTS = {
    "random": None,
    "greedy": ("Greedy", "keeps as many tiles playable as it can"),
    "trained": None,
    "perfect": ("Perfect", "wins as often as anybody can"),
}
