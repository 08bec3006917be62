"""Agents only for the pizza order."""

AGENTS = {"greedy": "greedy:PizzaOrderGreedyAgent"}
ANALYSTS = ("trained",)
OPPONENTS = {
    "random": None,
    "trained": None,
    "greedy": ("Careful", "orders what is wanted"),
}
PARAMETERS = {
    "max_pizzas": ("Pizzas", {1: "one", **{k: f"up to {k}" for k in range(2, 6)}}),
}
