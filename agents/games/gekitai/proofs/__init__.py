"""Proofs that a position of Gekitai is won, and the first player's winning strategy."""
