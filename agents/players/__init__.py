"""Agents for any game: random, greedy, mixed, trained, from Stable-Baselines3, from text."""
