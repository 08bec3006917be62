"""Players of Gekitai alone."""

AGENTS = {"exact": "exact:GekitaiExactAgent"}
ANALYSTS = ("puct:1600",)
