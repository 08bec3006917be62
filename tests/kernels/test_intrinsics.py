"""Array views without reference counts. `test_bits` tests bits in arrays."""

import sys

import numba
import numpy as np
import pytest

from boardenvs.kernels.intrinsics import uncounted
from boardenvs.kernels.numba_compat import COMPILES


@pytest.mark.skipif(not COMPILES, reason="needs compiled code")
def test_uncounted_arrays_avoid_reference_counts_of_rows():
    @numba.njit
    def first(row, k):
        if k > len(row):  # functions that may fail receive references to free
            raise ValueError
        row[0] = k

    def counts(view):
        @numba.njit
        def fill(array):
            array = view(array)
            for k in range(len(array)):
                first(array[k], k)

        array = np.zeros((3, 2), np.int8)
        counted = sys.getrefcount(array)
        fill(array)
        assert array.tolist() == [[0, 0], [1, 0], [2, 0]]
        assert sys.getrefcount(array) == counted
        fill.compile((numba.int8[:, ::1],))
        (code,) = fill.inspect_llvm().values()
        return code.count("call void @NRT_")

    assert counts(uncounted) < counts(numba.njit(lambda array: array))
