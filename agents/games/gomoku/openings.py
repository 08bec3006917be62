"""Makes balanced openings of Gomoku: `python -m agents.games.gomoku.openings -p board_size=15`.

After random stones, one near another, one player is mostly far ahead. Those positions are kept in
which the engine `threats` sees neither a forced win nor much of an advantage.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.games.gomoku.threats import ThreatsAgent
from agents.random_openings import Among, Judge, make_openings, openings_parser
from boardenvs.checks import whole_number
from boardenvs.game import Game, States
from boardenvs.gomoku import Gomoku

__all__ = ["MOST", "is_balanced", "main", "near_others"]

MOST = 0.1
"""The result that `threats` expects is no further from 0."""
_NEAR = 2
"""How far from another stone a stone is placed, at most."""
_PARAMS = ("board_size", "win_length", "exact")


def is_balanced(engine: ThreatsAgent, state: np.void) -> bool:
    """Whether an engine sees no winner, nor anybody much ahead."""
    (thought,) = engine.think(np.array([state], engine.game.state_dtype))
    return not thought.proven and abs(thought.value) <= MOST


def near_others(game: Gomoku, states: States) -> npt.NDArray[np.bool_]:
    """The empty intersections near a stone, or near the middle of an empty board: (N, actions)."""
    side = game.board_size
    stones = game.owners(states) >= 0
    stones[~stones.any((1, 2)), side // 2, side // 2] = True
    wide = np.pad(stones, ((0, 0), (_NEAR, _NEAR), (_NEAR, _NEAR)))
    near = np.zeros_like(stones)
    for down in range(2 * _NEAR + 1):
        for right in range(2 * _NEAR + 1):
            near |= wide[:, down : down + side, right : right + side]
    return game.legal(states) & near.reshape(len(near), -1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make openings; see `--help`.

    Args:
        arguments: what stands after the program's name; by default the process's own.

    Returns:
        The exit status: 0, or 130 after Ctrl-C; 2 by `SystemExit` after an error.
    """
    parser = openings_parser(
        "agents.games.gomoku.openings",
        "Make random openings after which the engine `threats` sees nobody ahead: the result "
        f"that it expects is at most {MOST} from 0.",
        6,
    )
    parser.add_argument(
        "--nodes",
        type=int,
        default=100_000,
        help="positions that it looks at for each (default 100000)",
    )
    return make_openings(parser, arguments, "gomoku", _judged)


def _judged(
    options: argparse.Namespace, game: Game
) -> tuple[Judge, Among, Path, Sequence[str], dict[str, Any]]:
    assert isinstance(game, Gomoku)
    nodes = whole_number("nodes", options.nodes, 1)
    engine = ThreatsAgent(game, nodes=nodes)
    size = f"{game.board_size}x{game.board_size}{'-exact' if game.exact else ''}"
    path = Path(__file__).with_name(f"balanced-{size}.openings.json")
    made = {
        "options": {"nodes": nodes},
        "expected result at most": MOST,
        "positions that threats looked at": nodes,
    }

    def judge(state: np.void) -> bool:
        return is_balanced(engine, state)

    def among(states: States) -> npt.NDArray[np.bool_]:
        return near_others(game, states)

    return judge, among, path, _PARAMS, made


if __name__ == "__main__":
    sys.exit(main())
