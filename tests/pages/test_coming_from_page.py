"""The page for users of other libraries: the code in both columns of its tables runs."""

import re
from pathlib import Path

import pytest

import boardenvs

PAGE = Path(boardenvs.__file__).parent / "COMING_FROM.md"
SECTIONS = re.findall(
    r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)
ROWS = {
    library: re.findall(r"^\| `(.*)` \| `(.*)` \|$", text, re.MULTILINE)
    for library, text in SECTIONS
}
NEEDS = {
    "PettingZoo": ["pygame", "pettingzoo.classic.connect_four_v3"],
    "Gymnasium": [],
    "OpenSpiel": ["pyspiel"],
    "pgx": ["jax", "pgx"],
}


def run(library, column):
    """Run a column of a library's table from top to bottom."""
    names = {}
    for row in ROWS[library]:
        exec(compile(row[column], str(PAGE), "exec"), names)


def test_every_library_has_a_table():
    assert list(ROWS) == list(NEEDS)
    assert all(len(rows) > 5 for rows in ROWS.values())


@pytest.mark.parametrize("library", NEEDS)
def test_code_of_this_package_runs(library):
    run(library, 1)


@pytest.mark.parametrize(
    "library",
    [pytest.param(name, marks=pytest.mark.slow) if name == "pgx" else name for name in NEEDS],
)
def test_code_of_the_other_library_runs(library):
    for module in NEEDS[library]:
        pytest.importorskip(module)
    run(library, 0)
