"""Proofs of wins in Gekitai, and a winning strategy of the first player."""
