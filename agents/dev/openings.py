"""A program that makes a game's file of balanced openings.

The program samples random moves, and keeps openings that the game's test finds balanced. The game
defines its test in the module `balance` of its folder (see `agents.games`):

- `balance_test(game, budget)`: returns a function that returns whether an opening is balanced.
- `drawable(game, states)`: returns the actions that may be sampled.
- `MOVES` and `BUDGET`: the default number of moves, and of positions that the test searches.
- `PARAMS` and `CRITERION`: the game's parameters and the description of the test in the file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from agents.arena.opening_files import write_openings
from agents.arguments import add_game, make_game
from agents.naming.game_folders import player_module
from boardenvs.core.checks import counted, whole_number
from boardenvs.files import check_place
from boardenvs.game import Game, States

__all__ = ["DESCRIPTION", "add_arguments", "different_openings", "run"]

DESCRIPTION = "Make random openings of a game after which neither player is known to be ahead."
_IN_VAIN = 10_000  # samples in a row without a new opening, after which the search ends
Drawable = Callable[[Game, States], npt.NDArray[np.bool_]]
"""A function that returns a mask of the actions to sample from, shape (N, num_actions)."""
Opening = tuple[npt.NDArray[np.int64], np.void]
"""Actions of an opening, shape (moves,), and the record after them."""


def different_openings(
    game: Game, moves: int, rng: np.random.Generator, drawable: Drawable
) -> Iterator[Opening]:
    """Yield random openings, of which no two are equal up to a symmetry of the board.

    The generator ends after ten thousand samples in a row without a new opening.

    Args:
        game: the game.
        moves: number of moves of each opening.
        rng: random generator of the moves.
        drawable: function that returns the actions to sample from, with equal probabilities.
    """
    symmetries = game.symmetries()
    views = np.arange(len(symmetries))
    seen = set()
    in_vain = 0
    while in_vain < _IN_VAIN:
        in_vain += 1
        states = game.new(1, 0)
        actions: list[int] = []
        while len(actions) < moves and not game.over(states)[0]:
            actions.append(int(rng.choice(np.flatnonzero(drawable(game, states)[0]))))
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    add_game(parser, optional=False)
    parser.add_argument("--num", type=int, default=200, help="number of openings (default 200)")
    parser.add_argument("--moves", type=int, help="moves of each opening (default: the game's)")
    parser.add_argument(
        "--budget", type=int, help="positions that the test searches (default: the game's)"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the random moves (default 0)")
    parser.add_argument("--out", type=Path, metavar="FILE", required=True, help="file to write")


def run(options: argparse.Namespace) -> None:
    """Make the openings and write them to the file.

    Raises:
        ValueError: an argument is out of range, the game has no judge, or it has too few openings.
        OSError: the file cannot be written.
    """
    game = make_game(options)
    how = player_module(game, "balance")
    if how is None:
        raise ValueError(f"GAME must have a judge of openings (see agents.games), got {game.name}")
    num = whole_number("num", options.num, 1)
    moves = whole_number("moves", how.MOVES if options.moves is None else options.moves, 1, 10)
    budget = whole_number("budget", how.BUDGET if options.budget is None else options.budget, 1)
    seed = whole_number("seed", options.seed, 0)
    check_place("--out", options.out, ".json")
    is_balanced = how.balance_test(game, budget)
    found: list[npt.NDArray[np.int64]] = []
    tried = 0
    drawn = different_openings(game, moves, np.random.default_rng(seed), how.drawable)
    for tried, (actions, state) in enumerate(drawn, 1):
        if not is_balanced(state):
            continue
        found.append(actions)
        if len(found) % 10 == 0 or len(found) == num:
            print(
                f"{counted(len(found), 'opening')} found, {tried} tried",
                file=sys.stderr,
                flush=True,
            )
        if len(found) == num:
            break
    if len(found) < num:
        raise ValueError(
            f"num must be at most {len(found)} with {counted(moves, 'move')}, got {num}"
        )
    params = "".join(f" -p {text}" for text in options.param)
    command = (
        f"python -m agents.dev openings {options.game}{params} --num {num} --moves {moves} "
        f"--budget {budget} --seed {seed} --out FILE"
    )
    made = {"command": command, "tried": tried, **how.CRITERION}
    write_openings(options.out, game, "balanced", how.PARAMS, np.array(found), made)
    print(f"{options.out}: {counted(num, 'opening')} found, {tried} tried")
