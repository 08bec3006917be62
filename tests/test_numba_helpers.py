"""Helpers are copied into their callers, compute the same there, and need not be.

So is whatever loops call, so that their code does not depend on what was compiled before.
"""

import subprocess
import sys

import numba
import numpy as np
import pytest

from boardenvs.numba_doors import COMPILES, without_wrappers
from boardenvs.numba_helpers import called_options, helper_options, loop_options

pytestmark = pytest.mark.skipif(not COMPILES, reason="nothing is compiled")

# Too long for LLVM to copy it wherever it is called.
LINES = "".join(
    f"    bits = (bits * {2 * k + 3} ^ bits >> {k % 7 + 1}) & 0xFFFF\n" for k in range(80)
)
LONG = f"def long(array, bits):\n{LINES}    array[0] += 1\n    return bits\n"


def compiled(options):
    """A function that calls a long one twice, by another one once."""
    scope = {}
    exec(LONG, scope)
    long = numba.njit(**options)(scope["long"])

    @numba.njit(**options)
    def between(array, bits):
        if bits < 0:
            raise ValueError("bits must not be negative")
        return long(array, bits)

    @numba.njit
    def total(array, bits):
        return between(array, bits) + long(array, bits + 1)

    return total


def calls(function, name="long"):
    """Calls of a compiled function, the long one by default, that are left in another."""
    (code,) = function.inspect_llvm().values()
    lines = [line for line in code.splitlines() if " call " in line and f"{name}B" in line]
    return [line for line in lines if "@PyErr_" not in line]  # whose message names it


def test_helpers_are_copied_into_their_callers():
    plain, copied = compiled(without_wrappers(helper=True)), compiled(helper_options)
    for total in (plain, copied):
        array = np.zeros(2, np.int64)
        assert total(array, 5) == plain(np.zeros(2, np.int64), 5)
        assert array.tolist() == [2, 0]
        assert total(np.zeros(1), 7) == plain(np.zeros(1), 7)  # once more, of other types
    plain, copied = compiled(without_wrappers(helper=True)), compiled(helper_options)
    plain(np.zeros(1), 0), copied(np.zeros(1), 0)
    assert calls(plain)
    assert not calls(copied)


def plain_long():
    """The long function, compiled plainly, as those of rules are."""
    scope = {}
    exec(LONG, scope)
    return numba.njit(scope["long"])


def twice(function, options):
    """A function that calls another one twice."""

    @numba.njit(**options)
    def both(array, bits):
        return function(array, bits) + function(array, bits + 2)

    return both


def test_code_of_loops_does_not_depend_on_what_was_compiled_before():
    sizes = []
    for first in (0, 1):
        long = plain_long()
        loops = twice(long, loop_options), twice(twice(long, helper_options), loop_options)
        for loop in (loops[first], loops[1 - first]):
            loop(np.zeros(2, np.int64), 5)
            assert not calls(loop)
        sizes.append([len(loop.inspect_asm(loop.signatures[0]).splitlines()) for loop in loops])
    assert sizes[0] == pytest.approx(sizes[1], rel=0.02)


@pytest.mark.parametrize("options", [called_options, loop_options], ids=["called", "spread"])
def test_what_is_called_and_not_copied_holds_what_it_calls(options):
    long = plain_long()
    loop = twice(twice(long, options), loop_options)
    expected = sum(long.py_func(np.zeros(2), bits) for bits in (5, 7, 7, 9))
    assert loop(np.zeros(2, np.int64), 5) == expected
    assert len(calls(loop, "both")) == 3  # the wrapper calls it once
    assert not calls(loop)


def test_what_is_copied_is_not_called():
    loop = twice(twice(plain_long(), helper_options), loop_options)
    loop(np.zeros(2, np.int64), 5)
    assert len(calls(loop, "both")) == 1


def test_what_a_helper_raises_comes_through():
    with pytest.raises(ValueError, match="bits must not be negative"):
        compiled(helper_options)(np.zeros(1), -1)


def test_no_machine_code_is_made_of_a_helper():
    from numba.core.registry import cpu_target

    helper = numba.njit(**helper_options)(lambda x: 3 * x + 1)

    @numba.njit
    def caller(x):
        return helper(x) - 1

    assert caller(4) == 12
    engine = cpu_target.target_context.codegen()._engine
    (made,) = helper.overloads.values()
    assert not engine.is_symbol_defined(made.fndesc.llvm_func_name)


CLOSED = """
import sys
import numba.core.codegen
if "closed" in sys.argv:
    del numba.core.codegen.JITCodeLibrary
import agents, boardenvs

game = boardenvs.make("game112")
found = agents.make("mcts:50", game, seed=0).search(game.new(3, seed=0))
print(found.visits.tolist())
"""


@pytest.mark.slow
def test_searches_find_the_same_where_the_door_is_closed(tmp_path):
    runs = [
        subprocess.run(
            [sys.executable, "-c", CLOSED, *more],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
        for more in ([], ["closed"])
    ]
    assert runs[0].stdout == runs[1].stdout
    said = (
        f"boardenvs: Numba {numba.__version__} has no way to copy code into its callers: "
        "searches and vector environments are slower\n"
    )
    assert [run.stderr for run in runs] == ["", said]
