"""No module imports another that imports it, however late, and neither does a folder of agents/."""

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
    """What each module imports: at its top, within functions, and for annotations alone."""
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
    """The nodes of a circle of a graph, none if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def room(module):
    """The folder of a module of agents, or the module itself where it lies in none."""
    first = ".".join(module.split(".")[:2])
    return first if module.startswith("agents.") else module


def test_imports_are_found():
    assert "agents.arena.store" in IMPORTS["agents.arena.tournament"]  # within a function
    assert "boardenvs.game" in IMPORTS["agents.agent"]
    assert len(IMPORTS) > 150


def test_a_circle_is_seen():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})
    assert not circle({"a": {"b", "c"}, "b": {"c"}})


@pytest.mark.parametrize("package", ["agents", "boardenvs"])
def test_no_module_is_in_a_circle(package):
    assert circle({m: its for m, its in IMPORTS.items() if m.startswith(package)}) == []


def test_no_folder_of_agents_is_in_a_circle():
    rooms = defaultdict(set)
    for module, its in IMPORTS.items():
        rooms[room(module)] |= {room(name) for name in its} - {room(module)}
    assert circle({r: its for r, its in rooms.items() if r.startswith("agents")}) == []
