"""Workers that play batches of an arena's games: on this machine, or on a Ray cluster."""
