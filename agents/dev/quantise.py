"""A program that makes and measures a version of a network in 8-bit integers, for searches.

    python -m agents.dev quantise runs/gomoku/agent.onnx

The program writes `agent.int8.onnx`, which `puct` then uses instead of the network, and adds the
measurements to the network's card. It keeps the version only if both conditions hold:

- One core makes at least twice as many evaluations a second.
- The version scores at least 0.48 against the network with equal simulations.

Otherwise only the measurements are written.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.arena import Scores, wilson
from agents.dev.network_comparison import agreement, match, met_by_search, speeds, together
from agents.naming.user_code import register_game
from agents.networks.card import INT8, card_path, read_card
from agents.networks.onnx_policy import OnnxPolicy
from agents.networks.sizes import Games, games_of_card, shared_out, size_parameter
from agents.speed.machine import describe_machine
from boardenvs.core.checks import whole_number
from boardenvs.files import write_atomically

__all__ = ["DESCRIPTION", "add_arguments", "quantise", "run"]

DESCRIPTION = "Make an 8-bit version of a network, and keep it if it is fast and strong enough."
_FASTER = 2.0
"""Minimum ratio of evaluations a second to those of the network."""
_LEAST_SCORE = 0.48
"""Minimum score against the network with equal simulations."""
_CALIBRATION = 2048  # observations
_ROUNDS = 15  # rounds of the measurement of speed


def quantise(
    path: Path,
    sizes: Games,
    *,
    seed: int = 0,
    games: int = 400,
    simulations: int = 200,
    positions: int = 4096,
    seconds: float = 0.1,
) -> dict[str, Any]:
    """Make a network's int8 version, measure it, and write the version and its measurements.

    For a network of several board sizes, positions and games are split equally among the sizes of
    its training. The card has the measurements of each size and of all sizes together.

    Args:
        path: path of the network, with its card beside it. The version is written to
            `NAME.int8.onnx`. If it is not good enough, that file is deleted. The card gets an
            entry `int8`.
        sizes: the game on each size that the network was trained on.
        seed: seed of the positions and the match.
        games: number of games of the match, at least 1 for each size. Only a version that is fast
            enough plays the match.
        simulations: simulations of both sides in the match.
        positions: number of positions for calibration, and of other positions for the comparison.
        seconds: duration of each measurement of speed.

    Returns:
        The entry `int8` of the card. Its `file` is `None` if the version is not good enough.

    Raises:
        ValueError: an argument is out of range, the file is not a network, or the network does not
            begin with a convolution.
    """
    from agents.networks.int8 import bias_corrected, check_convolutions, int8_template

    seed = whole_number("seed", seed, 0)
    games = whole_number("games", games, 1)
    networks = [OnnxPolicy(one, path) for one in sizes]
    data = path.read_bytes()
    check_convolutions(data)
    seeds = np.random.SeedSequence(seed).generate_state(2 * len(sizes)).tolist()
    to_calibrate, to_compare = (
        [
            met_by_search(one, network, -(-positions // len(sizes)), game_seed)
            for one, network, game_seed in zip(sizes, networks, seeds[first::2], strict=True)
        ]
        for first in (0, 1)
    )
    rng = np.random.default_rng(seed)
    leaves = [rng.permutation(met.leaves)[: _CALIBRATION // len(sizes)] for met in to_calibrate]
    version = bias_corrected(int8_template(data, leaves).network, data, leaves)
    entry: dict[str, Any] = {
        "file": path.with_suffix("").name + INT8,
        "sha256": hashlib.sha256(version).hexdigest(),
        "weights": "7 bits, those of the first layer 8, by channel; heads in float32",
        "seed": seed,
    }
    with tempfile.TemporaryDirectory() as folder:
        # The version is loaded through a card that names it.
        there = Path(folder) / path.name
        there.write_bytes(data)
        there.with_name(entry["file"]).write_bytes(version)
        card = {**networks[0].card, "int8": entry}
        card_path(there).write_text(json.dumps(card), encoding="utf-8")
        others = [OnnxPolicy(one, there, int8=True) for one in sizes]
        pairs = list(zip(networks, others, strict=True))
        agreements = [
            agreement(*pair, met.played) for pair, met in zip(pairs, to_compare, strict=True)
        ]
        entry["agreement"] = together(agreements)
        found = [
            speeds({"float32": network, "int8": other}, seconds, _ROUNDS)
            for network, other in pairs
        ]
        mean = {name: statistics.geometric_mean(one[name] for one in found) for name in found[0]}
        entry["evaluations_per_second"] = _speed(mean)
        by_size: list[dict[str, Any]] = [
            {"agreement": one, "evaluations_per_second": _speed(speed)}
            for one, speed in zip(agreements, found, strict=True)
        ]
        worth = mean["int8"] / mean["float32"] >= _FASTER
        if worth:
            parts = shared_out("games", max(games, len(sizes)), [1 / len(sizes)] * len(sizes))
            scores = [
                match(one, *pair, part, simulations, seed)
                for one, pair, part in zip(sizes, pairs, parts, strict=True)
            ]
            entry["score"] = _score(scores, simulations)
            worth = entry["score"]["score"] >= _LEAST_SCORE
            for one, score in zip(by_size, scores, strict=True):
                one["score"] = _score([score], simulations)
        if len(sizes) > 1:
            parameter = size_parameter(sizes)
            entry["sizes"] = [
                {"params": {parameter: game.params[parameter]}, **one}
                for game, one in zip(sizes, by_size, strict=True)
            ]
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


def _speed(found: Mapping[str, float]) -> dict[str, Any]:
    return {
        **{name: round(figure, -2) for name, figure in found.items()},
        "times": round(found["int8"] / found["float32"], 2),
        "cores": 1,
        "machine": describe_machine().splitlines()[0],
    }


def _score(scores: Sequence[Scores], simulations: int) -> dict[str, Any]:
    """Return the card's entry for a match, or for matches on several sizes."""
    games = sum(one.games for one in scores)
    points = sum(one[0] * one.games for one in scores)
    low, high = wilson(points, games)
    return {
        "against": f"puct:{simulations} by float32",
        "games": games,
        "wins": sum(one.wins[0] for one in scores),
        "draws": sum(one.draws[0] for one in scores),
        "losses": sum(one.losses[0] for one in scores),
        "score": round(points / games, 4),
        "interval": [round(low, 4), round(high, 4)],
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    parser.add_argument("path", type=Path, metavar="PATH", help="network with its card beside it")
    parser.add_argument("--game", metavar="MODULE:CLASS", help="own game that the network plays")
    parser.add_argument("--seed", type=int, default=0, help="seed of everything random (default 0)")
    parser.add_argument("--games", type=int, default=400, help="games of the match (default 400)")
    parser.add_argument(
        "--simulations", type=int, default=200, help="simulations of both sides (default 200)"
    )


def run(options: argparse.Namespace) -> None:
    """Make the version and print its entry on the card.

    Raises:
        ValueError: an argument is out of range, or the network cannot be quantised.
        OSError: a file cannot be read or written.
        ImportError: the extra [train] is not installed.
    """
    card = read_card(options.path)
    name = card["game"] if options.game is None else register_game(options.game)
    entry = quantise(
        options.path,
        games_of_card({**card, "game": name}),
        seed=options.seed,
        games=options.games,
        simulations=options.simulations,
    )
    print(json.dumps(entry, indent=2))
