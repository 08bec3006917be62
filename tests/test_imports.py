"""Modules import only from lower layers, as listed here, and never in a cycle."""

import ast
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

import pytest

import boardenvs

ROOT = Path(boardenvs.__file__).parent.parent
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in ("boardenvs", "agents")
    for path in (ROOT / package).rglob("*.py")
}


def imports():
    """Return the modules that each module imports, including imports in functions and for types."""
    found = defaultdict(set)
    for module, path in FILES.items():
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                start = resolve_name("." * node.level + (node.module or ""), package)
                inner = [f"{start}.{alias.name}" for alias in node.names]
                names = [name if name in FILES else start for name in inner]
            found[module] |= {name for name in names if name in FILES} - {module}
    return found


IMPORTS = imports()


def circle(graph):
    """Return the nodes of a cycle in a graph; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def room(module):
    """Return the folder of a module of agents, or the module itself if it is in no folder."""
    first = ".".join(module.split(".")[:2])
    return first if module.startswith("agents.") else module


def test_the_reader_finds_all_imports():
    assert "agents.arena.storage.store" in IMPORTS["agents.arena.tournament"]  # in a function
    assert "boardenvs.game" in IMPORTS["agents.agent"]
    assert len(IMPORTS) > 150


def test_a_cycle_is_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})
    assert not circle({"a": {"b", "c"}, "b": {"c"}})


@pytest.mark.parametrize("package", ["agents", "boardenvs"])
def test_no_module_is_in_a_cycle(package):
    assert circle({m: its for m, its in IMPORTS.items() if m.startswith(package)}) == []


def test_no_folder_of_agents_is_in_a_cycle():
    rooms = defaultdict(set)
    for module, its in IMPORTS.items():
        rooms[room(module)] |= {room(name) for name in its} - {room(module)}
    assert circle({r: its for r, its in rooms.items() if r.startswith("agents")}) == []


GAMES = set(boardenvs.GAMES)
MAY_IMPORT = {
    "kernels": set(),
    "core": {"kernels"},
    "show": {"core", "game"},
    "game": {"core", "kernels", "show"},
    "a game": {
        "core",
        "kernels",
        "show",
        "game",
        "cli",
        "episode",
        "explicit_chance",
        "registration",
    },
    "envs": {"core", "kernels", "show", "game", "registration", "episode"},
    "episode": {"core", "show", "game", "registration", "envs", "files"},
    "openspiel": {"core", "game", "registration", "explicit_chance"},
}
"""Parts of `boardenvs` and the other parts that each may import."""


def part_of_boardenvs(module):
    name = module.split(".")[1] if "." in module else module
    return "a game" if name in GAMES else name


def test_folders_of_boardenvs_import_only_lower_ones():
    for module, its in IMPORTS.items():
        own = part_of_boardenvs(module)
        if module.startswith("boardenvs.") and own in MAY_IMPORT:
            others = {part_of_boardenvs(name) for name in its if name != "boardenvs"} - {own}
            assert others <= MAY_IMPORT[own], module


def test_boardenvs_imports_no_agents():
    for module, its in IMPORTS.items():
        if module.startswith("boardenvs"):
            assert not [name for name in its if name.startswith("agents")], module


@pytest.mark.parametrize("top", ["agents.command", "agents.dev"])
def test_no_folder_imports_a_folder_of_programs(top):
    for module, its in IMPORTS.items():
        if not module.startswith(top):
            assert not [name for name in its if name.startswith(top)], module


def test_names_of_agents_import_only_the_interface_of_a_player():
    for module, its in IMPORTS.items():
        if room(module) == "agents.naming":
            others = {name for name in its if name.startswith("agents")} - {"agents.agent"}
            assert {room(name) for name in others} <= {"agents.naming"}, module
