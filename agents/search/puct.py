"""The agent that searches a tree guided by a policy network."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from agents.agent import RandomBits
from agents.in_threads import Stopping, in_threads
from agents.networks.onnx_policy import OnnxPolicy
from agents.search.decisive import checked_decisive, checked_forced, decisive_module_name
from agents.search.puct_loops import STRAYS, Search, report_trees, step_trees
from agents.search.search_agent import SearchAgent, Searched, simulations_within, unsearched
from agents.search.slots import Clock, EvaluateStates, LogitsAndValues, Slot, take_turns
from agents.search.tree import NUM_AWAITED, OPTIONS, Tree, empty_forest
from boardenvs.core.checks import finite_number, whole_number
from boardenvs.game import Game, States
from boardenvs.kernels.numba_compat import EntryPoint
from boardenvs.kernels.threads import threads_for

__all__ = ["Evaluator", "PuctAgent"]

_SIDE_BY_SIDE = 256
"""The largest number of trees that grow at once."""
_EDGES = 2**22
"""The largest number of edges of all trees that grow at once, about: 128 MB."""
_EACH = 4
"""From this many trees for each thread on, each thread grows trees of its own."""
_SLOTS = 2
"""The number of slots in which leaves wait for their evaluation, see `agents.search.slots`."""
_MOST_AWAITED = 32
"""The largest number of leaves of one tree in both slots."""


class _Awaiting(NamedTuple):
    """How many leaves of one tree are evaluated at once."""

    simulations_each: int
    """Simulations of a search for each leaf that may wait."""
    visits_each: int
    """Visits that the tree must have had for each leaf that may wait."""
    lead: int
    """How many more leaves one slot may have than the other."""
    strays: int
    """Simulations that may end at leaves that wait before the tree waits; up to `STRAYS`."""


_FEW = 200
"""Searches of up to this many simulations await fewer leaves: the frozen ladders of
`agents.benchmark` record their choices."""
_OF_FEW = _Awaiting(simulations_each=16, visits_each=16, lead=_MOST_AWAITED, strays=16)
_OF_MANY = _Awaiting(simulations_each=25, visits_each=1, lead=1, strays=STRAYS)
"""These numbers cost no strength at equal simulations, see `agents/bench/README.md`."""
_BY_TIME = _OF_MANY._replace(visits_each=4)
"""With a time limit, the number of simulations is not known beforehand."""
_TRIES = 512
"""The largest number of simulations between two looks at the clock."""
_KEPT = 2**25
"""Trees whose edges take up to this many bytes are kept for the next search."""


class Evaluator(Protocol):
    """What guides a search: a policy and an estimate of the outcome.

    An evaluator may have two more attributes, as `agents.networks.onnx_policy.OnnxPolicy` has:

    - `concurrent`, true if several threads may call `evaluate` at once. `evaluate` then takes an
      argument `threads`, the largest number of threads of one call; `None` for all cores.
    - `bind_to_arrays(capacity)`, which returns arrays for that many positions. A search then writes
      observations to the arrays, which is cheaper than a call of `evaluate`.

    Example:
        >>> import numpy as np
        >>> class Even:  # every action alike, every position a draw
        ...     def evaluate(self, states):
        ...         num = len(states)
        ...         return np.zeros((num, 36), np.float32), np.zeros(num, np.float32)
        >>> import boardenvs
        >>> from agents.search import PuctAgent
        >>> game = boardenvs.make("gekitai")
        >>> PuctAgent(game, 0, 20, evaluator=Even()).act(game.new(3, seed=0)).shape
        (3,)
    """

    def evaluate(self, states: States) -> LogitsAndValues:
        """Evaluate positions, as `agents.networks.onnx_policy.OnnxPolicy.evaluate` does.

        Args:
            states: records of the game, shape (N,), none of them over.

        Returns:
            Logits of the actions, float32 of shape (N, num_actions), whose values for illegal
            actions do not matter; and the result expected for the seat to move, from -1
            to 1, float32 of shape (N,).
        """


class PuctAgent(SearchAgent):
    """Plays the action it visited most often in a tree that a policy network guides.

    A leaf gets its value from the network. The network's policy says which actions to try first.
    If the network's card names a version in 8-bit integers, the search uses that version. If the
    game has decisive moves or forced wins (see `agents.search.decisive`), a leaf with such a win is
    proven without the network, and such a win at the root is played.

    Several leaves of one tree are evaluated together. Meanwhile the search looks for more leaves:
    the more visits the tree has had, the more leaves wait. The result depends only on the tree,
    not on the number of states that are searched side by side, nor on the number of threads.

    Example:
        >>> import agents, boardenvs
        >>> game = boardenvs.make("gekitai")
        >>> found = agents.make("puct:50", game, seed=0).search(game.new(2, seed=0))
        >>> found.visits.sum(1).tolist()
        [50, 50]
    """

    play_version = 5

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        simulations: int | None = None,
        exploration: float = 1.5,
        path: str | Path | None = None,
        decisive: bool | None = None,
        forced_wins: bool | None = None,
        evaluator: Evaluator | None = None,
        time_limit: float | None = None,
        threads: int | None = None,
        spec: str = "puct",
    ) -> None:
        """Sit down, with a network or another evaluator.

        Args:
            game: what is played.
            seed: of what the simulations draw: chance and hidden parts.
            simulations: how many for each state, at least 1; `None` for 400, or with a
                `time_limit` as many as it leaves time for.
            exploration: the factor of the policy's share in the bound.
            path: of the network's ONNX file, as for `agents.networks.onnx_policy.OnnxPolicy`; by
                default the shipped one.
            decisive: whether to look for a win at once at each leaf; `None` for true if
                the game has decisive moves.
            forced_wins: whether to look at each leaf, and longer at the root, for a win by force;
                `None` for true if the game has these, and `decisive`.
            evaluator: what guides the search instead of a network file.
            time_limit: seconds for each state, after which a search with simulations left
                ends; what comes out then depends on the machine. `None` for no limit.
            threads: that search, at least 1; without a time limit no result depends on it.
                `None` for all cores.
            spec: the name it goes by.

        Raises:
            ValueError: an argument is out of range, there is no such network, both it and an
                evaluator are given, or the game has no decisive moves or forced wins.
        """
        super().__init__(game, seed, time_limit, threads, spec)
        most = 1_000_000
        if simulations is None:
            simulations = 400
            if self.time_limit is not None:
                simulations = most = simulations_within(self.time_limit)
        self.simulations = whole_number("simulations", simulations, 1, most)
        self.exploration = finite_number("exploration", exploration)
        self.decisive = checked_decisive("decisive", decisive, game)
        self.forced_wins, (leaf, root) = checked_forced(
            "forced_wins", forced_wins, game, decisive=self.decisive
        )
        self.deterministic = self.repeatable and not (game.has_chance or game.has_hidden)
        if evaluator is not None and path is not None:
            raise ValueError(f"path must be None if evaluator is given, got {str(path)!r}")
        self.evaluator: Evaluator = (
            OnnxPolicy(game, path, int8=True) if evaluator is None else evaluator
        )
        self._decisive_module = decisive_module_name(game)
        self._options = np.zeros(1, OPTIONS)
        self._options["simulations"] = self.simulations
        self._options["observation_size"] = game.observation_size
        self._options["hidden"] = game.has_hidden
        self._options["guided"] = True
        self._options["decisive"] = self.decisive
        self._options["forced"], self._options["forced_at_root"] = leaf, root
        self._options["tries"] = np.iinfo(np.int64).max if time_limit is None else _TRIES
        self._set_awaiting()
        visited = np.arange(self.simulations + 2 + STRAYS)
        self._scales = (self.exploration * np.sqrt(visited)).astype(np.float32)
        self._schedule = np.zeros((0, 0), np.int32)
        self._keep_nothing()
        self._warm_up()

    def _keep_nothing(self) -> None:
        """Drop what searches keep for the next one."""
        self._step_trees: EntryPoint | None = None
        self._report_trees: EntryPoint | None = None
        self._forests: list[Tree] = []
        self._slots: list[Slot] = []

    def __getstate__(self) -> dict[str, Any]:
        kept = {"_step_trees", "_report_trees", "_forests", "_slots"}
        return {k: v for k, v in self.__dict__.items() if k not in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._keep_nothing()

    def _set_awaiting(self) -> None:
        """Choose how many leaves of one tree are evaluated at once."""
        each = _OF_MANY if self.time_limit is None else _BY_TIME
        if self.simulations <= _FEW:
            each = _OF_FEW
            self.play_version = 3  # the version that those ladders record
        most = min(self.simulations // each.simulations_each, _MOST_AWAITED)
        self._options["most_awaited"] = max(1, most)
        for name in ("visits_each", "lead", "strays"):
            self._options[name] = getattr(each, name)

    @property
    def path(self) -> Path | None:
        """The network's ONNX file; `None` if the evaluator has none."""
        return getattr(self.evaluator, "path", None)

    @property
    def card(self) -> dict[str, Any] | None:
        """The network's card; `None` if the evaluator has none."""
        return getattr(self.evaluator, "card", None)

    def search(self, states: States, random_bits: RandomBits | None = None) -> Searched:
        """Search each state; see `SearchAgent.search`."""
        states = self.live(states)
        found = unsearched(self.game, len(states))
        noise = np.zeros((len(states), 0), np.float32)
        self._search_all(states, random_bits, noise, found)
        return Searched(*found)

    def _search_all(
        self,
        states: States,
        streams: RandomBits | None,
        noise: npt.NDArray[np.float32],
        found: Sequence[npt.NDArray[Any]],
    ) -> None:
        """Search states that are not over, and write the results to the arrays `found`."""
        streams = self._streams(streams, len(states))
        threads = threads_for(self.threads) if self._is_concurrent() else 1
        at_once, apart = 1, 1
        if self.time_limit is None:
            # Each thread grows trees of its own if there are many.
            apart = threads if len(states) >= _EACH * threads else 1
            at_once = _EDGES // (apart * self.simulations * self.game.num_actions)
            at_once = max(1, min(at_once, _SIDE_BY_SIDE, -(-len(states) // apart)))
        pieces = [slice(low, low + at_once) for low in range(0, len(states), at_once)]

        def search(place: int, stopping: Stopping) -> None:
            for piece in pieces[place::apart]:
                self._search_side_by_side(
                    states[piece],
                    streams[piece],
                    noise[piece],
                    [array[piece] for array in found],
                    threads // apart,
                    stopping,
                )

        in_threads(search, apart)

    def _search_side_by_side(
        self,
        states: States,
        streams: RandomBits,
        noise: npt.NDArray[np.float32],
        found: Sequence[npt.NDArray[Any]],
        threads: int,
        stopping: Stopping,
    ) -> None:
        """Search several states at once, evaluate their leaves together, and store the results.

        Args:
            states: shape (N,).
            streams: random streams, uint64 of shape (N,).
            noise: shape (N, num_actions), or (N, 0) for none.
            found: arrays for the results, N rows each.
            threads: the number of threads of this search.
            stopping: reports whether the search need not go on.

        Raises:
            StoppedError: the search need not go on.
        """
        num, most_awaited = len(states), int(self._options["most_awaited"][0])
        num_slots = _SLOTS if most_awaited > 1 else min(_SLOTS, threads, num)
        slots = [self._slot(num * -(-most_awaited // 2)) for _ in range(num_slots)]
        forest = self._forest(num)
        options = self._options.copy()
        each = min(threads, num_slots)  # the number of threads for the slots
        search = Search(
            states=states,
            params=self.game.constants,
            streams=streams,
            options=options,
            scales=self._scales,
            noise=noise,
            schedule=self._schedule,
            forest=forest,
        )
        if self._step_trees is None:
            loop = step_trees.bound_to(self.game.rules, self._decisive_module)
            self._step_trees = EntryPoint(loop)
        steps = [functools.partial(self._step_trees, search, slot.leaves, each) for slot in slots]
        clock = None if self.time_limit is None else Clock(self.time_limit)

        def turn(slot: Slot, number: int) -> int:
            step = steps[number % num_slots]
            if clock is None:
                return step(number, slot.num)
            root, used = forest.nodes[0, 0], forest.used[0]
            evaluated, leaves = slot.num, 0
            while not leaves:
                if clock.is_over(number, num_slots):
                    options["simulations"] = 1  # whatever comes, the root is evaluated
                leaves = step(number, evaluated)
                evaluated = 0
                # Simulations that end the game are not awaited, and there may be any number.
                if (
                    used[NUM_AWAITED]
                    or root["proven"]
                    or root["visits"] > options["simulations"][0]
                ):
                    break
            return leaves

        evaluate = functools.partial(
            Slot.evaluate,
            evaluate=self._evaluate_states(threads // each),
            threads=threads // each,
        )
        take_turns(slots, turn, evaluate, each, stopping)
        if clock is not None:
            options["simulations"] = forest.nodes["visits"][0, 0] - 1
        grown = Tree._make(array[:num] for array in forest)
        self._report(search._replace(forest=grown), found)
        if forest.edges.nbytes <= _KEPT:
            self._forests.append(forest)
            self._slots.extend(slots)

    def _evaluate_states(self, threads: int) -> EvaluateStates:
        """Return the function that evaluates positions, with at most this many threads."""
        evaluator: Any = self.evaluator
        if self._is_concurrent():
            return functools.partial(evaluator.evaluate, threads=threads)
        return self.evaluator.evaluate

    def _is_concurrent(self) -> bool:
        return bool(getattr(self.evaluator, "concurrent", False))

    def _slot(self, capacity: int) -> Slot:
        """Return an empty slot for at least `capacity` leaves."""
        with contextlib.suppress(IndexError):  # two threads may want the last one
            while self._slots:
                slot = self._slots.pop()
                if slot.capacity >= capacity:
                    slot.num = 0
                    return slot
        return Slot(self.game, capacity, getattr(self.evaluator, "bind_to_arrays", None))

    def _forest(self, num: int) -> Tree:
        """Return a forest for at least `num` trees, none of them planted."""
        with contextlib.suppress(IndexError):  # two threads may want the last one
            while self._forests:
                forest = self._forests.pop()
                if len(forest.used) >= num:
                    forest.used[:num] = 0
                    return forest
        game = self.game
        size = (self.simulations, game.num_actions, game.observation_size, game.num_players)
        return empty_forest(num, *size)

    def _report(self, search: Search, found: Sequence[npt.NDArray[Any]]) -> None:
        """Write what the trees of a search have found to `found`."""
        if self._report_trees is None:
            self._report_trees = EntryPoint(report_trees.bound_to(self.game.rules))
        self._report_trees(search, *found)
