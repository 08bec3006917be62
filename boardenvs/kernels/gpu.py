"""Loops on a GPU, compiled by `numba-cuda` from the same source code.

A kernel is a function that runs once for every game, each time on its own thread of the GPU. It
calls copies of a loop and of the functions that the loop calls, with the game's functions in place
of the hooks (see `boardenvs.kernels.plain`). Here they become device functions, which are code for
the GPU that only kernels can call.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import math
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from boardenvs.kernels.binding import Loop, PlainLoops
from boardenvs.kernels.plain import PLAIN

cuda: Any = None
with contextlib.suppress(ImportError):  # a later Numba may have no simulator of its own
    cuda = importlib.import_module("numba.cuda")

__all__ = ["kernel_for", "new_array", "on_gpu", "require_gpu", "wait_for_gpu"]

_SIMULATED = cuda is not None and bool(cuda.config.ENABLE_CUDASIM)
"""Whether `NUMBA_ENABLE_CUDASIM=1` makes kernels run on the CPU as plain Python."""
_BLOCK = 1 if _SIMULATED else 128
"""Number of threads that a GPU schedules together. In the simulator each is a Python thread."""


def require_gpu(what: str) -> None:
    """Raise `RuntimeError` if there is no GPU or a package for it is missing."""
    if _SIMULATED:
        return
    if cuda is None or importlib.util.find_spec("numba_cuda") is None:
        raise RuntimeError(f"{what} needs the extra [cuda]: pip install 'boardenvs[cuda]'")
    if not cuda.is_available():
        raise RuntimeError(
            f"{what} needs an NVIDIA GPU, its driver and the extra [cuda], but CUDA finds none"
        )


def wait_for_gpu() -> None:
    """Wait until the GPU has done all work that was queued."""
    cuda.synchronize()


@functools.cache
def kernel_for(loop: Loop[..., Any], rules: types.ModuleType) -> Callable[..., None]:
    """Return a function that runs a loop's body for every game on the GPU, and does not wait.

    Args:
        loop: function `loop(games, to_move, numbers, i)` for game `i`.
        rules: module of the game's rules.

    Returns:
        Function `run(games, to_move, numbers)`. Its attribute `kernel` is the kernel as plain
        Python, which tests compile without a GPU.
    """
    body = _device_function(loop, rules)

    def kernel(games, to_move, numbers):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        i = cuda.grid(1)
        if i < len(to_move):
            body(games, to_move, numbers, i)

    compiled = cuda.jit(kernel)

    @functools.cache
    def launcher(blocks: int) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Numba warns if a batch is too small for all cores
            return compiled[blocks, _BLOCK]

    def run(games: Any, to_move: Any, numbers: Any) -> None:
        launcher(-(-len(to_move) // _BLOCK))(games, to_move, numbers)

    vars(run)["kernel"] = kernel
    return run


def _device_function(loop: Loop[..., Any], rules: types.ModuleType) -> Any:
    """Return a loop with the hooks of a game's rules as a function that kernels can call."""
    if _SIMULATED:
        return loop.plain((rules,))
    return _DeviceCopies(loop.function.__module__, (rules,)).of(loop)


class _DeviceCopies(PlainLoops):
    """Copies of loops and rules as device functions."""

    def __init__(self, loops: str, modules: tuple[types.ModuleType, ...]) -> None:
        super().__init__(loops, modules)
        self._foreign = False  # only plain Python needs `on_wide_records`
        self._compiled: dict[types.FunctionType, Any] = {}

    def of(self, value: Any) -> Any:
        if hasattr(value, "compiled_as"):  # see `boardenvs.core.observing`
            return value
        copy = super().of(value)
        if copy is value or not isinstance(copy, types.FunctionType):
            return copy
        if copy not in self._compiled:
            self._compiled[copy] = cuda.jit(device=True)(copy)
        return self._compiled[copy]

    def _function(self, value: Any) -> Any:
        # Only `boardenvs.kernels.intrinsics` are replaced, which are written for the CPU.
        plain = PLAIN.get(value, value) if callable(value) else value
        return getattr(value, "py_func", plain)


# -- Arrays ---------------------------------------------------------------------------------


def new_array(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Any:
    """Return an uninitialized array on the GPU, exported by DLPack and its CUDA interface."""
    if _SIMULATED:
        return cuda.device_array(shape, dtype)
    kind = np.dtype(dtype)
    strides = tuple(math.prod(shape[k + 1 :]) * kind.itemsize for k in range(len(shape)))
    return _gpu_array_class()(shape, strides, kind)


@functools.cache
def _gpu_array_class() -> Any:
    from numba.cuda.cudadrv.devicearray import DeviceNDArray

    class GpuArray(DeviceNDArray):
        """An array of Numba on the GPU, which also supports DLPack."""

        def _view(self) -> Any:
            from cuda.core.utils import StridedMemoryView

            return StridedMemoryView.from_cuda_array_interface(self, stream_ptr=-1)

        def __dlpack__(self, **options: Any) -> Any:
            return self._view().__dlpack__(**options)

        def __dlpack_device__(self) -> tuple[int, int]:
            device: tuple[int, int] = self._view().__dlpack_device__()
            return device

    return GpuArray


def on_gpu(value: Any) -> Any:
    """Return an array on the GPU without a copy, or `None` if it is not on the GPU.

    Args:
        value: object with `__cuda_array_interface__`, as PyTorch, JAX and CuPy have.
    """
    if _SIMULATED:
        return value if getattr(value, "__cuda_ndarray__", False) else None
    return cuda.as_cuda_array(value, sync=False) if cuda.is_cuda_array(value) else None
