"""Searches guided by a network beside ONNX Runtime: one position and self-play."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import boardenvs
from agents.bench.row import Row
from agents.bench.rows.batch import label
from agents.bench.run import Bench, Key
from agents.bench.timing import Side, rate
from agents.in_threads import in_threads
from agents.networks.onnx_policy import BoundNetwork, OnnxPolicy
from agents.search.gumbel import GumbelAgent
from agents.search.puct import PuctAgent
from agents.search.slots import Bound, LogitsAndValues
from boardenvs.envs.playout import playout
from boardenvs.game import Game, States
from boardenvs.kernels.threads import most_threads

__all__ = ["evaluating_together", "guided_searches", "self_playing"]

_ALONE = "ONNX Runtime alone"
_BATCHES = (64, 256)
"""Batch sizes of the network by itself, of which the best counts."""
_TOGETHER = ("one session", "a session for each core")
"""Uses of the cores by the network by itself, of which the best counts."""
_ROUNDS = 8
"""Batches that each thread evaluates at a time."""
_GAMES: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("gekitai", {}, 256),
    ("gomoku", {"board_size": 9}, 64),
    ("gomoku", {"board_size": 15}, 64),
    ("game112", {}, 256),
)
"""Games with a network to guide a search, and how many side by side."""
_POSITIONS = 32
"""Number of positions that are searched one after another."""


class _CountedBoundNetwork:
    """A network bound to arrays that reports how many positions it evaluates."""

    def __init__(self, bound: BoundNetwork, count: Callable[[int], None]) -> None:
        self.observed_game = bound.observed_game
        self.seen, self.logits, self.values = bound.seen, bound.logits, bound.values
        self._bound = bound
        self._count = count

    def evaluate(self, num: int, threads: int | None = None) -> None:
        self._count(num)
        self._bound.evaluate(num, threads)


class CountedNetwork:
    """An evaluator for searches that counts the positions it is asked to evaluate."""

    concurrent = True

    def __init__(self, network: OnnxPolicy) -> None:
        """Ask this network."""
        self.network = network
        self.evaluated = 0
        self._lock = threading.Lock()

    def evaluate(self, states: States, threads: int | None = None) -> LogitsAndValues:
        """As of the network."""
        self._count(len(states))
        return self.network.evaluate(states, threads)

    def bind_to_arrays(self, capacity: int) -> Bound:
        """As of the network."""
        return _CountedBoundNetwork(self.network.bind_to_arrays(capacity), self._count)

    def _count(self, num: int) -> None:
        with self._lock:
            self.evaluated += num

    def evaluated_during(self, work: Callable[[], object]) -> int:
        """Return the number of positions that are evaluated during a call."""
        before = self.evaluated
        work()
        return self.evaluated - before


def _playing(game: Game, agent: GumbelAgent, num: int) -> Callable[[], int]:
    """Make a ply in each game, and replace finished games."""
    rng = np.random.default_rng(0)
    states = game.new(num, 0)

    def play() -> int:
        shown = game.conceal(states, states["to_move"], rng)
        noise = rng.gumbel(size=(num, game.num_actions)).astype(np.float32)
        game.play(states, agent.search(shown, noise=noise).actions)
        over = game.over(states)
        game.kernels.restart_games(states, game.constants, game.start, over)
        return num

    return play


def self_playing(network: OnnxPolicy, num: int, simulations: int, seconds: float) -> Side:
    """Positions evaluated a second in self-play as search-guided training searches.

    Args:
        network: that guides the search.
        num: games side by side.
        simulations: for each position.
        seconds: length of a turn.
    """
    game = network.game
    counted = CountedNetwork(network)
    play = _playing(game, GumbelAgent(game, 0, simulations, evaluator=counted), num)
    return lambda: rate(lambda: counted.evaluated_during(play), seconds)


def searching_one(network: OnnxPolicy, simulations: int, seconds: float) -> Side:
    """Positions evaluated a second by `puct` in positions of random games, one at a time."""
    game = network.game
    counted = CountedNetwork(network)
    agent = PuctAgent(game, 0, simulations, evaluator=counted)
    positions = _positions(game, _POSITIONS)
    place = 0

    def search() -> None:
        nonlocal place
        agent.search(positions[place % len(positions)][None])
        place += 1

    def work() -> int:
        return sum(counted.evaluated_during(search) for _ in range(4))

    return lambda: rate(work, seconds)


def _positions(game: Game, num: int) -> States:
    """Return positions of the first quarter of random games."""
    rng = np.random.default_rng(0)
    states = game.new(num, 0)
    seen: list[States] = []

    def choose(live: States, _: Any) -> Any:
        seen.append(live.copy())
        return np.argmax(rng.random((len(live), game.num_actions)) * game.legal(live), 1)

    playout(game, states, choose)
    return rng.permutation(np.concatenate(seen[: max(1, len(seen) // 4)]))[:num]


def evaluating_together(network: OnnxPolicy, num: int, together: str, seconds: float) -> Side:
    """Return a side that measures evaluations a second of ONNX Runtime, in batches of `num`.

    The positions differ, as in a search. A network that looks up lines of stones in a table is
    faster on empty boards.
    """
    states = _positions(network.game, num)
    seen = network.observed_game.observe_to_move(states).astype(np.float32)
    threads = 1 if together == _TOGETHER[0] else most_threads()
    session = network.session(None if threads == 1 else 1)

    def run(*_: object) -> None:
        for _round in range(_ROUNDS):
            session.run(None, {"observation": seen})

    def work() -> int:
        in_threads(run, threads)
        return threads * _ROUNDS * num

    return lambda: rate(work, seconds)


def _networks(game: Game) -> dict[str, OnnxPolicy]:
    """Return the shipped network and its version in 8-bit integers, if any."""
    network, version = OnnxPolicy(game), OnnxPolicy(game, int8=True)
    return {"": network} if version.path == network.path else {"": network, ", int8": version}


def guided_searches(bench: Bench) -> list[Row]:
    """Self-play and `puct`, for each network, as everybody gets them who names no threads."""
    effort = bench.effort
    seconds = max(effort.seconds, effort.guided_seconds)
    measures = (
        f"self-play, {effort.guided_simulations} simulations",
        f"puct:{effort.one_position_simulations}, one position",
    )
    sides: dict[Key, Side] = {}
    names = []
    for name, params, num in _GAMES[: effort.guided_games]:
        for kind, network in _networks(boardenvs.make(name, **params)).items():
            names.append(label(name, params) + kind)
            searches = (
                self_playing(network, num, effort.guided_simulations, seconds),
                searching_one(network, effort.one_position_simulations, seconds),
            )
            for measure, side in zip(measures, searches, strict=True):
                sides[names[-1], measure] = side
            for batch in _BATCHES:
                for together in _TOGETHER:
                    key = names[-1], _ALONE, str(batch), together
                    sides[key] = evaluating_together(network, batch, together, seconds / 4)
    found = bench.compare(sides)
    return [
        Row(
            measure,
            name,
            found[name, measure],
            "evaluations/s",
            _ALONE,
            max(value for key, value in found.items() if key[:2] == (name, _ALONE)),
        )
        for measure in measures
        for name in names
    ]
