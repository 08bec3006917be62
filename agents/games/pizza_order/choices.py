"""What a person may choose of the pizza order; see `agents.play.choices`."""

OPPONENTS = {
    "random": None,
    "trained": None,
    "greedy": ("Careful", "orders what is wanted"),
}
PARAMETERS = {
    "max_pizzas": ("Pizzas", {1: "one", **{k: f"up to {k}" for k in range(2, 6)}}),
}
