"""A function's digest changes with everything that determines its code, and with nothing else."""

from __future__ import annotations

import importlib
import itertools
import sys

import pytest

from boardenvs.kernels.digest import digest

SOURCES = {
    "worths": (
        "import numpy as np\nSEVEN = 7\nKIND = np.dtype([('x', 'i4')])\nTABLE = np.arange(3)\n"
    ),
    "shapes": (
        "from typing import NamedTuple\nclass Pair(NamedTuple):\n    one: int\n    two: int\n"
    ),
    "far": "from worths import SEVEN\ndef far(x): return x + SEVEN\n",
    "near": "from numba import njit\nfrom far import far\n@njit\ndef near(x): return far(x)\n",
    "loop": (
        "import math\nimport numpy as np\nfrom near import near\nfrom shapes import Pair\n"
        "from worths import KIND, TABLE\n"
        "def loop(x): return [near(Pair(k, x).one) + TABLE[0] for k in np.zeros(x, KIND)]\n"
    ),
    "unknown": "import loop\nSEVEN = 8\n",
}
_numbers = itertools.count()


@pytest.fixture
def stamp(tmp_path, monkeypatch):
    """Return the function `(module, old, new) -> digest` of `loop` with some text replaced."""

    def made(module=None, old="", new=""):
        folder = tmp_path / str(next(_numbers))
        folder.mkdir()
        for name, source in SOURCES.items():
            assert name != module or source.count(old) == 1
            text = source.replace(old, new) if name == module else source
            (folder / f"{name}.py").write_text(text)
        with monkeypatch.context() as patch:
            patch.syspath_prepend(folder)
            patch.setattr(sys, "dont_write_bytecode", True)
            try:
                return digest(importlib.import_module("loop").loop)
            finally:
                for name in SOURCES:
                    sys.modules.pop(name, None)

    return made


def test_the_digest_of_equal_source_is_equal(stamp):
    assert stamp() == stamp()
    assert len(stamp()) == 16


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("loop", "Pair(k, x).one", "Pair(k, x).two"),
        ("near", "return far(x)", "return far(x + 1)"),  # compiled function
        ("far", "x + SEVEN", "x - SEVEN"),  # function called by a called function
        ("shapes", "    one: int\n    two: int\n", "    two: int\n    one: int\n"),  # class
        ("worths", "SEVEN = 7", "SEVEN = 8"),  # constants
        ("worths", "('x', 'i4')", "('x', 'i8')"),
        ("worths", "arange(3)", "arange(4)"),
    ],
)
def test_the_digest_changes_with_globals_and_closures(stamp, module, old, new):
    assert stamp(module, old, new) != stamp()


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [("unknown", "SEVEN = 8", "SEVEN = 9"), ("worths", "SEVEN = 7", "EIGHT = 8\nSEVEN = 7")],
)
def test_the_digest_does_not_change_with_anything_else(stamp, module, old, new):
    assert stamp(module, old, new) == stamp()


def before():
    """What is replaced."""


def calling():
    return before()


def test_values_can_be_replaced_in_the_digest():
    assert digest(calling, lambda value: 3 if value is before else value) != digest(calling)
