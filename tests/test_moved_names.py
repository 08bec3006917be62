"""Names that have moved are found where they were, with a warning that names the new place."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

MOVED = {
    "boardenvs.game.whole_number": "boardenvs.checks.whole_number",
    "boardenvs.openspiel.chance.Chance": "boardenvs.explicit_chance.Chance",
    "boardenvs.table.Opponent": "boardenvs.opponents.Opponent",
    "boardenvs.table.OpponentSpec": "boardenvs.opponents.OpponentSpec",
    "boardenvs.table.ask": "boardenvs.opponents.ask",
    "boardenvs.table.consult": "boardenvs.opponents.consult",
}


def module_of(name):
    """The module, where what it needs is installed."""
    if name.startswith("boardenvs.openspiel"):
        pytest.importorskip("pyspiel")
    return importlib.import_module(name)


@pytest.mark.parametrize("old", MOVED)
def test_an_old_name_still_works(old):
    module, _, name = old.rpartition(".")
    home, _, now = MOVED[old].rpartition(".")
    with pytest.warns(DeprecationWarning, match=f"{old} has moved.*use {MOVED[old]}$") as caught:
        found = getattr(module_of(module), name)
    assert found is getattr(importlib.import_module(home), now)
    assert [one.filename for one in caught] == [__file__]  # whoever wrote it is shown the line


def test_a_script_is_told_in_one_line():
    code = "from boardenvs.game import Game, whole_number\nprint(whole_number('n', 3, 1))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "3\n"
    assert done.stderr.count("Warning") == 1
    assert "<string>:1: DeprecationWarning: boardenvs.game.whole_number has moved" in done.stderr


@pytest.mark.parametrize("module", sorted({old.rpartition(".")[0] for old in MOVED}))
def test_other_names_are_missing_as_ever(module):
    with pytest.raises(AttributeError, match=f"^module '{module}' has no attribute 'nothing'$"):
        module_of(module).nothing  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        exec(f"from {module} import nothing")
