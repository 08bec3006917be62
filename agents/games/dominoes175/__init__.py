"""Players of Dominoes 175 alone."""

AGENTS = {"greedy": "greedy:Dominoes175GreedyAgent", "perfect": "perfect:Dominoes175PerfectAgent"}
ANALYSTS = ("trained",)
