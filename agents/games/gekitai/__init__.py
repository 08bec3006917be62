"""Players of Gekitai alone."""

AGENTS = {"exact": "exact:GekitaiExactAgent"}
