"""The agent that searches a tree of simulated games."""

from __future__ import annotations

import abc
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from agents.in_threads import Stopping, in_threads
from agents.search.decisive import checked_decisive, checked_forced, decisive_module_name
from agents.search.report import add_root, report_root
from agents.search.rollouts import search_further, search_states
from agents.search.tree import OPTIONS, Tree, empty_tree
from boardenvs.core.chance import make_streams
from boardenvs.core.checks import finite_number, whole_number
from boardenvs.game import Game, States
from boardenvs.kernels.threads import threads_for
from boardenvs.show.analysis import Analysis

__all__ = [
    "MOST_SIMULATIONS",
    "MctsAgent",
    "SearchAgent",
    "Searched",
    "simulations_within",
    "threads_of",
    "unsearched",
]

MOST_SIMULATIONS = 10_000_000
_PIECES = 8
"""For each thread, into which many states are parted, since some take longer than others."""
_WORTH = 512
"""Simulations for each thread, at least: to start one takes as long as many."""
_SLICE = 0.01
"""Seconds between looks at the clock, about."""
_LATE = 0.01
"""Of the time, that may be left when a search ends."""
_PACE = 2_000_000
"""Simulations a second in one tree: more than there ever are."""


@dataclass(frozen=True, eq=False)
class Searched:
    """What a search found out about N states.

    Example:
        >>> import agents, boardenvs
        >>> game = boardenvs.make("game112")
        >>> found = agents.make("mcts:50", game, seed=0).search(game.new(1, seed=0))
        >>> policy = found.visits / found.visits.sum(1, keepdims=True)
        >>> policy.shape, found.proven.dtype
        ((1, 18), dtype('bool'))
    """

    visits: npt.NDArray[np.int32]
    """How often each action was tried, shape (N, num_actions); the rows of a search without
    a time limit sum to the simulations. Those saved because a state was proven count for the
    action to play."""
    values: npt.NDArray[np.float32]
    """Each seat's mean result, shape (N, num_players); exact where proven."""
    proven: npt.NDArray[np.bool_]
    """Whether the value of the state is certain, shape (N,)."""
    actions: Actions
    """The action to play, shape (N,): a proven win if there is one, else the most visited that
    is no proven loss; where all that were tried are such, the one that takes longest."""

    def analyses(self) -> list[Analysis]:
        """The same, as episodes keep it."""
        return [Analysis.of_visits(*one) for one in zip(self.visits, self.values, strict=True)]


class SearchAgent(Agent):
    """Plays what its search comes to."""

    play_version = 2
    forced_wins = False
    """Whether it looks for wins by force, see `agents.search.decisive`."""

    def __init__(
        self, game: Game, seed: int | None, time_limit: float | None, threads: int | None, spec: str
    ) -> None:
        """Sit down.

        Args:
            game: what is played.
            seed: of the simulations.
            time_limit: seconds for each state; `None` for no limit.
            threads: that search, at least 1; `None` for all cores.
            spec: the name it goes by.

        Raises:
            ValueError: an argument is out of range.
        """
        super().__init__(game, seed, spec)
        if time_limit is not None:
            time_limit = finite_number("time_limit", time_limit)
        self.time_limit = time_limit
        self.threads = None if threads is None else whole_number("threads", threads, 1)
        self.repeatable = time_limit is None

    @property
    def version(self) -> str | None:
        """What keeps its games apart from those of before it looked for forced wins."""
        return "forced wins" if self.forced_wins else None

    def _warm_up(self) -> None:
        """Have an agent with a time limit compile its search before its clock runs."""
        if self.time_limit is None:
            return
        kept, self.time_limit = self.time_limit, 0.0
        try:
            self.search(self.game.new(1, 0), np.zeros(1, np.uint64))
        finally:
            self.time_limit = kept

    @abc.abstractmethod
    def search(self, states: States, random_bits: RandomBits | None = None) -> Searched:
        """Search each state; see `MctsAgent.search`."""

    def _streams(self, random_bits: RandomBits | None, num: int) -> RandomBits:
        """Return a copy of the random bits, or new ones, for the search to write to.

        Raises:
            ValueError: they are no integers of shape (num,).
        """
        if random_bits is None:
            return self._new_random_bits(num)
        given = np.asarray(random_bits)
        if given.shape != (num,) or (num and given.dtype.kind not in "ui"):
            raise ValueError(
                f"random_bits must be whole numbers of shape ({num},), got {given.dtype} of shape "
                f"{given.shape}"
            )
        return given.astype(np.uint64)

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        return self.search(states, random_bits).actions

    def consider(self, states: States, random_bits: RandomBits) -> tuple[Actions, list[Analysis]]:
        found = self.search(states, random_bits)
        return found.actions, found.analyses()


