"""Make, measure and write down a network's version in 8-bit integers, which searches then ask.

    python -m agents.quantise runs/gomoku/agent.onnx

writes `agent.int8.onnx`, which `puct` then asks instead, and what was measured on the card. It
does so only if the version makes twice the evaluations a second on one core and scores at least
0.48 against the network itself at equal simulations; else the card says what it came to.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import boardenvs
from agents.arena import Scores
from agents.bench.machine import describe_machine
from agents.command.extras import require_extra
from agents.quantise.measures import agreement, match, met_by_search, speeds
from agents.search.network import SearchNetwork
from agents.trained import INT8, TrainedAgent, card_path, read_card
from agents.training.int8 import bias_corrected, check_convolutions, int8_template
from agents.users_own import register_game
from boardenvs.checks import whole_number
from boardenvs.files import write_atomically
from boardenvs.game import Game

__all__ = ["main", "quantise"]

_WHAT = "Make a network's version in 8-bit integers, and keep it for searches if it is worth it."
_FASTER = 2.0
"""Times the evaluations a second that a version must make."""
_LEAST_SCORE = 0.48
"""Against the network itself, at equal simulations."""
_CALIBRATION = 2048
_ROUNDS = 15


def quantise(
    path: Path,
    game: Game,
    *,
    seed: int = 0,
    games: int = 400,
    simulations: int = 200,
    positions: int = 4096,
    seconds: float = 0.1,
) -> dict[str, Any]:
    """Make a network's int8 version, measure it, and write it down.

    Args:
        path: of the network, with its card beside it. The version becomes `NAME.int8.onnx`; if
            it is not worth it, none is left there. The card gets an entry `int8`.
        game: what it plays.
        seed: of positions and the match.
        games: of the match, which only a version that is fast enough plays, at least 1.
        simulations: of both sides in it.
        positions: that are met by search to calibrate by, and as many others to compare on.
        seconds: length of a turn of either side in the measurement of speed.

    Returns:
        The entry `int8` of the card. Its `file` is `None` where the version is not worth it.

    Raises:
        ValueError: an argument is out of range, the network is none, or does not begin
            with a convolution.
    """
    seed = whole_number("seed", seed, 0)
    games = whole_number("games", games, 1)
    network = TrainedAgent(game, seed, path)
    data = path.read_bytes()
    check_convolutions(data)
    to_calibrate, to_compare = (
        met_by_search(game, network, positions, int(word))
        for word in np.random.SeedSequence(seed).generate_state(2)
    )
    rng = np.random.default_rng(seed)
    leaves = rng.permutation(to_calibrate.leaves)[:_CALIBRATION]
    version = bias_corrected(int8_template(data, leaves).network, data, leaves)
    entry: dict[str, Any] = {
        "file": path.with_suffix("").name + INT8,
        "sha256": hashlib.sha256(version).hexdigest(),
        "weights": "7 bits, those of the first layer 8, by channel; heads in float32",
        "seed": seed,
    }
    with tempfile.TemporaryDirectory() as folder:
        # As it would lie beside the network.
        there = Path(folder) / path.name
        there.write_bytes(data)
        there.with_name(entry["file"]).write_bytes(version)
        card_path(there).write_text(json.dumps({**network.card, "int8": entry}), encoding="utf-8")
        other = SearchNetwork(game, seed, there)
        entry["agreement"] = agreement(network, other, to_compare.played)
        found = speeds({"float32": network, "int8": other}, seconds, _ROUNDS)
        times = found["int8"] / found["float32"]
        entry["evaluations_per_second"] = {
            **{name: round(figure, -2) for name, figure in found.items()},
            "times": round(times, 2),
            "cores": 1,
            "machine": describe_machine().splitlines()[0],
        }
        worth = times >= _FASTER
        if worth:
            scores = match(game, network, other, games, simulations, seed)
            entry["score"] = _score(scores, simulations)
            worth = scores[0] >= _LEAST_SCORE
    place = path.with_name(entry["file"])
    if worth:
        write_atomically(place, version)
    else:
        entry["file"] = None
        del entry["sha256"]
    card = {**read_card(path), "int8": entry}
    write_atomically(card_path(path), (json.dumps(card, indent=2) + "\n").encode())
    if not worth:
        place.unlink(missing_ok=True)
    return entry


def _score(scores: Scores, simulations: int) -> dict[str, Any]:
    low, high = scores.interval(0)
    return {
        "against": f"puct:{simulations} by float32",
        "games": scores.games,
        "wins": scores.wins[0],
        "draws": scores.draws[0],
        "losses": scores.losses[0],
        "score": round(scores[0], 4),
        "interval": [round(low, 4), round(high, 4)],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: what stands after the module's name; by default the process's own.

    Returns:
        The exit status: 0, 2 after an error.
    """
    parser = argparse.ArgumentParser("python -m agents.quantise", description=_WHAT)
    parser.add_argument("path", type=Path, metavar="PATH", help="a network, its card beside it")
    parser.add_argument("--game", metavar="MODULE:CLASS", help="a game of your own that it plays")
    parser.add_argument("--seed", type=int, default=0, help="of everything random; by default 0")
    parser.add_argument("--games", type=int, default=400, help="of the match; by default 400")
    parser.add_argument(
        "--simulations", type=int, default=200, help="of both sides in it; by default 200"
    )
    options = parser.parse_args(arguments)
    try:
        require_extra("quantising", "train", ["onnx"])
        card = read_card(options.path)
        name = card["game"] if options.game is None else register_game(options.game)
        entry = quantise(
            options.path,
            boardenvs.make(name, **card["params"]),
            seed=options.seed,
            games=options.games,
            simulations=options.simulations,
        )
    except (ValueError, OSError) as error:
        print(f"quantise: error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    print(json.dumps(entry, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
