"""The page for those who come from other libraries: both sides of its table run."""

import re
from pathlib import Path

import numpy as np
import pettingzoo
import pytest

import boardenvs

PAGE = Path(boardenvs.__file__).parent / "COMING_FROM.md"
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\w+) \| `(.*)` \| `(.*)` \|$", TEXT, re.MULTILINE)


def theirs(library):
    """The names that the table uses for what is theirs."""
    if library == "PettingZoo":
        pytest.importorskip("pygame")
        classic = pytest.importorskip("pettingzoo.classic.connect_four_v3")
        env = classic.env()
        env.reset(seed=0)
        return {"pz": env, "pettingzoo": pettingzoo}
    if library == "OpenSpiel":
        pyspiel = pytest.importorskip("pyspiel")
        return {"pyspiel": pyspiel, "state": pyspiel.load_game("connect_four").new_initial_state()}
    jax, pgx = pytest.importorskip("jax"), pytest.importorskip("pgx")
    env = pgx.make("connect_four")
    px = jax.vmap(env.init)(jax.random.split(jax.random.PRNGKey(0), 8))
    return {"jax": jax, "pgx": pgx, "pgx_env": env, "px": px, "actions": np.zeros(8, int)}


def run(library, column, names):
    for row in ROWS:
        if row[0] == library:
            eval(compile(row[column], str(PAGE), "eval"), names)


def test_there_are_rows_of_each():
    assert {row[0] for row in ROWS} == {"PettingZoo", "OpenSpiel", "pgx"}


@pytest.mark.parametrize("library", ["PettingZoo", "OpenSpiel", "pgx"])
def test_ours(library):
    names = {"actions": np.zeros(8, int)}
    for block in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), names)
    run(library, 2, names)


@pytest.mark.parametrize(
    "library", ["PettingZoo", "OpenSpiel", pytest.param("pgx", marks=pytest.mark.slow)]
)
def test_theirs(library):
    run(library, 1, theirs(library))
