"""The agent that searches by UCT."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import RandomBits
from agents.in_threads import Stopping, in_threads
from agents.search.decisive import checked_decisive, checked_forced, decisive_module_name
from agents.search.outputs import add_root, report_root
from agents.search.rollouts import search_states
from agents.search.search_agent import (
    MOST_SIMULATIONS,
    SearchAgent,
    Searched,
    simulations_within,
    unsearched,
)
from agents.search.tree import OPTIONS, Tree, empty_tree
from boardenvs.core.chance import make_streams
from boardenvs.core.checks import finite_number, whole_number
from boardenvs.game import Game, States
from boardenvs.kernels import is_ready
from boardenvs.kernels.interpreting import may_compile
from boardenvs.kernels.threads import threads_for

__all__ = ["MctsAgent"]

_PIECES = 8
"""Pieces of work for each thread. Several pieces balance states that take longer than others."""
_WORTH = 512
"""Minimum number of simulations for each thread; fewer do not pay for starting a thread."""
_SLICE = 0.01
"""Approximate seconds between two looks at the clock."""
_LATE = 0.01
"""Share of the time limit that may remain when a search ends."""
_ALL = 2**62
"""Limit of simulations of a call that ends when all states are searched."""
_INTERPRETED = 10
"""Simulations of a call before the search is compiled; the next call may use machine code."""


class MctsAgent(SearchAgent):
    """A UCT agent, which plays the most visited action of a tree of random simulations.

    Each simulation starts from the information of the seat to move, with hidden parts and the
    random stream resampled. It descends the tree by the highest upper confidence bound
    (L. Kocsis, C. Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006), adds a node, and
    continues with a random rollout, which takes decisive moves. Each seat has its own result, so
    any number of players is supported. Chance is sampled.

    With one or two players and no hidden information, proven wins, losses and draws are passed up
    to the root. The search plays a proven win if there is one. It plays a proven loss only if it
    has tried nothing else, and then the longest loss. It ends as soon as the root is proven.
    Nothing is proven across chance or with more than two players.

    If the game has decisive moves (see `agents.search.decisive`), the search tries them first: even
    with one simulation the agent takes an immediate win, or else avoids an immediate loss. If the
    game has forced wins, such as Gomoku's by continuous fours, the search looks for them at the
    root and at every leaf, and passes up the proofs.

    Example:
        >>> import boardenvs
        >>> from agents.search import MctsAgent
        >>> game = boardenvs.make("gekitai")
        >>> found = MctsAgent(game, seed=0, simulations=100).search(game.new(2, seed=0))
        >>> found.visits.shape, found.visits.sum(1).tolist(), found.values.shape
        ((2, 36), [100, 100], (2, 2))
    """

    play_version = 2

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        simulations: int | None = None,
        exploration: float = 1.0,
        rollout_depth: int | None = None,
        time_limit: float | None = None,
        decisive_rollouts: bool | None = None,
        forced_wins: bool | None = None,
        threads: int | None = None,
        spec: str = "mcts",
    ) -> None:
        """Create the agent.

        Args:
            game: the game to play.
            seed: seed of the simulations.
            simulations: number of simulations for each state, at least 1; `None` for 1,000, or for
                as many as a `time_limit` allows.
            exploration: factor of the square root in the confidence bound; results are from -1
                to 1.
            rollout_depth: maximum number of plies of a rollout, after which it counts as a draw;
                `None` for no limit.
            time_limit: seconds for each state, after which the search ends even if simulations are
                left; the result then depends on the machine. `None` for no limit. If `simulations`
                is `None`, each thread grows its own tree, and the results at the roots are summed:
                "root parallelization" of G. Chaslot, M. Winands, J. van den Herik, "Parallel
                Monte-Carlo tree search", CG 2008.
            decisive_rollouts: whether rollouts take an immediate win and avoid an immediate loss
                (see `agents.search.decisive`); `None` for true if the game has decisive moves.
            forced_wins: whether to look for a forced win at the root and at each leaf; `None` for
                true if the game has forced wins and `decisive_rollouts` is true.
            threads: number of threads, at least 1; `None` for all cores. Without a time limit the
                result does not depend on it.
            spec: name of the agent.

        Raises:
            ValueError: an argument is out of range, or `decisive_rollouts` or `forced_wins` is true
                and the game does not support it.
        """
        super().__init__(game, seed, time_limit, threads, spec)
        self._by_time_alone = simulations is None and self.time_limit is not None
        if simulations is None:
            simulations = 1000 if self.time_limit is None else simulations_within(self.time_limit)
        self.simulations = whole_number("simulations", simulations, 1, MOST_SIMULATIONS)
        self.exploration = finite_number("exploration", exploration)
        if rollout_depth is not None:
            rollout_depth = whole_number("rollout_depth", rollout_depth, 0)
        self.rollout_depth = rollout_depth
        self.decisive_rollouts = checked_decisive("decisive_rollouts", decisive_rollouts, game)
        self.forced_wins, (leaf, root) = checked_forced(
            "forced_wins", forced_wins, game, decisive=self.decisive_rollouts
        )
        self._decisive_module = decisive_module_name(game)
        self._options = np.zeros(1, OPTIONS)
        self._options["forced"], self._options["forced_at_root"] = leaf, root
        self._options["simulations"] = self.simulations
        self._options["rollout_depth"] = game.max_plies if rollout_depth is None else rollout_depth
        self._options["observation_size"] = game.observation_size
        self._options["hidden"] = game.has_hidden
        self._options["decisive"] = self.decisive_rollouts
        # Factor of the confidence bound, indexed by the visits of a node.
        visited = np.maximum(1, np.arange(self.simulations + 1))
        self._scales = (self.exploration * np.sqrt(np.log(visited))).astype(np.float32)
        self._warm_up()

    def search(self, states: States, random_bits: RandomBits | None = None) -> Searched:
        """Search each state; see `SearchAgent.search`."""
        states = self.live(states)
        random_bits = self._streams(random_bits, len(states))
        found = unsearched(self.game, len(states))
        if self.time_limit is None:
            self._search_all(states, random_bits, found)
        else:
            for i in range(len(states)):
                part = [array[i : i + 1] for array in found]
                self._search_for_a_time(states[i : i + 1], random_bits[i : i + 1], part)
        return Searched(*found)

    def _search_all(
        self, states: States, streams: RandomBits, found: Sequence[npt.NDArray[Any]]
    ) -> None:
        """Search states in pieces; each thread takes the next piece when it is free."""
        game = self.game
        search = search_states.bound_to(game.rules, self._decisive_module)
        num = len(states)
        threads = max(1, min(threads_for(self.threads), num, num * self.simulations // _WORTH))
        each = max(1, num // (_PIECES * threads) if threads > 1 else num)
        pieces = iter([slice(low, low + each) for low in range(0, num, each)])

        def work(_place: int, stopping: Stopping) -> None:
            tree = self._empty_tree()
            for piece in pieces:
                rows = [array[piece] for array in found]
                first = 0
                while first < len(states[piece]):
                    if stopping():
                        return
                    first = search(
                        states[piece],
                        game.constants,
                        streams[piece],
                        self._options,
                        self._scales,
                        tree,
                        first,
                        _ALL if is_ready(search) else _INTERPRETED,
                        *rows,
                    )

        in_threads(work, threads)

    def _search_for_a_time(
        self, state: States, random_bits: RandomBits, found: list[npt.NDArray[Any]]
    ) -> None:
        assert self.time_limit is not None
        end = time.perf_counter() + self.time_limit
        search = search_states.bound_to(self.game.rules, self._decisive_module)
        # Plain Python gains nothing from threads, and adding their trees takes long.
        together = self._by_time_alone and (is_ready(search) or may_compile())
        threads = threads_for(self.threads) if together else 1
        trees: list[Any] = [None] * threads
        streams = make_streams(random_bits[0], threads)
        streams[0] = random_bits[0]

        def grow(place: int, stopping: Stopping) -> None:
            trees[place] = self._grown(state, streams[place : place + 1], end, stopping)

        in_threads(grow, threads)
        rules = self.game.rules
        for tree in trees[1:]:
            add_root.bound_to(rules)(trees[0], tree)
        report_root.bound_to(rules)(trees[0], *found)

    def _grown(self, state: States, streams: RandomBits, end: float, stopping: Stopping) -> Tree:
        """Return a tree grown until `end` on the clock, or until it is full or its root proven."""
        game = self.game
        search = search_states.bound_to(game.rules, self._decisive_module)
        began = time.perf_counter()
        seconds = end - began
        tree = self._empty_tree()
        found = unsearched(game, 1)
        done, part = 0, 1
        while True:
            ended = search(
                state, game.constants, streams, self._options, self._scales, tree, 0, part, *found
            )
            done += part
            now = time.perf_counter()
            left = end - now
            # A shorter rest is not worth the risk of being late.
            if ended or left <= _LATE * seconds or stopping():
                return tree
            # Half of the time left, at most a slice: slices become shorter towards the end.
            part = max(1, int(done * min(_SLICE, left / 2) / (now - began)))
            part = min(part, self.simulations - done)

    def _empty_tree(self) -> Tree:
        game = self.game
        size = (self.simulations, game.num_actions, game.observation_size, game.num_players)
        tree: Tree = empty_tree(*size)
        return tree
