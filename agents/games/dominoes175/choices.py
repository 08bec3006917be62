"""What a person may choose of Dominoes 175; see `agents.play.choices`."""

OPPONENTS = {
    "random": None,
    "greedy": ("Greedy", "keeps as many tiles playable as it can"),
    "trained": None,
    "perfect": ("Perfect", "wins as often as anybody can"),
}
