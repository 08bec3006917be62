"""`python -m agents.quantise`: a network in 8-bit integers, measured and written on its card."""
