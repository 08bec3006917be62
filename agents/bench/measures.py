"""The list of all measures, and the function that runs them."""

from __future__ import annotations

from collections.abc import Callable

from agents.bench.row import Row
from agents.bench.rows.batch import batch_steps
from agents.bench.rows.busy import steps_beside_another_program
from agents.bench.rows.connect_four import connect_four_rows
from agents.bench.rows.cuda import cuda_rows
from agents.bench.rows.engine import engine_nodes
from agents.bench.rows.evaluations import int8_networks
from agents.bench.rows.first_uses import first_uses
from agents.bench.rows.parts import parts_of_a_step
from agents.bench.rows.play_out import play_outs
from agents.bench.rows.scaling import core_gains, curves_over_n, curves_over_size, memory
from agents.bench.rows.search import searches
from agents.bench.rows.self_play import guided_searches
from agents.bench.rows.single import aec_loops, seat_steps
from agents.bench.rows.startup import imports
from agents.bench.rows.training import training_steps
from agents.bench.rows.vector import learning_steps, vector_steps
from agents.bench.run import Bench
from agents.report.progress import progress_bar

__all__ = ["MEASURES", "measure"]

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
    "networks in int8": int8_networks,
    "searches guided by a network": guided_searches,
    "cores": core_gains,
    "a core taken": steps_beside_another_program,
    "imports": imports,
    "first uses": first_uses,
    "memory": memory,
    "curves over N": curves_over_n,
    "curves over board size": curves_over_size,
}
"""Function that returns the rows of each measure by name, in the order of execution."""


def measure(bench: Bench) -> list[Row]:
    """Return the rows of all measures, and show progress on standard error."""
    rows: list[Row] = []
    with progress_bar(len(MEASURES), unit="measure") as bar:
        for name, one in MEASURES.items():
            bar.set_description_str(name)
            rows += one(bench)
            bar.update()
    return rows
