"""`boardenvs benchmark`: ratings of a policy on the ladders of a suite."""

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
        "rate a policy against reference agents of known rating",
        ["trained", "mcts:200 --tasks gekitai goat_race-2 --minutes 5 --json card.json"],
        games=(),
        agents=True,
    )
    benchmark.add_argument("agent", metavar="SPEC", help="policy to rate")
    benchmark.add_argument(
        "--suite", default="v1", metavar="NAME", help="suite of tasks; default: v1"
    )
    benchmark.add_argument(
        "--tasks", nargs="+", metavar="TASK", help="tasks of the suite; default: all"
    )
    benchmark.add_argument(
        "--minutes",
        type=float,
        default=15.0,
        metavar="MINUTES",
        help="playing time of all tasks together; default: 15",
    )
    benchmark.add_argument(
        "--seed", type=int, default=0, metavar="SEED", help="seed of everything random; default: 0"
    )
    benchmark.add_argument(
        "--store",
        type=Path,
        metavar="FOLDER",
        help="keep the games in FOLDER, and continue from the games in it",
    )
    benchmark.add_argument(
        "--workers", type=int, metavar="N", help="processes that play; default: one per core"
    )
    benchmark.add_argument(
        "--met",
        metavar="SPEC,...",
        help="opponents of its training; default: those on its card",
    )
    benchmark.add_argument(
        "--held-out",
        action="store_true",
        help="rate it only against agents that it did not meet in training",
    )
    add_engine(benchmark, "play on this machine or on a Ray cluster; default: local")
    benchmark.add_argument("--json", type=Path, metavar="FILE", help="also write the card to FILE")
    benchmark.add_argument(
        "--html", type=Path, metavar="FILE", help="also write a page with pictures"
    )


def _run(options: argparse.Namespace) -> int:
    from agents.benchmark import benchmark
    from agents.benchmark.tasks import suite
    from agents.naming.spec import Spec
    from agents.report.progress import progress_bar
    from boardenvs.kernels.threads import cores

    check_place("--json", options.json, ".json")
    check_place("--html", options.html, ".html", ".htm")
    tasks = options.tasks and ",".join(options.tasks).split(",")
    engine = None
    workers = cores() if options.workers is None else options.workers
    games = [task.make() for task in suite(options.suite).values()]
    if any(Spec.of(options.agent, game).uses_clock for game in games):
        if options.engine == "ray" or options.workers not in (None, 1):
            raise ValueError(
                f"--workers must be 1 and --engine local with {options.agent}, which uses a clock"
            )
        workers = 1
    if options.engine == "ray":
        from agents.arena.workers import ray_tasks

        if options.workers is not None:
            raise ValueError("--workers requires --engine local; Ray uses the cores of its nodes")
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
        from agents.benchmark.page import card_page_html

        write_atomically(options.html, card_page_html(card, options.command_line).encode())
    if card.not_rated:
        missed = ", ".join(card.not_rated)
        print(f"boardenvs: no game was played in {missed}: give more --minutes", file=sys.stderr)
    return 1 if card.not_rated else 0
