"""The agent that searches a tree guided by a policy network (PUCT)."""

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
from agents.naming.game_folders import constant
from agents.networks.onnx_policy import OnnxPolicy
from agents.search.decisive import checked_decisive, checked_forced, decisive_module_name
from agents.search.puct_loops import STRAYS, Search, report_trees, step_trees
from agents.search.search_agent import SearchAgent, Searched, simulations_within, unsearched
from agents.search.slots import Clock, EvaluateStates, LogitsAndValues, Slot, take_turns
from agents.search.tree import NUM_AWAITED, OPTIONS, Tree, empty_forest
from boardenvs.core.checks import finite_number, whole_number
from boardenvs.game import Game, States
from boardenvs.kernels.interpreting import may_compile
from boardenvs.kernels.numba_compat import EntryPoint, is_ready
from boardenvs.kernels.threads import threads_for

__all__ = ["Evaluator", "PuctAgent"]

_PUCT = {"exploration": 1.5, "policy_temperature": 1.0}
"""Constants of the search of a game that does not declare its own."""
_SIDE_BY_SIDE = 256
"""The largest number of trees that grow at once."""
_EDGES = 2**22
"""Approximate limit of the edges of all trees that grow at once: 128 MB."""
_EACH = 4
"""Minimum number of trees for each thread from which on each thread grows its own trees."""
_SLOTS = 2
"""The number of slots in which leaves wait for their evaluation, see `agents.search.slots`."""
_MOST_AWAITED = 32
"""The largest number of leaves of one tree in both slots."""


class _Awaiting(NamedTuple):
    """Limits of the leaves of one tree that are evaluated together."""

    simulations_each: int
    """Simulations of the search for each leaf that may wait."""
    visits_each: int
    """Visits of the tree for each leaf that may wait."""
    lead: int
    """Maximum number of leaves that one slot may have more than the other."""
    strays: int
    """Simulations of a turn that may end at waiting leaves; at most `STRAYS`."""


_FEW = 200
"""Searches of up to this many simulations await fewer leaves, because the frozen ladders of
`agents.benchmark` record their choices."""
_OF_FEW = _Awaiting(simulations_each=16, visits_each=16, lead=_MOST_AWAITED, strays=16)
_OF_MANY = _Awaiting(simulations_each=25, visits_each=1, lead=1, strays=STRAYS)
"""These numbers cost no strength at equal simulations, see `agents/speed/README.md`."""
_BY_TIME = _OF_MANY._replace(visits_each=4)
"""For a time limit, where the number of simulations is unknown."""
_TRIES = 512
"""The largest number of simulations between two looks at the clock."""
_KEPT = 2**25
"""Maximum bytes of edges of the trees that are kept for the next search."""