class MctsAgent(SearchAgent):
    """UCT: plays the action that it visited most often in a tree of random simulations.

    Each simulation starts from the state as far as its seat may know it, hidden parts and
    the random stream drawn anew, goes down the tree by the highest upper confidence bound
    (L. Kocsis, C. Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006), adds a node,
    and plays on at random, but for decisive moves. Results count for every seat as that
    seat sees them, so any number of players will do; dice and other chance are sampled as
    they come.

    With one or two players and nothing hidden, wins, losses and draws that the tree proves
    are passed up to the root; the search then plays no proven loss while it has tried anything
    else, else the one that takes longest, never misses a win it has proven, and ends as soon as
    the root is proven. Across a throw of dice nothing is proven, nor with three players or more.

    Where the game tells of decisive moves (see `agents.search.decisive`), such a move is the first
    that is tried: with a single simulation it wins at once where it can, and else refuses a loss.
    Where it tells of forced wins, such as Gomoku's by continuous fours, these are looked for at the
    root and at every leaf, and what they prove is passed up.

    Example:
        >>> import boardenvs
        >>> from agents.search import MctsAgent
        >>> game = boardenvs.make("gekitai")
        >>> found = MctsAgent(game, seed=0, simulations=100).search(game.new(2, seed=0))
        >>> found.visits.shape, found.visits.sum(1).tolist(), found.values.shape
        ((2, 36), [100, 100], (2, 2))
    """

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
        """Sit down.

        Args:
            game: what is played.
            seed: of the simulations.
            simulations: how many for each state, at least 1; `None` for 1,000, or with a
                `time_limit` as many as it leaves time for.
            exploration: the factor of the square root in the confidence bound; results
                are from -1 to 1.
            rollout_depth: plies of random play after which an unfinished simulation counts
                as a draw; `None` for no limit.
            time_limit: seconds for each state, after which a search with simulations left
                ends; what comes out then depends on the machine. `None` for no limit. If no number
                of simulations is told, each thread grows a tree of its own, and what they
                found at the root is added up: "root parallelization" of G. Chaslot, M. Winands,
                J. van den Herik, "Parallel Monte-Carlo tree search", CG 2008.
            decisive_rollouts: whether simulations take an immediate win where they see one,
                and else refuse an immediate loss (see `agents.search.decisive`); `None` for
                wherever the game tells of such moves, since it pays in all of these: at equal
                time 0.69 of the points against uniform rollouts in Gekitai, 0.67 in Gomoku on
                9x9.
            forced_wins: whether to look at the root and at each leaf for a win by force; `None` for
                wherever the game tells of those, and decisive moves are looked for.
            threads: that search, at least 1; without a time limit no result depends on it.
                `None` for all cores.
            spec: the name it goes by.

        Raises:
            ValueError: an argument is out of range, or the game tells of no decisive moves or no
                forced wins.
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
        # Of the confidence bound, by how often a node was visited.
        visited = np.maximum(1, np.arange(self.simulations + 1))
        self._scales = (self.exploration * np.sqrt(np.log(visited))).astype(np.float32)
        self._warm_up()

    def search(self, states: States, random_bits: RandomBits | None = None) -> Searched:
        """Search each state, none of which is over.

        Args:
            states: records of the game, shape (N,).
            random_bits: 64 for each, integers of shape (N,), on which, the time limit
                aside, the outcome depends alone; by default the agent's own.

        Raises:
            ValueError: these are no such states or random bits, or a state is over.
        """
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
        """Search states a few at a time, each thread the next few as soon as it is done."""
        game = self.game
        search = search_states.bound_to(game.rules, self._decisive_module)
        num = len(states)
        threads = max(1, min(threads_of(self), num, num * self.simulations // _WORTH))
        each = max(1, num // (_PIECES * threads) if threads > 1 else num)
        pieces = iter([slice(low, low + each) for low in range(0, num, each)])

        def work(_place: int, stopping: Stopping) -> None:
            for piece in pieces:
                if stopping():
                    return
                search(
                    states[piece],
                    game.constants,
                    streams[piece],
                    self._options,
                    self._scales,
                    *(array[piece] for array in found),
                )

        in_threads(work, threads)

    def _search_for_a_time(
        self, state: States, random_bits: RandomBits, found: list[npt.NDArray[Any]]
    ) -> None:
        assert self.time_limit is not None
        end = time.perf_counter() + self.time_limit
        threads = threads_of(self) if self._by_time_alone else 1
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
        """A tree that has grown until a time of the clock, is full, or has proven its root."""
        game = self.game
        further = search_further.bound_to(game.rules, self._decisive_module)
        began = time.perf_counter()
        seconds = end - began
        size = (self.simulations, game.num_actions, game.observation_size, game.num_players)
        tree = empty_tree(*size)
        done, part = 0, 1
        while True:
            proven = further(
                state, game.constants, streams, self._options, self._scales, tree, part
            )
            done += part
            now = time.perf_counter()
            left = end - now
            # Less than so little is not worth the risk of being late.
            if proven or done == self.simulations or left <= _LATE * seconds or stopping():
                return tree
            # As many as take the time of a slice, or half of what is left, at the speed so far:
            # the nearer the end, the shorter the slices.
            part = max(1, int(done * min(_SLICE, left / 2) / (now - began)))
            part = min(part, self.simulations - done)


def simulations_within(seconds: float) -> int:
    """Return for how many simulations a tree needs room that grows for some seconds."""
    return min(MOST_SIMULATIONS, 1000 + int(min(seconds, MOST_SIMULATIONS) * _PACE))


def threads_of(agent: SearchAgent) -> int:
    """How many threads an agent searches on."""
    return threads_for(agent.threads)


def unsearched(game: Game, num: int) -> tuple[npt.NDArray[Any], ...]:
    """Room for the fields of `Searched`, in their order."""
    return (
        np.zeros((num, game.num_actions), np.int32),
        np.zeros((num, game.num_players), np.float32),
        np.zeros(num, np.bool_),
        np.zeros(num, np.int64),
    )
