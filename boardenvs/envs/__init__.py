"""Environments for any game: PettingZoo, Gymnasium (single and vector) and `BatchEnv`."""
