"""`boardenvs benchmark`: where a policy stands on the ladders of a suite."""

from __future__ import annotations

import argparse
import functools
import json
import sys
from pathlib import Path

from agents.arguments import add_engine, check_address
from agents.command.common.parser import Commands
from boardenvs.files import check_place, write_atomically

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the subcommand."""
    benchmark = commands.add(
        "benchmark",
        _run,
        "rate a policy on every game, against reference agents of known rating",
        ["trained", "mcts:200 --tasks gekitai goat_race-2 --minutes 5 --json card.json"],
        games=(),
        agents=True,
    )
    benchmark.add_argument("agent", metavar="SPEC", help="the policy")
    benchmark.add_argument("--suite", default="v1", metavar="NAME", help="of tasks; v1")
    benchmark.add_argument(
        "--tasks", nargs="+", metavar="TASK", help="some of its tasks; by default all"
    )
    benchmark.add_argument(
        "--minutes", type=float, default=15.0, metavar="MINUTES", help="for all tasks together; 15"
    )
    benchmark.add_argument("--seed", type=int, default=0, metavar="SEED", help="of everything; 0")
    benchmark.add_argument(
        "--store",
        type=Path,
        metavar="FOLDER",
        help="keep the games there, and go on from those that are there",
    )
    benchmark.add_argument(
        "--workers", type=int, metavar="N", help="processes that play; by default one a core"
    )
    benchmark.add_argument(
        "--met",
        metavar="SPEC,...",
        help="agents that it met in training; by default those that its card names",
    )
    benchmark.add_argument(
        "--held-out", action="store_true", help="rate it against agents alone that it never met"
    )
    add_engine(benchmark, "play on this machine or on a Ray cluster; by default local")
    benchmark.add_argument("--json", type=Path, metavar="FILE", help="write the card there, too")
    benchmark.add_argument(
        "--html", type=Path, metavar="FILE", help="write a page with pictures there, too"
    )


def _run(options: argparse.Namespace) -> int:
    from agents.benchmark import benchmark
    from agents.benchmark.tasks import suite
    from agents.report.progress import progress_bar
    from agents.specs import by_the_clock
    from boardenvs.kernels.threads import cores

    check_place("--json", options.json, ".json")
    check_place("--html", options.html, ".html", ".htm")
    tasks = options.tasks and ",".join(options.tasks).split(",")
    engine = None
    workers = cores() if options.workers is None else options.workers
    games = [task.make() for task in suite(options.suite).values()]
    if any(by_the_clock(options.agent, game) for game in games):
        if options.engine == "ray" or options.workers not in (None, 1):
            raise ValueError(f"{options.agent} thinks with all cores, so that one process plays")
        workers = 1
    if options.engine == "ray":
        from agents.arena.workers import ray_tasks

        if options.workers is not None:
            raise ValueError("--workers is for --engine local: Ray has the nodes' cores")
        engine = functools.partial(ray_tasks.play, address=options.address)
    check_address(options)
    begun: list[str] = []
    with progress_bar(len(tasks or games), unit="task", leave=False) as bar:

        def show(text: str) -> None:
            task = text.partition(":")[0]
            if task not in begun:
                bar.update(len(begun) - bar.n)
                begun.append(task)
            bar.set_description_str(text)

        card = benchmark(
            options.agent,
            options.suite,
            tasks,
            options.minutes,
            options.seed,
            store=options.store,
            workers=workers,
            engine=engine,
            progress=show,
            met=None if options.met is None else options.met.split(","),
            held_out=options.held_out,
        )
        bar.update(len(begun) - bar.n)
    print(card, end="")
    print(f"\n{card.row()}")
    if options.json is not None:
        data = {**card.to_dict(), "command": options.command_line}
        write_atomically(options.json, f"{json.dumps(data, indent=2)}\n".encode())
    if options.html is not None:
        from agents.benchmark.page import page_html

        write_atomically(options.html, page_html(card, options.command_line).encode())
    if card.not_rated:
        missed = ", ".join(card.not_rated)
        print(f"boardenvs: no game was played in {missed}: give more --minutes", file=sys.stderr)
    return 1 if card.not_rated else 0
