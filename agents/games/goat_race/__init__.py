"""Players of Goat Race alone."""

AGENTS = {"greedy": "greedy:GoatRaceGreedyAgent"}
