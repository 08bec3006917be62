"""`boardenvs arena`: a round robin between agents, with tables of results."""

from __future__ import annotations

import argparse
import functools
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from agents.analysis.losing_move import LossJudge
from agents.arena import PairResult, SoloResult, rated, report
from agents.arena.lost_games import lost_lines
from agents.arena.tables import arena_text, forfeit_lines, time_lines
from agents.arena.tournament import Until, pairs_of, play_lineups
from agents.arena.workers import local
from agents.arena.workers.local import Engine
from agents.arguments import add_engine, add_time, check_address, make_game, timed
from agents.command.common.parser import Commands
from agents.naming.spec import Spec, specs_of
from boardenvs.core.checks import whole_number
from boardenvs.files import check_place, write_atomically

__all__ = ["add", "play_arena"]


def add(commands: Commands) -> None:
    """Add the subcommand."""
    arena = commands.add(
        "arena",
        _run,
        "play a round robin between agents and rate them",
        [
            "gekitai random greedy mcts:100",
            "gomoku greedy mixed:20:greedy --games 200 --html a.html",
        ],
        agents=True,
    )
    arena.add_argument("agents", nargs="+", metavar="SPEC", help="agents, at least two")
    add_time(arena)
    arena.add_argument(
        "--games", type=int, default=1000, metavar="N", help="games of each pair; default: 1000"
    )
    arena.add_argument(
        "--seed", type=int, default=0, metavar="SEED", help="seed of everything random; default: 0"
    )
    arena.add_argument(
        "--opening-plies",
        type=int,
        metavar="N",
        help="random plies at the start of every game; default: 2 if all games would be equal "
        "otherwise, else 0",
    )
    arena.add_argument(
        "--openings",
        metavar="NAME",
        help="openings, such as 'balanced', or in Gomoku a list of openings, LIST.txt; "
        "each in every order of seats; default: none",
    )
    arena.add_argument(
        "--until",
        choices=["decided"],
        help="'decided' ends a match as soon as a sequential test finds one agent better, "
        "which is wrong in at most 5%% of matches between equals",
    )
    arena.add_argument(
        "--judge",
        action="store_true",
        help="find the losing moves with 'exact', also for the JSON and the page; "
        "this may take longer than the games",
    )
    arena.add_argument(
        "--store",
        type=Path,
        metavar="FILE",
        help="keep finished games in FILE, and continue from the games in it",
    )
    arena.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="processes that play; default: one, or one per core for long arenas without agents "
        "that use a clock",
    )
    add_engine(arena, "play on this machine or on a Ray cluster; default: local")
    arena.add_argument("--json", type=Path, metavar="FILE", help="also write the results to FILE")
    arena.add_argument(
        "--html",
        type=Path,
        metavar="FILE",
        help="also write a page with ratings, scores, and each pair's shortest and longest game",
    )


def _run(options: argparse.Namespace) -> None:
    game = make_game(options)
    check_place("--json", options.json, ".json")
    check_place("--html", options.html, ".html", ".htm")
    check_place("--store", options.store)
    specs = timed(specs_of(options.agents, game), options)
    judge = LossJudge(game) if options.judge else None
    results = play_arena(
        specs,
        options.games,
        options.seed,
        opening_plies=options.opening_plies,
        openings=options.openings,
        until=options.until,
        judge=judge,
        store=options.store,
        engine=_engine(options, [spec for spec in specs if spec.uses_clock]),
    )
    ratings = rated(results)
    as_json = report(game, options.seed, results, options.openings)
    print(arena_text(as_json, results, ratings), end="")
    for line in time_lines(as_json):
        print(f"\n{line}")
    if judge is not None:
        print("\n" + "".join(f"{line}.\n" for line in lost_lines(as_json)), end="")
    for line in forfeit_lines(as_json):
        print(f"boardenvs: warning: {line}", file=sys.stderr)
    if options.json is not None:
        write_atomically(options.json, f"{json.dumps(as_json, indent=2)}\n".encode())
    if options.html is not None:
        from agents.arena.page import arena_page_html

        games = {r.agents: r.extremes for r in results}
        page = arena_page_html(as_json, ratings, games, judge)
        write_atomically(options.html, page.encode())


def play_arena(
    specs: Sequence[Spec],
    games: int,
    seed: int,
    *,
    opening_plies: int | None = None,
    openings: str | None = None,
    until: Until | None = None,
    judge: LossJudge | None = None,
    store: Path | None = None,
    engine: Engine = local.play_here,
) -> list[PairResult | SoloResult]:
    """Return the results of every pair of agents, or of each agent in a game for one player.

    Progress goes to standard error.

    Args:
        specs: the agents, at least one, all for the same game.
        games: number of games of each pair or agent, at least 1.
        seed: seed of everything random.
        opening_plies: as in `agents.arena.round_robin`, like the next four.
        openings: `None` in a game for one player.
        until: `None` in a game for one player.
        judge: not used in a game for one player.
        store: file of finished games.
        engine: function that plays the games; by default in this process.

    Raises:
        ValueError: as `agents.arena.round_robin` and `agents.arena.solos`.
    """
    from agents.report.progress import progress_bar

    games = whole_number("games", games, 1)
    game = specs[0].game
    alone = game.num_players == 1
    if alone and until is not None:
        raise ValueError(f"--until requires a game for several players, got {game.name}")
    if alone and openings is not None:
        raise ValueError(f"--openings requires a game for several players, got {game.name}")
    lineups = [(spec,) for spec in specs] if alone else pairs_of(specs)
    with progress_bar(games * len(lineups), unit="game") as bar:

        def progress(pair: str, finished: int) -> None:
            bar.set_description_str(pair)
            bar.update(finished)

        return list(
            play_lineups(
                lineups,
                games,
                seed,
                opening_plies=opening_plies,
                openings=openings,
                tested=until is not None,
                judge=judge,
                store=store,
                engine=engine,
                progress=progress,
            )
        )


def _engine(options: argparse.Namespace, clocked: Sequence[Spec]) -> Engine:
    """Return the function that plays the arena's games, with `clocked` agents among them."""
    if options.engine == "ray":
        if options.workers is not None:
            raise ValueError("--workers requires --engine local; Ray uses the cores of its nodes")
        if clocked:
            raise ValueError(
                f"--engine must be local with {clocked[0]}, which uses a clock, got ray"
            )
        from agents.arena.workers import ray_tasks

        return functools.partial(ray_tasks.play, address=options.address)
    check_address(options)
    workers = options.workers
    if workers is not None:
        whole_number("workers", workers, 1)
    if clocked:
        if workers not in (None, 1):
            raise ValueError(
                f"--workers must be 1 with {clocked[0]}, which uses a clock, got {workers}"
            )
        workers = 1
    return functools.partial(local.play, workers=workers)
