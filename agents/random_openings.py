"""Random openings of a game, of which a judge keeps some: what makes the files of openings.

A game's module `openings` says who judges, and is the command that makes them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import boardenvs
from agents.game_parameters import add_parameters, parameters
from agents.opening_files import write_openings
from boardenvs.checks import whole_number
from boardenvs.console import run_program
from boardenvs.files import check_place
from boardenvs.game import Game, States

__all__ = ["Among", "Judge", "different_openings", "make_openings", "openings_parser"]

_IN_VAIN = 10_000  # draws in a row that bring nothing new
Judge = Callable[[np.void], bool]
"""Whether to keep an opening, by the record after it."""
Among = Callable[[States], npt.NDArray[np.bool_]]
"""Which actions may be drawn in positions, of shape (N, num_actions)."""
Opening = tuple[npt.NDArray[np.int64], np.void]
"""The actions, shape (moves,), and the record after them."""


def different_openings(
    game: Game, moves: int, rng: np.random.Generator, among: Among | None = None
) -> Iterator[Opening]:
    """Random openings, no two the same but for a symmetry of the board.

    They end when ten thousand draws in a row have brought none that is new.

    Args:
        game: whose openings.
        moves: of each opening.
        rng: where the moves come from.
        among: which actions are drawn, all equally; by default all that are legal.
    """
    among = game.legal if among is None else among
    symmetries = game.symmetries()
    views = np.arange(len(symmetries))
    seen = set()
    in_vain = 0
    while in_vain < _IN_VAIN:
        in_vain += 1
        states = game.new(1, 0)
        actions: list[int] = []
        while len(actions) < moves and not game.over(states)[0]:
            actions.append(int(rng.choice(np.flatnonzero(among(states)[0]))))
            game.play(states, actions[-1:], illegal="raise")
        if game.over(states)[0]:
            continue
        shown = game.observe(states, int(states["to_move"][0]))
        turned = symmetries.observations(np.repeat(shown, len(views), 0), views)
        position = min(one.tobytes() for one in turned)
        if position not in seen:
            seen.add(position)
            in_vain = 0
            yield np.array(actions), states[0]


def openings_parser(module: str, description: str, moves: int) -> argparse.ArgumentParser:
    """The parser of a command that makes openings.

    Args:
        module: of the command.
        description: what openings it makes.
        moves: of each opening, unless it is told otherwise.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument("--num", type=int, default=200, help="how many openings (default 200)")
    parser.add_argument(
        "--moves", type=int, default=moves, help=f"of each of them (default {moves})"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the random moves (default 0)")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="where to (default: the package's)"
    )
    add_parameters(parser)
    return parser


def make_openings(
    parser: argparse.ArgumentParser,
    arguments: Sequence[str] | None,
    name: str,
    judged: Callable[
        [argparse.Namespace, Game], tuple[Judge, Among | None, Path, Sequence[str], dict[str, Any]]
    ],
) -> int:
    """Make balanced openings as a command tells, and write them to a file.

    Args:
        parser: from `openings_parser`, perhaps with more options.
        arguments: what stands after the program's name; `None` for the process's own.
        name: of the game.
        judged: from the options and the game: who judges, which actions are drawn, the package's
            file, the parameters that the openings are for, and what to tell in the file of how
            they were made, of which what the command was told stands under `options`.

    Returns:
        The exit status: 0, or 130 after Ctrl-C; 2 by `SystemExit` after an error.
    """
    options = parser.parse_args(arguments)
    try:
        given = parameters(options)
        game = boardenvs.make(name, **given)
        num = whole_number("num", options.num, 1)
        moves = whole_number("moves", options.moves, 1, 10)
        seed = whole_number("seed", options.seed, 0)
        check_place("--out", options.out, ".json")
        judge, among, path, params, made = judged(options, game)
    except ValueError as error:
        parser.error(str(error))
    words = [parser.prog, *(f"-p {text}" for text in options.param)]
    told = {"num": num, "moves": moves, **made.pop("options", {}), "seed": seed}
    words += [f"--{key} {value}" for key, value in told.items()]

    def make() -> None:
        found: list[npt.NDArray[np.int64]] = []
        tried = 0
        drawn = different_openings(game, moves, np.random.default_rng(seed), among)
        for tried, (actions, state) in enumerate(drawn, 1):
            if not judge(state):
                continue
            found.append(actions)
            if len(found) % 10 == 0 or len(found) == num:
                print(f"{len(found)} openings of {tried} tried", file=sys.stderr, flush=True)
            if len(found) == num:
                break
        if len(found) < num:
            parser.error(f"there are {len(found)} such openings of {moves} moves, not {num}")
        how = {"command": " ".join(words), "tried": tried, **made}
        out = path if options.out is None else options.out
        write_openings(out, game, "balanced", params, np.array(found), how)
        print(f"{num} openings, of {tried} tried: {out}")

    return run_program(make)
