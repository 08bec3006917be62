"""Players of Goat Race alone."""

AGENTS = {"greedy": "greedy:GoatRaceGreedyAgent"}
ANALYSTS = ("puct:200", "mcts:200")
