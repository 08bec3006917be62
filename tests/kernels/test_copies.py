"""Functions called by a loop are inlined, so that its machine code depends on nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from boardenvs.game112 import rules
from boardenvs.kernels import binding
from boardenvs.kernels.numba_compat import COMPILES

pytestmark = pytest.mark.skipif(not COMPILES, reason="needs compiled code")

# Too long for LLVM to inline it at every call.
LINES = "".join(
    f"    bits = (bits * {2 * k + 3} ^ bits >> {k % 7 + 1}) & 0xFFFF\n" for k in range(80)
)
LOOPS = f"""
from numba import njit
from boardenvs.kernels import over_rules

@njit
def long(array, bits):
    if bits < 0:
        raise ValueError("bits")
{LINES}    array[0] += 1
    return bits

@over_rules()
def twice(array, bits):
    return long(array, bits) + long(array, bits + 1)

@over_rules()
def thrice(array, bits):
    return twice(array, bits) + long(array, bits + 2)
"""


def loops(folder, old="", new=""):
    """Return the functions of `LOOPS` with some text replaced, without a source file."""
    scope = {"__name__": "loops"}
    exec(compile(LOOPS.replace(old, new), str(folder / "loops.py"), "exec"), scope)
    return scope


def calls(kernel, name):
    """Return the remaining calls of another function in a compiled one."""
    (code,) = kernel.inspect_llvm().values()
    lines = [line for line in code.splitlines() if " call " in line and f"{name}_" in line]
    return [line for line in lines if "@PyErr_" not in line]  # error messages contain the name


FORMS = pytest.mark.parametrize("form", ["over_rules()", "over_rules(optimised_first=True)"])


@FORMS
def test_functions_of_a_loop_are_inlined(tmp_path, form):
    made = loops(tmp_path, "over_rules()", form)
    kernel = made["thrice"].bound_to(rules)
    array = np.zeros(2, np.int64)
    expected = sum(made["long"].py_func(np.zeros(2), bits) for bits in (5, 6, 7))
    assert kernel(array, 5) == expected
    assert array.tolist() == [3, 0]
    assert not calls(kernel, "long")
    assert not calls(kernel, "twice")
    with pytest.raises(ValueError, match="bits"):
        kernel(array, -1)


@FORMS
def test_machine_code_does_not_depend_on_earlier_compilations(tmp_path, form):
    sizes = []
    for factor, order in ((3, 1), (5, -1)):  # so that the rounds share no code
        code = LOOPS.replace("bits * 3 ^", f"bits * {factor + 200 * len(form)} ^")
        made = {"__name__": "loops"}
        exec(compile(code.replace("over_rules()", form), str(tmp_path / "loops.py"), "exec"), made)
        if order < 0:
            made["long"](np.zeros(2, np.int64), 5)
        kernels = [made[name].bound_to(rules) for name in ("twice", "thrice")]
        for kernel in kernels[::order]:
            kernel(np.zeros(2, np.int64), 5)
        sizes.append([len(one.inspect_asm(one.signatures[0]).splitlines()) for one in kernels])
    assert sizes[0] == pytest.approx(sizes[1], rel=0.02)


def test_changed_options_give_other_code(tmp_path, monkeypatch):
    names = {loops(tmp_path)["thrice"].bound_to(rules).__name__}
    for old, new in (
        ("@njit", "@njit(fastmath=True)"),
        ("over_rules()", "over_rules(optimised_first=True)"),
    ):
        names.add(loops(tmp_path, old, new)["thrice"].bound_to(rules).__name__)
    monkeypatch.setitem(binding._KINDS, "helper", {})
    names.add(loops(tmp_path)["thrice"].bound_to(rules).__name__)
    assert len(names) == 4


CONSTANTS = """
from numba import njit
from boardenvs.kernels import over_rules

@njit
def value_at(values, place):
    return values[place]

@over_rules()
def total(array):
    mixed = (array, 5)
    first = value_at(array, 0) + value_at(array, 1) + value_at(array, 2)
    return first + value_at(mixed, 0)[0] + value_at(mixed, 1)
"""


def test_calls_with_different_constants_share_one_copy_if_possible(tmp_path):
    scope = {"__name__": "loops"}
    exec(compile(CONSTANTS, str(tmp_path / "loops.py"), "exec"), scope)
    kernel = scope["total"].bound_to(rules)
    assert kernel(np.array([100, 20, 3])) == 100 + 20 + 3 + 100 + 5
    copies = {name: copy for (name, _), copy in binding._copies.items()}
    (name,) = (name for name in copies if name.startswith("value_at_"))
    assert len(copies[name].signatures) == 1 + 2  # one for the array, one for each item of the pair
