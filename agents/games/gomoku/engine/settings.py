"""Parameters of the engine `threats` that were tuned by games.

They are fields of its record, so that two engines that differ in one of them can play each other
in one process, without compiling anything anew.

What changes gained on 15 x 15, in games of equal numbers of nodes (4,000 to 8,000 a move) from 2 to
6 random stones in the middle, both colours, as the score of the new against the old with the 95%
interval; those that end early were decided by a sequential test (`agents.arena.sequential`):

- open fours to come are answered only down to depth 0, not -2: 0.664 in 64 games, decided;
- worth fitted to results of games by logistic regression (`worth`): 0.688 in 64 games, decided;
  fitted once more, with games of that engine: 0.503 (0.462 to 0.544) in 320;
- late moves searched less deep, `reduction_base` from 40 to 90: 0.544 (0.504 to 0.584) in 320, and
  from 90 to 140: 0.533 (0.489 to 0.577) in 320;
- more late moves left out, `late_depth` 6 for 4, `late_base` 4 for 5, `late_step` 2 for 3: 0.528
  (0.502 to 0.554) in 320;
- ten fours tried at each position, not a hundred: 0.519 (0.493 to 0.545) in 512; twenty are.

The engine looks for victories by threats (`chains`) at the root only. At so few nodes, other places
cost more than they gain: all positions, 30 nodes each, 0.379 in 128 games, decided; the positions
after each move at the root, 300 nodes each, 0.401 in 96, decided.
"""

from __future__ import annotations

__all__ = ["SETTINGS"]

SETTINGS = {
    # Of the value of a position that is not decided.
    "to_move": 36,  # of having the move
    # How promising a move looks: its worth for either player, and what it did elsewhere.
    "own_weight": 4,
    "other_weight": 3,
    "four_bonus": 200,
    "killer_bonus": 150,
    "history_shift": 4,
    # Late moves are searched less deep.
    "reduction_base": 140,  # hundredths of a ply
    "reduction_slope": 200,  # hundredths that log(depth) * log(number) is divided by
    # At small depths late quiet moves are left out, and those that cannot come up to alpha.
    "late_depth": 6,
    "late_base": 4,
    "late_step": 2,  # more for each ply of depth
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
}
"""Names and values."""
