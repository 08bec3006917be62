"""Proofs that a position of Gomoku is won or drawn."""
