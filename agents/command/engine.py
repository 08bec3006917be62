"""`boardenvs engine`: an agent as a program for tournament managers."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from agents.arguments import add_time, make_game, timed
from agents.command.common.parser import Commands
from agents.naming.game_folders import player_module
from agents.naming.spec import Spec
from agents.search.tree import simulations_within_memory
from boardenvs.envs.opponents import Opponent
from boardenvs.game import Game
from boardenvs.inbox import standard_inbox
from boardenvs.kernels.interpreting import never_compile
from boardenvs.kernels.waits import waits_for

__all__ = ["add"]

_TIME = "time_limit"
"""The option of agents that limits their thinking time."""
_AT_ONCE = 0.01
"""Seconds that the agent thinks in its first move, which prepares the program."""
_MEMORY = 256_000_000
"""Bytes that the program may use if the manager sends no limit."""
_PROGRAM = 216_000_000
"""Bytes that the program uses without the tree of its search."""
_LEAST_TREE = 16_000_000
"""Smallest limit of a tree (bytes)."""


def add(commands: Commands) -> None:
    """Add the subcommand."""
    engine = commands.add(
        "engine",
        _run,
        "run an agent for a tournament manager, by Gomocup's protocol on standard input",
        ["gomoku threats", "gomoku mcts:5s"],
        games=("gomoku",),
        agents=True,
    )
    engine.add_argument("agent", metavar="SPEC", help="agent")
    add_time(engine)
    engine.add_argument(
        "--seed", type=int, default=None, help="seed of everything random; default: a random one"
    )


def _run(options: argparse.Namespace) -> None:
    game = make_game(options)
    brain = player_module(game, "brain")
    if brain is None:
        raise ValueError(f"GAME must be gomoku, which has a protocol, got {game.name}")
    (spec,) = timed([Spec.of(options.agent, game)], options)

    def make_agent(game: Game, seconds: float | None, memory: int | None) -> Opponent:
        # A limit in the spec takes precedence over the manager's time.
        mine = replace(spec, game=game)  # the manager sets the size of the board
        free = spec.entry is not None and not spec.arguments and seconds is not None
        limits: dict[str, Any] = {}
        known = mine.options() if free else []
        if _TIME in known:
            limits[_TIME] = seconds
            if "evaluator" in known and memory != 0:  # its tree grows with every simulation
                room = max(_LEAST_TREE, (_MEMORY if memory is None else memory) - _PROGRAM)
                limits["simulations"] = simulations_within_memory(room, game.num_actions)
        return mine.make(options.seed, **limits)

    kept = []  # agents of the same network share it

    def get_ready() -> None:
        kept.append(make_agent(game, _AT_ONCE, None))
        kept[0].act(game.new(1, 0))

    inbox, advised = standard_inbox(), False
    with never_compile():  # managers limit the memory of an engine, often to 350 MB
        inbox.get_ready(get_ready)
        for answer in brain.Brain(options.agent, make_agent, game).answers(inbox):
            if not advised and answer != "OK" and waits_for(game.name).runs_uncompiled:
                advised = True
                print(f"MESSAGE run 'boardenvs compile {game.name}' for full strength")
            print(answer, flush=True)
