"""The settings of the engine `threats` that were tuned by playing games.

They are fields of the engine's record, so engines with different settings can play each other in
one process without recompilation.

The table has the measured gain of each change: the score of the new engine against the old one with
its 95% interval, or `decided` if a sequential test ended the match (`agents.arena.sequential`). The
games were on 15 x 15 with equal numbers of nodes (4,000 to 8,000 for a move), from 2 to 6 random
stones in the middle, with both colours.

| change | score | games |
|---|---|---|
| `answer_depth` -2 to 0 | 0.664, decided | 64 |
| `worth` fitted by logistic regression | 0.688, decided | 64 |
| `worth` fitted again to games of that engine | 0.503 (0.462 to 0.544) | 320 |
| `reduction_base` 40 to 90 | 0.544 (0.504 to 0.584) | 320 |
| `reduction_base` 90 to 140 | 0.533 (0.489 to 0.577) | 320 |
| `late_depth` 4 to 6, `late_base` 5 to 4, `late_step` 3 to 2 | 0.528 (0.502 to 0.554) | 320 |
| `node_fours` 100 to 10 (now 20) | 0.519 (0.493 to 0.545) | 512 |
| `chains` at all positions, 30 nodes each (rejected) | 0.379, decided | 128 |
| `chains` after each root move, 300 nodes each (rejected) | 0.401, decided | 96 |

The engine therefore searches for victories by threats (`chains`) at the root only.

Later games were with equal time of 0.02 to 0.1 s for a move, from balanced openings. The first
three rows show today's engine against itself without the change, with 0.1 s:

| change | score | games |
|---|---|---|
| stand pat at depth 0 if the evaluation reaches beta | 0.583 (0.534 to 0.630) | 400 |
| values of threats and their pairs in `worth` | 0.666 (0.619 to 0.711) | 400 |
| aspiration window at the root (not decided) | 0.529 (0.480 to 0.577) | 400 |
| all three together, against the engine before them | 0.714 (0.668 to 0.756) | 400 |
| quiescence search of fours that returns a value (rejected) | 0.425 (0.308 to 0.551) | 60 |
| razoring at depths 1 and 2 (rejected) | 0.470 (0.375 to 0.567) | 100 |
| singular extensions with multi-cut from depth 5 (rejected) | 0.505 (0.409 to 0.601) | 100 |
| a ply less for later moves after alpha rose (rejected) | 0.495 (0.399 to 0.591) | 100 |
| reductions by cut node and improvement (not decided) | 0.550 (0.452 to 0.644) | 100 |
| these reductions and the aspiration window | 0.517 (0.428 to 0.604) | 120 |
"""

from __future__ import annotations

__all__ = ["SETTINGS"]

SETTINGS = {
    # Score of a move: its worth for both players, and its results in other positions.
    "own_weight": 4,
    "other_weight": 3,
    "four_bonus": 200,
    "killer_bonus": 150,
    "history_shift": 4,
    # Late move reductions.
    "reduction_base": 140,  # hundredths of a ply
    "reduction_slope": 200,  # hundredths; divides log(depth) * log(number)
    # Pruning of late quiet moves and of moves that cannot reach alpha, at small depths.
    "late_depth": 6,
    "late_base": 4,
    "late_step": 2,  # for each ply of depth
    "futile_depth": 2,
    "futile_margin": 120,  # for each ply of depth
    # Pruning of positions far above beta; the margin is for each ply of depth.
    "stand_depth": 3,
    "stand_margin": 150,
    # The aspiration window at the root.
    "window_depth": 5,  # minimum depth
    "window_margin": 100,
    # Null moves.
    "null_depth": 2,
    "null_less": 3,
    "null_divisor": 4,
    # Threats.
    "node_fours": 20,  # maximum number of fours tried at each position
    # Maximum shares of all nodes, in thousandths.
    "fours_share": 250,  # for victories by fours at the root
    "chain_share": 120,  # for victories by threats at the root
}
"""Values by name."""
