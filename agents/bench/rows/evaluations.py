"""Networks with 8-bit integers compared with float32, on one core."""

from __future__ import annotations

from typing import Any

import numpy as np

import boardenvs
from agents.bench.row import Row
from agents.bench.rows.batch import label
from agents.bench.run import Bench, Key
from agents.bench.timing import Side, rate
from agents.games import files
from agents.networks.card import INT8, read_card
from agents.networks.onnx_policy import OnnxPolicy
from agents.networks.sizes import games_of_card
from boardenvs.game import Game

__all__ = ["BATCHES", "evaluating", "int8_networks"]

BATCHES = (16, 64, 256)
"""Batch sizes of the networks. The fastest one of each network counts."""
_FLOAT = "float32"


def evaluating(network: OnnxPolicy, batch: int, seconds: float) -> Side:
    """Return a side that measures evaluations per second on one core, in batches of `batch`."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        network.path.read_bytes(), options, providers=["CPUExecutionProvider"]
    )
    shape = batch, *network.observed_game.observation_shape
    seen = np.random.default_rng(0).integers(0, 2, shape).astype(np.float32)

    def work() -> int:
        session.run(["logits", "value"], {"observation": seen})
        return batch

    return lambda: rate(work, seconds)


def int8_networks(bench: Bench) -> list[Row]:
    """Return rows of the shipped networks that have an int8 version."""
    effort = bench.effort
    sides: dict[Key, Side] = {}
    names = []
    for game, shown in _with_version(effort.games):
        names.append(shown)
        both = {"int8": OnnxPolicy(game, int8=True), _FLOAT: OnnxPolicy(game)}
        for kind, network in both.items():
            for batch in BATCHES:
                sides[shown, kind, str(batch)] = evaluating(network, batch, effort.seconds)
    found = bench.compare(sides)
    best = {
        (name, kind): max(found[name, kind, str(batch)] for batch in BATCHES)
        for name in names
        for kind in ("int8", _FLOAT)
    }
    return [
        Row(
            "network in int8, one core", name, best[name, "int8"], "evaluations/s",
            _FLOAT, best[name, _FLOAT],
        )
        for name in names
    ]  # fmt: skip


def _with_version(names: tuple[str, ...]) -> list[tuple[Game, str]]:
    """Return the games whose network has an int8 version, with their labels in the table."""
    found = []
    for name in names:
        for version in files(boardenvs.make(name), f"*{INT8}"):
            card: dict[str, Any] = read_card(
                version.with_name(version.name.removesuffix(INT8) + ".onnx")
            )
            usual = boardenvs.make(name).params
            found += [
                (
                    game,
                    label(
                        name,
                        {
                            k: v
                            for k, v in game.params.items()
                            if k != "max_plies" and v != usual[k]
                        },
                    ),
                )
                for game in games_of_card(card)
            ]
    return found
