"""Proof-number search, which games share to prove forced wins."""
