"""Modules and agents that have moved: their old names still work for a version, with a warning.

Users' settings, cards, stores and scripts may name a module by where it was, such as
`agents.mcts`, or run one by `python -m`.
"""

from __future__ import annotations

import importlib
import sys
import types
import warnings
from collections.abc import Sequence
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec

from boardenvs.moved import moved_message

__all__ = ["MOVED", "MOVED_SPECS", "find_moved_modules", "new_name", "new_spec"]

MOVED = {
    "arena_markdown": "arena.markdown",
    "arena_page": "arena.page",
    "cli": "command",
    "cluster": "arena.cluster",
    "compile_ahead": "command.compile",
    "completion": "command.completion",
    "decisive": "search.decisive",
    "demo": "command.demo",
    "dominoes175_greedy": "games.dominoes175.greedy",
    "dominoes175_optimum": "games.dominoes175.optimum",
    "dominoes175_perfect": "games.dominoes175.perfect",
    "dominoes175_sets": "games.dominoes175.sets",
    "exact": "search.exact",
    "exact_search": "search.exact_search",
    "game112_decisive": "games.game112.decisive",
    "game_facts": "command.info",
    "gekitai_decisive": "games.gekitai.decisive",
    "gekitai_proof": "games.gekitai.proof",
    "gekitai_symmetry": "proofs.board_words",
    "gekitai_threats": "games.gekitai.threats",
    "goat_race_greedy": "games.goat_race.greedy",
    "gomoku_decisive": "games.gomoku.decisive",
    "gomoku_greedy": "games.gomoku.greedy",
    "gumbel": "search.gumbel",
    "halving": "search.halving",
    "interval_chart": "arena.interval_chart",
    "mcts": "search.mcts",
    "neighbour": "games.gomoku.neighbour",
    "person": "play.person",
    "pizza_order_greedy": "games.pizza_order.greedy",
    "puct": "search.puct",
    "ratings": "arena.ratings",
    "standings": "arena.tables",
    "terminal": "play.terminal",
    "tree_search": "search.tree",
    "web": "play.web",
}
"""The name that each module had until version 0.1, within `agents`, and the one it has."""
MOVED_SPECS = {
    "agents.dominoes175_perfect:Dominoes175PerfectAgent": "perfect",
    "agents.games.dominoes175.perfect:Dominoes175PerfectAgent": "perfect",
}
"""Specs of agents that have a name now."""


def new_name(module: str) -> str:
    """The name of a module as it is now, for one that may have moved."""
    package, _, rest = module.partition(".")
    first, dot, inner = rest.partition(".")
    if package != __package__ or first not in MOVED:
        return module
    return f"{package}.{MOVED[first]}{dot}{inner}"


def new_spec(spec: str) -> str:
    """The spec of an agent as it is now, for one that may have been another."""
    return MOVED_SPECS.get(spec, spec)


class _Loader(InspectLoader):
    """Gives the module that has another name now; nothing is loaded twice."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        module = importlib.import_module(self._name)
        self._spec = module.__spec__  # Python is about to write the old name's over it
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        module.__spec__ = self._spec

    def get_source(self, fullname: str) -> str:
        """What `python -m` runs."""
        return (
            f"import runpy\nrunpy.run_module({self._name!r}, run_name='__main__', alter_sys=True)\n"
        )


class _Finder(MetaPathFinder):
    """Comes before all other finders: these would load what lies in a moved package once more."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> ModuleSpec | None:
        """The module under its new name, if this is an old one."""
        name = new_name(fullname)
        if name == fullname:
            return None
        warnings.warn(
            moved_message(fullname, name),
            FutureWarning,  # which, unlike others, is shown to those who use a program
            stacklevel=2,  # the line that imports it
        )
        return ModuleSpec(fullname, _Loader(name), origin=name)


def find_moved_modules() -> None:
    """Have Python find moved modules by their old names."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
