"""The numbers of the engine `threats` that were found by playing games.

They are fields of its record, so that two engines that differ in one of them can play each other
in one process, without compiling anything anew.
"""

from __future__ import annotations

__all__ = ["SETTINGS"]

SETTINGS = {
    # Of the value of a position that is not decided.
    "to_move": 66,  # of having the move
    # How promising a move looks: its worth for either player, and what it did elsewhere.
    "own_weight": 4,
    "other_weight": 3,
    "four_bonus": 200,
    "killer_bonus": 150,
    "history_shift": 4,
    # Late moves are searched less deep.
    "reduction_base": 40,  # hundredths of a ply
    "reduction_slope": 200,  # hundredths that log(depth) * log(number) is divided by
    # At small depths late quiet moves are left out, and those that cannot come up to alpha.
    "late_depth": 4,
    "late_base": 5,
    "late_step": 3,  # more for each ply of depth
    "futile_depth": 2,
    "futile_margin": 120,  # for each ply of depth
    # A position that is this much above beta is left, a ply of depth each.
    "stand_depth": 3,
    "stand_margin": 150,
    # Null moves.
    "null_depth": 2,
    "null_less": 3,
    "null_divisor": 4,
    # Threats.
    "node_fours": 20,  # fours tried at each position, at most
    "answer_depth": 0,  # down to which an open four to come is answered
    # Shares of all nodes, in thousandths.
    "fours_share": 250,  # for a victory by fours at the root, at most
    "chain_share": 120,  # for one by threats
    "reply_share": 0,  # for one by threats of the other player, after each move
}
"""Names and values."""
