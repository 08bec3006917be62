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


def calls(function):
    """Calls of the long function that are left in one."""
    (code,) = function.inspect_llvm().values()
    return [line for line in code.splitlines() if " call " in line and "longB" in line]


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


def loops_and_helper():
    """Two loops that call a long function, compiled plainly, one of them by a helper."""
    scope = {}
    exec(LONG, scope)
    long = numba.njit(scope["long"])

    @numba.njit(**helper_options)
    def helper(array, bits):
        return long(array, bits) + long(array, bits + 2)

    @numba.njit(**loop_options)
    def by_helper(array, bits):
        return helper(array, bits)

    @numba.njit(**loop_options)
    def directly(array, bits):
        return long(array, bits) + long(array, bits + 2)

    return by_helper, directly


@pytest.mark.skipif("forceinline" not in loop_options, reason="this Numba copies no code")
def test_code_of_loops_does_not_depend_on_what_was_compiled_before():
    sizes = []
    for first in (0, 1):
        loops = loops_and_helper()
        for loop in (loops[first], loops[1 - first]):
            assert loop(np.zeros(2, np.int64), 5) == loops[first](np.zeros(2, np.int64), 5)
            assert not calls(loop)
        sizes.append([len(loop.inspect_asm(loop.signatures[0]).splitlines()) for loop in loops])
    assert sizes[0] == pytest.approx(sizes[1], rel=0.02)


@pytest.mark.skipif("forceinline" not in loop_options, reason="this Numba copies no code")
def test_a_helper_that_is_called_is_one_function_and_holds_what_it_calls():
    scope = {}
    exec(LONG, scope)
    long = numba.njit(scope["long"])

    @numba.njit(**called_options)
    def called(array, bits):
        return long(array, bits) + long(array, bits + 2)

    @numba.njit(**loop_options)
    def loop(array, bits):
        return called(array, bits) - called(array, bits + 1)

    expected = [sum(long.py_func(np.zeros(2), bits + more) for more in (0, 2)) for bits in (5, 6)]
    assert loop(np.zeros(2, np.int64), 5) == expected[0] - expected[1]
    (code,) = loop.inspect_llvm().values()
    assert [line for line in code.splitlines() if " call " in line and "calledB" in line]
    assert not calls(loop)


@pytest.mark.skipif("forceinline" not in loop_options, reason="this Numba copies no code")
def test_a_loop_is_not_copied_into_what_spreads_it():
    _, loop = loops_and_helper()

    @numba.njit(**loop_options)
    def spread(array, bits):
        return loop(array, bits) + loop(array, bits + 1)

    assert spread(np.zeros(2, np.int64), 5) == sum(loop(np.zeros(2), bits) for bits in (5, 6))
    (code,) = spread.inspect_llvm().values()
    assert [line for line in code.splitlines() if " call " in line and "directlyB" in line]


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
