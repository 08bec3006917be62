"""Environments over any game: PettingZoo's, Gymnasium's single and vector ones, and `BatchEnv`."""
