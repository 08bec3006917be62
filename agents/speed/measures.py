"""The list of all measures, and the function that runs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agents.report.progress import progress_bar
from agents.speed.row import Row
from agents.speed.rows.batches import batch_steps, parts_of_a_step, play_outs
from agents.speed.rows.connect_four import connect_four_rows, cuda_rows
from agents.speed.rows.environments import aec_loops, seat_steps, vector_steps
from agents.speed.rows.networks import int8_networks, learning_steps, training_steps
from agents.speed.rows.processes import cold_loops, first_uses, imports
from agents.speed.rows.scaling import (
    core_gains,
    curves_over_n,
    curves_over_size,
    memory,
    steps_beside_another_program,
)
from agents.speed.rows.searches import engine_nodes, guided_searches, searches
from agents.speed.rows.strength import strength
from agents.speed.run import Bench

__all__ = ["LONG", "MEASURES", "measure"]

MEASURES: dict[str, Callable[[Bench], list[Row]]] = {
    "batches": batch_steps,
    "parts of a step": parts_of_a_step,
    "random play": play_outs,
    "tree search": searches,
    "Gomoku's engine": engine_nodes,
    "PettingZoo loops": aec_loops,
    "Gymnasium steps": seat_steps,
    "connect four": connect_four_rows,
    "games on a GPU": cuda_rows,
    "vector steps": vector_steps,
    "learning": learning_steps,
    "training": training_steps,
    "time to strength": strength,
    "networks in int8": int8_networks,
    "searches guided by a network": guided_searches,
    "cores": core_gains,
    "a core taken": steps_beside_another_program,
    "imports": imports,
    "first uses": first_uses,
    "cold loops": cold_loops,
    "memory": memory,
    "curves over N": curves_over_n,
    "curves over board size": curves_over_size,
}
"""Function that returns the rows of each measure by name, in the order of execution."""
LONG = frozenset({"cold loops", "time to strength"})
"""Names of the measures that run on request: each takes longer than all others together."""


def measure(bench: Bench, names: Sequence[str] = ()) -> list[Row]:
    """Return the rows of measures, and show progress on standard error.

    Args:
        bench: the run.
        names: names of measures; by default all but `LONG`.
    """
    names = names or [name for name in MEASURES if name not in LONG]
    rows: list[Row] = []
    with progress_bar(len(names), unit="measure") as bar:
        for name in names:
            bar.set_description_str(name)
            rows += MEASURES[name](bench)
            bar.update()
    return rows
