"""The decorator of compiled functions that only other compiled functions call."""

from __future__ import annotations

from typing import Any

from numba import njit

from boardenvs.kernels.numba_compat import INNER

__all__ = ["inner"]

inner: Any = njit(**INNER)
