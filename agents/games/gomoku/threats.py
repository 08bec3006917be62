"""`threats`, an engine of Gomoku that finds threats and chains of threats."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from agents.games.gomoku.engine.alpha_beta import PROVEN, WIN, transpositions
from agents.games.gomoku.engine.chains import proofs
from agents.games.gomoku.engine.fours import known_facts
from agents.games.gomoku.engine.patterns import LONGEST, SHORTEST
from agents.games.gomoku.engine.position import empty_position
from agents.games.gomoku.engine.thinking import think
from agents.in_threads import Stopping, in_threads
from agents.naming.game_folders import require
from boardenvs.core.checks import finite_number, whole_number
from boardenvs.game import Game, States
from boardenvs.gomoku import Gomoku
from boardenvs.kernels.threads import threads_for
from boardenvs.show.analysis import Analysis

__all__ = ["DEFAULT_NODES", "Thought", "ThreatsAgent"]

DEFAULT_NODES = 20_000
MOST_NODES = 2_000_000_000
_SLICE = 0.005
"""Approximate number of seconds between checks of the clock."""
_FIRST = 200
"""Number of positions before the first check."""
_WARM = 2_000
"""Number of positions of the warm-up."""
_LATE = 0.01
"""Share of the time limit that may be left when the search ends."""
_SOON = 0.001
"""Seconds that may be left when the search ends."""
_NODES = 500_000
"""Minimum number of positions per second on most machines."""
_LEAST, _MOST = 10, 20
"""Minimum and maximum of the binary logarithm of the size of the transposition table."""
_FACTS = 14
_PROOFS = 16
_SURE = 0.999
"""Greatest expected result that is not proven."""
_SCALE = 400.0
"""Worth of a position that wins with odds of e to 1."""


@dataclass(frozen=True)
class Thought:
    """The engine's result for one position."""

    action: int
    """The action to play."""
    line: tuple[int, ...]
    """Expected actions, beginning with `action`."""
    value: float
    """Expected result of the player to move; 1 or -1 only if proven."""
    plies: int
    """Number of plies to a win or loss that the engine has found; else 0."""
    proven: bool
    """Whether the value is proven: a win by threats only, or a loss at once. The search itself
    proves nothing, since it omits moves far from all stones."""
    depth: int
    """Search depth in plies; 0 without a search."""
    nodes: int
    """Number of searched positions."""


class _Searcher:
    """The position and the tables of one thread."""

    def __init__(self, game: Gomoku, bits: int) -> None:
        self.start, self.codes = empty_position(game)
        self.work = self.start.copy()
        self.table = transpositions(bits)
        self.facts = known_facts(_FACTS)
        self.known = proofs(_PROOFS)

    def clear(self) -> None:
        """Clear the tables."""
        for table in (self.table, self.facts, self.known):
            table.view(np.uint8).fill(0)  # much faster than filling records


class ThreatsAgent(Agent):
    """An agent that finds threats and forced wins, and otherwise searches by alpha-beta.

    The modules of `agents.games.gomoku.engine` do the work: `position` updates the patterns of all
    lines with each stone, `fours` finds victories by continuous fours, `chains` finds victories by
    continuous threats at the root, and `alpha_beta` deepens iteratively.
    """

    play_version = 6

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
            game: Gomoku with a `win_length` from 4 to 6.
            seed: ignored; the agent has no randomness.
            nodes: maximum number of positions searched for each state, at least 1; `None` for
                20,000, or with a `time_limit` for no maximum.
            time_limit: seconds for each state; `None` for no limit. With a limit, the choices
                depend on the machine.
            threads: number of states searched at once, at least 1; `None` for all cores. Without
                a time limit, the choices do not depend on it.
            spec: name of the agent.

        Raises:
            ValueError: the game is not supported, or an argument is out of range.
        """
        require(game, __package__, "agent 'threats'")
        assert isinstance(game, Gomoku)
        super().__init__(game, seed, spec)
        if not SHORTEST <= game.win_length <= LONGEST:
            raise ValueError(
                f"agent 'threats' supports Gomoku with a win_length from {SHORTEST} to {LONGEST}, "
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
        """Compile all functions and touch all memory before the first time limit."""
        cells = self._gomoku.start["cells"][0].copy()
        cells[0] = 1
        self._think(self._searcher(0), cells, _WARM, None)
        self.think(self.game.new(1, 0))

    def think(self, states: States) -> list[Thought]:
        """Return the engine's result for each state.

        Args:
            states: records of the game, not over, shape (N,).

        Raises:
            ValueError: `states` are not records of the game, or one is over.
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
        """Return actions and analyses with line, depth and `proven`; see `Agent.consider`."""
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
            # Positions that fit in a slice, or in half of the time left, at the speed so far.
            done = int(s["nodes"])
            most = min(nodes, done + max(50, int(done * min(_SLICE, left / 2) / (now - began))))
        return self._thought(s)

    def _share(self, s: Any, nodes: int) -> None:
        """Set the number of nodes for the searches for fours and chains at the root."""
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
