"""Proofs that a position is won: the search by proof numbers that games share."""
