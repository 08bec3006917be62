"""Makes balanced openings of Gekitai: `python -m agents.games.gekitai.openings`.

From the empty board the first player wins, and after most random moves somebody does within a few
plies. Matches from there tell who got the better start. In the positions that are kept here neither
player can force a win within `PLIES` plies, which is certain, and the search for wins of any
length finds none within its budget, for neither of them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

import boardenvs
from agents.arena.openings import write_openings
from agents.game_parameters import add_parameters, parameters
from agents.games.gekitai.solving import Solver
from agents.games.gekitai.strategy import known_wins
from boardenvs.checks import whole_number
from boardenvs.game import States
from boardenvs.gekitai import Gekitai
from boardenvs.program import run_program

__all__ = ["PLIES", "balanced", "is_balanced", "main"]

PLIES = 9
"""Within how many plies neither player can force a win."""
_TABLE_BITS = 20
_UNLIMITED = 1 << 62
_FILE = Path(__file__).with_name("balanced.openings.json")
_PARAMS = ("board_size", "pieces", "line_length")


def is_balanced(solver: Solver, state: np.void, budget: int) -> bool:
    """Whether no win of either player is found.

    Args:
        solver: of the game; its table is emptied, so that the answer is that of the position.
        state: a record that is not over.
        budget: how many positions to look at in each search for a win of any length.
    """
    solver.clear()
    if any(solver.search(state, budget, attack=attack).won for attack in (True, False)):
        return False
    solver.clear()
    return not any(
        # The last ply is that of who wins.
        solver.search(state, _UNLIMITED, attack=attack, plies=PLIES + 1 - attack).won
        for attack in (True, False)
    )


def balanced(
    game: Gekitai, moves: int, budget: int, rng: np.random.Generator
) -> Iterator[tuple[npt.NDArray[np.int64], int]]:
    """Random openings that are balanced, no two the same but for a turn of the board.

    Args:
        game: whose openings.
        moves: of each opening.
        budget: as for `is_balanced`.
        rng: where the moves come from.

    Yields:
        The actions of an opening, shape (moves,), and how many have been tried so far.
    """
    solver = Solver(game, _TABLE_BITS, known_wins(game))
    seen = set()
    tried = 0
    while True:
        states = game.new(1, 0)
        actions: list[int] = []
        while len(actions) < moves and not game.over(states)[0]:
            actions.append(int(rng.choice(np.flatnonzero(game.legal(states)[0]))))
            game.play(states, actions[-1:])
        if game.over(states)[0]:
            continue
        position = _turned(game, states)
        if position in seen:
            continue
        seen.add(position)
        tried += 1
        if is_balanced(solver, states[0], budget):
            yield np.array(actions), tried


def _turned(game: Gekitai, states: States) -> bytes:
    """The cells of a position, the same for all its turns."""
    planes = game.observe(states, int(states["to_move"][0]))[0]
    turns = [np.rot90(one, k, (1, 2)) for one in (planes, planes[:, ::-1]) for k in range(4)]
    return min(turn.tobytes() for turn in turns)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make openings; see `--help`.

    Args:
        arguments: what stands after the program's name; by default the process's own.

    Returns:
        The exit status: 0, 2 after an error, or 130 after Ctrl-C.
    """
    parser = argparse.ArgumentParser(
        prog="python -m agents.games.gekitai.openings",
        description="Make random openings after which neither player is known to win: no win is "
        f"forced within {PLIES} plies, and none is found by proof numbers.",
    )
    parser.add_argument("--num", type=int, default=200, help="how many openings (default 200)")
    parser.add_argument("--moves", type=int, default=4, help="of each of them (default 4)")
    parser.add_argument(
        "--budget",
        type=int,
        default=300_000,
        help="positions that the search for each player's win looks at (default 300000)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the random moves (default 0)")
    parser.add_argument(
        "--out", type=Path, default=_FILE, metavar="FILE", help="where to (default: the package's)"
    )
    add_parameters(parser)
    options = parser.parse_args(arguments)
    try:
        game = boardenvs.make("gekitai", **parameters(options))
        assert isinstance(game, Gekitai)
        num = whole_number("num", options.num, 1)
        moves = whole_number("moves", options.moves, 1, 10)
        budget = whole_number("budget", options.budget, 1)
        seed = whole_number("seed", options.seed, 0)

        def make() -> None:
            found: list[npt.NDArray[np.int64]] = []
            for opening, tried in balanced(game, moves, budget, np.random.default_rng(seed)):
                found.append(opening)
                if len(found) % 10 == 0 or len(found) == num:
                    print(f"{len(found)} openings of {tried} tried", file=sys.stderr, flush=True)
                if len(found) == num:
                    break
            made = {
                "command": f"python -m agents.games.gekitai.openings --num {num} --moves {moves} "
                f"--budget {budget} --seed {seed}",
                "tried": tried,
                "no win within plies": PLIES,
                "positions searched for each player's win": budget,
            }
            write_openings(options.out, game, "balanced", _PARAMS, np.array(found), made)
            print(f"{num} openings, of {tried} tried: {options.out}")

        return run_program(make)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    sys.exit(main())
