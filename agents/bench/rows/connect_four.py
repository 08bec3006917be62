"""Connect four, the same game as in PettingZoo, pgx and OpenSpiel."""

from __future__ import annotations

from agents.bench import peers
from agents.bench.row import Row
from agents.bench.rows.batch import stepping
from agents.bench.rows.play_out import playing_out
from agents.bench.rows.random_plies import playing_on
from agents.bench.rows.search import searching
from agents.bench.rows.single import looping
from agents.bench.run import Bench, Key
from agents.bench.timing import Side
from boardenvs.envs.aec import GameAECEnv

__all__ = ["connect_four_rows"]

_GAME = "connect_four"


def connect_four_rows(bench: Bench) -> list[Row]:
    """Return rows that compare the connect four of notebook 6 with other packages."""
    from agents.bench.connect_four import ConnectFour

    effort = bench.effort
    num, seconds, simulations = effort.num_envs, effort.seconds, effort.simulations
    game = ConnectFour()
    step, plies = f"BatchEnv.step, N = {num:,}", f"random plies in one kernel, N = {num:,}"
    search = f"mcts:{simulations}, a move"
    sides: dict[Key, Side] = {
        (step,): stepping(game, num, seconds),
        (plies,): playing_on(game, num, seconds),
        ("AEC env() loop",): looping(GameAECEnv(game), seconds),
        ("random play to the end",): playing_out(game, seconds),
        (search,): searching(game, simulations, seconds),
    }
    best_of = ", ".join(f"{size:,}" for size in effort.pgx_sizes)
    scan = f"pgx in one lax.scan, best N of {best_of}"
    against = {
        step: ("plies/s", "pgx"),
        plies: ("plies/s", scan),
        "AEC env() loop": ("plies/s", "PettingZoo"),
        "random play to the end": ("plies/s", "OpenSpiel"),
        search: ("moves/s", "OpenSpiel MCTSBot"),
    }
    rivals = [
        (("pgx",), "pgx", lambda: peers.pgx_steps(_GAME, num, seconds)),
        *(
            ((scan, str(size)), "pgx", lambda size=size: peers.pgx_scan(_GAME, size, seconds))
            for size in effort.pgx_sizes
        ),
        (
            ("PettingZoo",),
            "PettingZoo connect_four",
            lambda: looping(peers.pettingzoo_connect_four(), seconds),
        ),
        (("OpenSpiel",), "OpenSpiel", lambda: peers.open_spiel_random(_GAME, seconds)),
        (
            ("OpenSpiel MCTSBot",),
            "OpenSpiel",
            lambda: peers.open_spiel_mcts(_GAME, simulations, seconds),
        ),
    ]
    for key, what, build in rivals:
        side = bench.peer(what, "bench", build)
        if side is not None:
            sides[key] = side
    found = bench.compare(sides)
    rows = []
    for measure, (unit, peer) in against.items():
        theirs = max((value for key, value in found.items() if key[0] == peer), default=None)
        rows.append(Row(measure, _GAME, found[measure,], unit, peer, theirs))
    return rows
