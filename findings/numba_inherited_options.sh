#!/usr/bin/env bash
# Numba 0.68.1: a function inherits `error_model`, `fastmath` and `forceinline` from the function
# whose compilation first needs it. Its machine code is then used by all later callers, Python too.
# So results depend on the order of the first calls in a process.
#
# Expected: the options of a function are those of its own decorator, in any order of calls.
# Seen: after a first call by a caller with error_model="numpy", a plain function returns inf for a
# division by zero instead of an error, and with fastmath=True it returns False for nan != nan. In
# the other order, the callers get the behaviour of the plain function.
# The script fails if this changes. It installs pinned packages in a temporary folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numba==0.68.1
"$folder/venv/bin/python" - <<'PY'
import math

import numba
from numba import njit


def functions(plain, **options):
    """Return a new function without options, and a caller of it with options."""
    inner = njit(plain)

    @njit(**options)
    def outer(a, b):
        return inner(a, b)

    return inner, outer


def result(function, *args):
    try:
        return function(*args)
    except ZeroDivisionError:
        return "ZeroDivisionError"


def both_orders(plain, options, args):
    """Return the results of (inner, outer), first with inner called first, then with outer."""
    inner, outer = functions(plain, **options)
    inner_first = result(inner, *args), result(outer, *args)
    inner, outer = functions(plain, **options)
    from_outer = result(outer, *args)
    return inner_first, (result(inner, *args), from_outer)


def divide(a, b):
    return a / b


def differ(a, b):
    return a != b


print("numba", numba.__version__)
seen = {
    "1 / 0, caller with error_model='numpy'": both_orders(
        divide, {"error_model": "numpy"}, (1.0, 0.0)
    ),
    "nan != nan, caller with fastmath=True": both_orders(
        differ, {"fastmath": True}, (math.nan, math.nan)
    ),
}
for what, (inner_first, outer_first) in seen.items():
    print(f"{what}: inner and outer are {inner_first} if inner is called first,")
    print(f"    and {outer_first} if outer is called first")
error = "ZeroDivisionError"
assert list(seen.values()) == [
    ((error, error), (math.inf, math.inf)),
    ((True, True), (False, False)),
], "the behaviour has changed"
PY
