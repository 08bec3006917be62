"""Tree searches, searches guided by a network, and the search of Gomoku's engine."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import boardenvs
from agents.arena.named_openings import named_openings
from agents.games.gomoku.threats import ThreatsAgent
from agents.in_threads import in_threads
from agents.networks.onnx_policy import BoundNetwork, OnnxPolicy
from agents.search.gumbel import GumbelAgent
from agents.search.mcts import MctsAgent
from agents.search.puct import PuctAgent
from agents.search.slots import Bound, LogitsAndValues
from agents.speed.peers import open_spiel_mcts
from agents.speed.row import Row
from agents.speed.rows.batches import label
from agents.speed.run import Bench, Key
from agents.speed.timing import Side, rate
from boardenvs.envs.playout import playout
from boardenvs.game import Game, States
from boardenvs.kernels.threads import most_threads

__all__ = [
    "engine_nodes",
    "evaluating_together",
    "guided_searches",
    "searches",
    "searching",
    "self_playing",
]

# -- Tree search ----------------------------------------------------------------------------


def searching(game: Game, simulations: int, seconds: float) -> Side:
    """Return a side that measures moves per second in the start position, on one core."""
    agent = MctsAgent(game, 0, simulations, decisive_rollouts=False)
    state = game.new(1, 0)
    return lambda: rate(lambda: len(agent.act(state)), seconds)


def searches(bench: Bench) -> list[Row]:
    """Return rows that compare every game with OpenSpiel's gomoku, both with random rollouts."""
    effort, peer = bench.effort, "OpenSpiel MCTSBot"
    simulations = effort.simulations
    sides: dict[Key, Side | None] = {
        (name,): searching(boardenvs.make(name), simulations, effort.seconds)
        for name in effort.games
    }
    sides[peer,] = bench.peer(
        "OpenSpiel",
        "bench",
        lambda: open_spiel_mcts("gomoku(size=15)", simulations, effort.seconds),
    )
    return bench.rows(f"mcts:{simulations}, a move", "moves/s", peer, sides)


# -- Gomoku's engine ------------------------------------------------------------------------

_FEW, _MANY = 200, 20_000
"""Number of positions searched for a move in a short and in a long search."""
_STATES = 8


def engine_nodes(bench: Bench) -> list[Row]:
    """Return a row that compares the positions per second of a short and a long search."""
    game, many = boardenvs.make("gomoku"), f"threats:{_MANY}"
    sides: dict[Key, Side] = {
        (game.name,): _looking(game, _FEW, bench.effort.seconds),
        (many,): _looking(game, _MANY, bench.effort.seconds),
    }
    return bench.rows(f"threats:{_FEW}, one core", "positions/s", many, sides)


def _looking(game: Game, nodes: int, seconds: float) -> Side:
    """Return a side that measures positions searched per second, on balanced openings."""
    engine = ThreatsAgent(game, nodes=nodes, threads=1)
    states: States = game.new(_STATES, 0)
    for actions in named_openings(game, "balanced").moves[:_STATES].T:
        game.play(states, actions)
    turn = itertools.cycle(range(_STATES))

    def work() -> int:
        (thought,) = engine.think(states[[next(turn)]])
        return thought.nodes

    return lambda: rate(work, seconds)


# -- Searches guided by a network -----------------------------------------------------------

_ALONE = "ONNX Runtime alone"
_BATCHES = (64, 256)
"""Batch sizes of ONNX Runtime without a search. The fastest one counts."""
_TOGETHER = ("one session", "a session for each core")
"""Uses of the cores by ONNX Runtime without a search. The fastest one counts."""
_ROUNDS = 8
"""Number of batches that each thread evaluates in one call."""
_GAMES: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("gekitai", {}, 256),
    ("gomoku", {"board_size": 9}, 64),
    ("gomoku", {"board_size": 15}, 64),
    ("game112", {}, 256),
)
"""Name and parameters of each game with a network, and the number of games in self-play."""
_POSITIONS = 32
"""Number of positions that `puct` searches one after another."""


class _CountedBoundNetwork:
    """A network bound to arrays that reports the number of positions it evaluates."""

    def __init__(self, bound: BoundNetwork, count: Callable[[int], None]) -> None:
        self.observed_game = bound.observed_game
        self.seen, self.logits, self.values = bound.seen, bound.logits, bound.values
        self._bound = bound
        self._count = count

    def evaluate(self, num: int, threads: int | None = None) -> None:
        self._count(num)
        self._bound.evaluate(num, threads)


class CountedNetwork:
    """An evaluator for searches that counts the positions it evaluates."""

    concurrent = True

    def __init__(self, network: OnnxPolicy) -> None:
        """Count the evaluations of `network`."""
        self.network = network
        self.evaluated = 0
        self._lock = threading.Lock()

    def evaluate(self, states: States, threads: int | None = None) -> LogitsAndValues:
        """Return the logits and values of the network."""
        self._count(len(states))
        return self.network.evaluate(states, threads)

    def bind_to_arrays(self, capacity: int) -> Bound:
        """Return the network bound to arrays of `capacity` positions."""
        return _CountedBoundNetwork(self.network.bind_to_arrays(capacity), self._count)

    def _count(self, num: int) -> None:
        with self._lock:
            self.evaluated += num

    def evaluated_during(self, work: Callable[[], object]) -> int:
        """Return the number of positions evaluated during a call of `work`."""
        before = self.evaluated
        work()
        return self.evaluated - before


def _playing(game: Game, agent: GumbelAgent, num: int) -> Callable[[], int]:
    """Return a function that plays a ply in each game and restarts finished games."""
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
    """Return a side that measures evaluations per second in self-play with Gumbel search.

    Args:
        network: network that guides the search.
        num: number of games.
        simulations: number of simulations for each position.
        seconds: length of a turn.
    """
    game = network.game
    counted = CountedNetwork(network)
    play = _playing(game, GumbelAgent(game, 0, simulations, evaluator=counted), num)
    return lambda: rate(lambda: counted.evaluated_during(play), seconds)


def searching_one(network: OnnxPolicy, simulations: int, seconds: float) -> Side:
    """Return a side that measures evaluations per second of `puct`, one position at a time."""
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
    """Return positions from the first quarter of random games."""
    rng = np.random.default_rng(0)
    states = game.new(num, 0)
    seen: list[States] = []

    def choose(live: States, _: Any) -> Any:
        seen.append(live.copy())
        return np.argmax(rng.random((len(live), game.num_actions)) * game.legal(live), 1)

    playout(game, states, choose)
    return rng.permutation(np.concatenate(seen[: max(1, len(seen) // 4)]))[:num]


def evaluating_together(network: OnnxPolicy, num: int, together: str, seconds: float) -> Side:
    """Return a side that measures evaluations per second of ONNX Runtime, in batches of `num`.

    The positions differ, as in a search, because some networks are faster on empty boards.
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
    """Return the shipped network and its int8 version, if any, by suffix of the label."""
    network, version = OnnxPolicy(game), OnnxPolicy(game, int8=True)
    return {"": network} if version.path == network.path else {"": network, ", int8": version}


def guided_searches(bench: Bench) -> list[Row]:
    """Return rows of self-play and `puct` for each network, with the default threads."""
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
