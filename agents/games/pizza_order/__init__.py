"""Players of the ordering dialogue alone."""

AGENTS = {"greedy": "greedy:PizzaOrderGreedyAgent"}
ANALYSTS = ("trained",)
