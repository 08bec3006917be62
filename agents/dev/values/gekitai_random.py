"""A program that plays Gekitai at random with all parameters, and writes a table of the results."""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path

import numpy as np

from boardenvs.core.checks import whole_number
from boardenvs.files import check_place, write_atomically
from boardenvs.gekitai import Gekitai

__all__ = ["DESCRIPTION", "add_arguments", "random_play", "run", "variants"]

DESCRIPTION = "Play Gekitai at random with all parameters, and write a table of the results."
_FILE = Path(__file__).parents[2] / "games" / "gekitai" / "random_play.csv"
_COLUMNS = (
    *("board_size", "pieces", "line_length", "games"),
    *("first_player_wins", "second_player_wins", "truncated", "lost_by_own_move", "mean_plies"),
)


def variants() -> list[Gekitai]:
    """Return the game with all parameters but `max_plies`."""
    return [
        Gekitai(board_size=side, pieces=pieces, line_length=line)
        for side in range(6, 9)
        for pieces in range(6, 13)
        for line in range(3, min(side, pieces) + 1)
    ]


def random_play(game: Gekitai, games: int, seed: int) -> dict[str, float]:
    """Return the results of games of two random players.

    Args:
        game: the game.
        games: number of games.
        seed: seed of the games and of the players.

    Returns:
        Shares of all games by the name of the column, and `mean_plies`.
    """
    rng = np.random.default_rng(seed)
    states = game.new(games, seed)
    live = np.arange(games)
    own = 0
    while len(live):
        now = states[live]
        movers = now["to_move"].astype(np.int64)
        choice = np.where(game.legal(now), rng.random((len(live), game.num_actions)), -1)
        game.play(now, choice.argmax(axis=1))
        states[live] = now
        own += int((now["returns"][np.arange(len(live)), movers] < 0).sum())
        live = live[~game.over(now)]
    returns = game.returns(states)
    return {
        "first_player_wins": float((returns[:, 0] > 0).mean()),
        "second_player_wins": float((returns[:, 1] > 0).mean()),
        "truncated": float((returns[:, 0] == 0).mean()),
        "lost_by_own_move": own / games,
        "mean_plies": float(states["ply"].mean()),
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    parser.add_argument(
        "--games", type=int, default=4000, help="games with each parameters (default 4000)"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed (default 0)")
    parser.add_argument(
        "--out", type=Path, default=_FILE, help="file to write (default: the shipped one)"
    )


def run(options: argparse.Namespace) -> None:
    """Play the games, and write the table.

    Raises:
        ValueError: an argument is out of range.
        OSError: the file cannot be written.
    """
    check_place("--out", options.out, ".csv")
    games = whole_number("games", options.games, 1)
    seed = whole_number("seed", options.seed, 0)
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    for game in variants():
        found = random_play(game, games, seed)
        rounded = {name: round(value, 4) for name, value in found.items()}
        writer.writerow(
            {name: game.params[name] for name in _COLUMNS[:3]} | {"games": games} | rounded
        )
    write_atomically(options.out, text.getvalue().encode())
    print(f"{options.out}: {len(variants())} sets of parameters, {games:,} games each")
