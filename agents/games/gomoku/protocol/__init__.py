"""Gomocup's protocol: agents as engines for tournament managers, and outside engines as agents."""
