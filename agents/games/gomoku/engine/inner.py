"""How the inner functions of the engine `threats` are compiled: only others call them."""

from __future__ import annotations

from typing import Any

from numba import njit

from boardenvs.kernels.numba_compat import INNER

__all__ = ["inner"]

inner: Any = njit(**INNER)