class Evaluator(Protocol):
    """Protocol of an object that guides a search by a policy and a value.

    An evaluator may have two more attributes, as `agents.networks.onnx_policy.OnnxPolicy` has:

    - `concurrent`: whether several threads may call `evaluate` at once. If true, `evaluate` takes
      an argument `threads`, the maximum number of threads of a call; `None` for all cores.
    - `bind_to_arrays(capacity)`: returns arrays for that many positions. The search then writes
      observations to the arrays, which is cheaper than a call of `evaluate`.

    Example:
        >>> import numpy as np
        >>> class Even:  # all actions are equal, all positions are draws
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
        """Evaluate positions.

        Args:
            states: records of the game that are not over, shape (N,).

        Returns:
            Logits of the actions, float32 of shape (N, num_actions), where illegal actions are
            ignored; and expected results from -1 to 1, float32: of the seat to move, shape (N,), or
            of every seat, shape (N, num_players). With three or more players the search needs those
            of every seat: it cannot see which seat gains what the seat to move does not.
        """


class PuctAgent(SearchAgent):
    """A PUCT agent, which plays the most visited action of a tree guided by a policy network.

    The network evaluates the leaves. Its policy decides which actions are tried first. If the
    network's card names an int8 version, the search uses that version. If the game has decisive
    moves or forced wins (see `agents.search.decisive`), a leaf with such a win is proven without
    the network, and such a win at the root is played.

    Several leaves of one tree are evaluated together while the search looks for more leaves; their
    number grows with the visits of the tree. The result depends neither on the number of states
    that are searched together nor on the number of threads.

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
        exploration: float | None = None,
        policy_temperature: float | None = None,
        path: str | Path | None = None,
        decisive: bool | None = None,
        forced_wins: bool | None = None,
        evaluator: Evaluator | None = None,
        time_limit: float | None = None,
        threads: int | None = None,
        spec: str = "puct",
    ) -> None:
        """Create the agent, with a network or another evaluator.

        Args:
            game: the game to play.
            seed: seed of the simulations, which sample chance and hidden parts.
            simulations: number of simulations for each state, at least 1; `None` for 400, or for
                as many as a `time_limit` allows.
            exploration: factor of the policy's term in the confidence bound; `None` for what the
                game's players declare in `PUCT`, or 1.5.
            policy_temperature: divisor of the network's logits, at least 0.01; above 1 the policy
                becomes more even. `None` for what the game's players declare in `PUCT`, or 1.
            path: the network's ONNX file, as for `agents.networks.onnx_policy.OnnxPolicy`; by
                default the shipped network.
            decisive: whether to look for an immediate win at each leaf; `None` for true if the
                game has decisive moves.
            forced_wins: whether to look for a forced win at each leaf, and longer at the root;
                `None` for true if the game has forced wins and `decisive` is true.
            evaluator: evaluator that guides the search instead of a network file.
            time_limit: seconds for each state, after which the search ends even if simulations are
                left; the result then depends on the machine. `None` for no limit.
            threads: number of threads, at least 1; `None` for all cores. Without a time limit the
                result does not depend on it.
            spec: name of the agent.

        Raises:
            ValueError: an argument is out of range, the network does not exist, both `path` and
                `evaluator` are given, or `decisive` or `forced_wins` is true and the game does not
                support it.
        """
        super().__init__(game, seed, time_limit, threads, spec)
        most = 1_000_000
        if simulations is None:
            simulations = 400
            if self.time_limit is not None:
                simulations = most = simulations_within(self.time_limit)
        self.simulations = whole_number("simulations", simulations, 1, most)
        own = {**_PUCT, **constant(game, "PUCT", {})}
        self.exploration = finite_number(
            "exploration", own["exploration"] if exploration is None else exploration
        )
        self.policy_temperature = finite_number(
            "policy_temperature",
            own["policy_temperature"] if policy_temperature is None else policy_temperature,
            low=0.01,
        )
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
        self._options["policy_temperature"] = self.policy_temperature
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
        """Drop the trees, slots and functions that are kept for the next search."""
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
        """Set how many leaves of one tree are evaluated at once."""
        each = _OF_MANY if self.time_limit is None else _BY_TIME
        if self.simulations <= _FEW:
            each = _OF_FEW
            self.play_version = 3  # as the frozen ladders record
        most = min(self.simulations // each.simulations_each, _MOST_AWAITED)
        self._options["most_awaited"] = max(1, most)
        for name in ("visits_each", "lead", "strays"):
            self._options[name] = getattr(each, name)

    @property
    def version(self) -> str | None:
        """Version that names forced wins, and constants other than the usual ones."""
        parts = [super().version or ""]
        for name, usual in _PUCT.items():
            if (value := getattr(self, name)) != usual:
                parts.append(f"{name.replace('_', ' ')} {value:g}")
        return ", ".join(filter(None, parts)) or None

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
            # With many trees each thread grows its own.
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
            threads: number of threads of this search.
            stopping: returns whether the search must stop.

        Raises:
            StoppedError: `stopping` returned true.
        """
        num, most_awaited = len(states), int(self._options["most_awaited"][0])
        num_slots = _SLOTS if most_awaited > 1 else min(_SLOTS, threads, num)
        slots = [self._slot(num * -(-most_awaited // 2)) for _ in range(num_slots)]
        forest = self._forest(num)
        options = self._options.copy()
        each = min(threads, num_slots)  # threads for the slots
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
            if self.time_limit is not None and not may_compile() and not is_ready(loop):
                self._options["tries"] = options["tries"] = 1  # more of them may take too long
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
                    options["simulations"] = 1  # the root is always evaluated
                leaves = step(number, evaluated)
                evaluated = 0
                # Simulations that end the game add no leaves, so one step may not be enough.
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
        """Return the function that evaluates positions with at most `threads` threads."""
        evaluator: Any = self.evaluator
        if self._is_concurrent():
            return functools.partial(evaluator.evaluate, threads=threads)
        return self.evaluator.evaluate

    def _is_concurrent(self) -> bool:
        return bool(getattr(self.evaluator, "concurrent", False))

    def _slot(self, capacity: int) -> Slot:
        """Return an empty slot for at least `capacity` leaves."""
        with contextlib.suppress(IndexError):  # another thread may have taken the last one
            while self._slots:
                slot = self._slots.pop()
                if slot.capacity >= capacity:
                    slot.num = 0
                    return slot
        return Slot(self.game, capacity, getattr(self.evaluator, "bind_to_arrays", None))

    def _forest(self, num: int) -> Tree:
        """Return a forest for at least `num` trees, without nodes."""
        with contextlib.suppress(IndexError):  # another thread may have taken the last one
            while self._forests:
                forest = self._forests.pop()
                if len(forest.used) >= num:
                    forest.used[:num] = 0
                    return forest
        game = self.game
        size = (self.simulations, game.num_actions, game.observation_size, game.num_players)
        return empty_forest(num, *size)

    def _report(self, search: Search, found: Sequence[npt.NDArray[Any]]) -> None:
        """Write the results of a search to `found`."""
        if self._report_trees is None:
            self._report_trees = EntryPoint(report_trees.bound_to(self.game.rules))
        self._report_trees(search, *found)
