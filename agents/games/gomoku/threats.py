"""`threats`: the engine of Gomoku, which sees threats and chains of them."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from agents.games import require
from agents.games.gomoku.engine.alpha_beta import PROVEN, WIN, transpositions
from agents.games.gomoku.engine.chains import proofs
from agents.games.gomoku.engine.fours import known_facts
from agents.games.gomoku.engine.patterns import LONGEST, SHORTEST
from agents.games.gomoku.engine.position import empty_position
from agents.games.gomoku.engine.thinking import think
from agents.in_threads import Stopping, in_threads
from boardenvs.core.checks import finite_number, whole_number
from boardenvs.game import Game, States
from boardenvs.gomoku import Gomoku
from boardenvs.kernels.threads import threads_for
from boardenvs.show.analysis import Analysis

__all__ = ["DEFAULT_NODES", "Thought", "ThreatsAgent"]

DEFAULT_NODES = 20_000
MOST_NODES = 2_000_000_000
_SLICE = 0.005
"""Seconds between looks at the clock, about."""
_FIRST = 200
"""Positions before the first look."""
_WARM = 2_000
"""Positions to warm up with."""
_LATE = 0.01
"""Share of the time that may be left at the answer."""
_SOON = 0.001
"""Seconds that may be left at the answer."""
_NODES = 500_000
"""Minimum number of nodes per second on most machines."""
_LEAST, _MOST = 10, 20
"""Bits of the size of the table of positions."""
_FACTS = 14
_PROOFS = 16
_SURE = 0.999
"""Value of a win that is not proven."""
_SCALE = 400.0
"""Worth of a position that should win by the odds of e to 1."""


@dataclass(frozen=True)
class Thought:
    """The engine's result for one position."""

    action: int
    """The action to play."""
    line: tuple[int, ...]
    """The actions that it expects, from that one on, as far as it knows."""
    value: float
    """The result that it expects for the player to move: 1 or -1 only if that is proven."""
    plies: int
    """Within how many plies the game should end, if it sees a win or loss; else 0."""
    proven: bool
    """Whether that is certain: a win by threats alone, or a loss at once. Elsewhere its search
    leaves out moves far from all stones."""
    depth: int
    """Depth of the search in plies; 0 without a search."""
    nodes: int
    """Number of searched positions."""


class _Searcher:
    """Memory of one thread's search."""

    def __init__(self, game: Gomoku, bits: int) -> None:
        self.start, self.codes = empty_position(game)
        self.work = self.start.copy()
        self.table = transpositions(bits)
        self.facts = known_facts(_FACTS)
        self.known = proofs(_PROOFS)

    def clear(self) -> None:
        """Forget all that has been found out."""
        for table in (self.table, self.facts, self.known):
            table.view(np.uint8).fill(0)  # forty times as fast as record by record


