"""Agents for any game: random, greedy, mixed, trained, Stable-Baselines3 models, text players."""
