"""Exhaustive search of `exact`: solutions, budgets and the search itself."""
