"""Agents that search any game: a tree over many simulations, or every line of play."""