class ThreatsAgent(Agent):
    """Alpha-beta search that sees threats: fives, fours, and forced wins by them.

    It keeps the patterns of all lines while it searches (`agents.games.gomoku.engine.position`),
    finds victories by continuous fours (`fours`) at every position and by continuous threats
    (`chains`) where it stands, and searches the rest deeper and deeper (`alpha_beta`).
    """

    play_version = 5

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        nodes: int | None = None,
        time_limit: float | None = None,
        threads: int | None = None,
        spec: str = "threats",
    ) -> None:
        """Create the agent.

        Args:
            game: what is played, with lines of 4 to 6.
            seed: unused: nothing is drawn.
            nodes: how many positions it looks at for each state, at least 1; `None` for 20,000, or
                with a `time_limit` as many as it leaves time for.
            time_limit: seconds for each state; what comes out then depends on the machine. `None`
                for no limit.
            threads: on how many it thinks of several states at once, at least 1; without a time
                limit no result depends on it. `None` for all cores.
            spec: the name it goes by.

        Raises:
            ValueError: the game is another one, or an argument is out of range.
        """
        require(game, __package__, "agent 'threats'")
        assert isinstance(game, Gomoku)
        super().__init__(game, seed, spec)
        if not SHORTEST <= game.win_length <= LONGEST:
            raise ValueError(
                f"agent 'threats' plays Gomoku with a win_length from {SHORTEST} to {LONGEST}, "
                f"got {game.win_length}"
            )
        self._gomoku = game
        self.time_limit = None if time_limit is None else finite_number("time_limit", time_limit)
        if nodes is None:
            nodes = DEFAULT_NODES if time_limit is None else MOST_NODES
        self.nodes = whole_number("nodes", nodes, 1, MOST_NODES)
        self.threads = None if threads is None else whole_number("threads", threads, 1)
        self.deterministic = self.repeatable = time_limit is None
        self._searchers: list[_Searcher] = []
        if time_limit is not None:
            self._warm_up()

    def _warm_up(self) -> None:
        """Compile, and use all that is used later, before the clock runs."""
        cells = self._gomoku.start["cells"][0].copy()
        cells[0] = 1
        self._think(self._searcher(0), cells, _WARM, None)
        self.think(self.game.new(1, 0))

    def think(self, states: States) -> list[Thought]:
        """Return the engine's result for each state.

        Args:
            states: records of the game, shape (N,).

        Raises:
            ValueError: the states do not belong to the game, or one is over.
        """
        states = self.live(states)
        threads = min(threads_for(self.threads), max(1, len(states)))
        thoughts: list[Any] = [None] * len(states)
        numbers = deque(range(len(states)))
        searchers = [self._searcher(k) for k in range(threads)]

        def work(place: int, stopping: Stopping) -> None:
            while not stopping():
                try:
                    number = numbers.popleft()
                except IndexError:
                    return
                thoughts[number] = self._think(
                    searchers[place], states["cells"][number], self.nodes, self.time_limit
                )

        in_threads(work, threads)
        return thoughts

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        return np.array([one.action for one in self.think(states)], np.int64)

    def consider(self, states: States, random_bits: RandomBits) -> tuple[Actions, list[Analysis]]:
        """Analyse states as `Agent.consider`, with line, depth and whether the value is proven."""
        thoughts = self.think(states)
        analyses = []
        for one, seat in zip(thoughts, states["to_move"].tolist(), strict=True):
            policy = np.zeros(self.game.num_actions)
            policy[one.action] = 1
            values = np.full(2, -one.value)
            values[seat] = one.value
            found = Analysis.of_policy(policy, values)
            analyses.append(replace(found, line=one.line, depth=one.depth, proven=one.proven))
        return np.array([one.action for one in thoughts], np.int64), analyses

    def _searcher(self, place: int) -> _Searcher:
        while len(self._searchers) <= place:
            bits = min(max(_LEAST, (2 * self.nodes).bit_length()), _MOST)
            self._searchers.append(_Searcher(self._gomoku, bits))
        return self._searchers[place]

    def _think(
        self, searcher: _Searcher, cells: npt.NDArray[np.int8], nodes: int, seconds: float | None
    ) -> Thought:
        began = time.perf_counter()
        cells = np.array(cells)
        generation = int(searcher.work["generation"][0])
        np.copyto(searcher.work, searcher.start)
        s: Any = searcher.work[0]
        if seconds is None:
            searcher.clear()
            self._share(s, nodes)
            think(s, searcher.codes, searcher.table, searcher.facts, searcher.known, cells, nodes)
            return self._thought(s)
        s["generation"] = (generation + 1) % 65536
        self._share(s, int(seconds * _NODES))
        most = _FIRST
        while not think(
            s,
            searcher.codes,
            searcher.table,
            searcher.facts,
            searcher.known,
            cells,
            min(most, nodes),
        ):
            now = time.perf_counter()
            left = began + seconds - now
            if left <= max(_LATE * seconds, _SOON) or most >= nodes:
                break
            # As many as take the time of a slice, or half of what is left, at the speed so far.
            done = int(s["nodes"])
            most = min(nodes, done + max(50, int(done * min(_SLICE, left / 2) / (now - began))))
        return self._thought(s)

    def _share(self, s: Any, nodes: int) -> None:
        """Return the number of nodes for each purpose."""
        s["root_fours"] = nodes * int(s["fours_share"]) // 1000
        s["root_chain"] = nodes * int(s["chain_share"]) // 1000

    def _thought(self, s: Any) -> Thought:
        side, stride, first = self._gomoku.board_size, int(s["stride"]), int(s["first"])

        def action(cell: Any) -> int:
            row, column = divmod(int(cell) - first, stride)
            return row * side + column

        value = int(s["best_value"])
        is_seen, proven = abs(value) >= PROVEN, bool(s["settled"])
        expected = float(np.clip(np.tanh(value / (2 * _SCALE)), -_SURE, _SURE))
        return Thought(
            action=action(s["best_cell"]),
            line=tuple(action(cell) for cell in s["best_line"][: int(s["best_length"])]),
            value=float(np.sign(value)) if proven else expected,
            plies=WIN - abs(value) if is_seen else 0,
            proven=proven,
            depth=int(s["best_depth"]),
            nodes=int(s["nodes"]),
        )
