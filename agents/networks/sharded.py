"""Computation of a network on a batch, split into shards for the cores.

Torch's own threads wait for each other by spinning in every operation, which is slow if other
programs use the cores. Here each thread takes whole shards of the batch, forward and backward, and
waits for the others once in each direction.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

import torch

from boardenvs.kernels.threads import cores

__all__ = ["in_shards", "one_torch_thread", "side_by_side"]

Found = TypeVar("Found")
Rows = Callable[..., tuple[torch.Tensor, ...]]

_SHARD = 500e6
"""Maximum number of multiplications of a shard, so that its results fit in a core's cache."""
_LEAST = 120e6
"""Minimum number of multiplications for a second thread to pay."""


def in_shards(
    function: Rows, parameters: Sequence[torch.Tensor], work: float, *batch: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """Compute `function(*batch)` in shards of the batch, on all cores.

    The shards depend only on the size of the batch and `work`, and their gradients are summed in
    order. So results are identical on any number of cores.

    Args:
        function: maps tensors of shape (n, ...) row by row to a tuple of tensors of shape
            (n, ...). It must use Torch's functions and have no state, because several threads call
            it.
        parameters: leaf tensors that receive gradients; no other tensor does.
        work: approximate number of multiplications of a row in the forward pass.
        *batch: tensors of shape (N, ...). On other devices than a CPU, all rows are one shard.

    Returns:
        Tensors of shape (N, ...), which support one backward pass.
    """
    parts = shards(batch[0], work)
    if torch.is_grad_enabled():
        outputs: tuple[torch.Tensor, ...] = _InShards.apply(function, parts, batch, *parameters)
        return outputs
    return _joined(_forward(function, batch, parts))


def shards(rows: torch.Tensor, work: float) -> list[slice]:
    """Return an even number of about equal slices, or one slice if a second does not pay."""
    size = len(rows)
    if size * work < _LEAST or size < 2 or rows.device.type != "cpu":
        return [slice(0, size)]
    number = min(2 * math.ceil(size * work / (2 * _SHARD)), size)
    edges = [size * k // number for k in range(number + 1)]
    return [slice(low, high) for low, high in itertools.pairwise(edges)]


class _InShards(torch.autograd.Function):
    """A function that builds each shard's graph in the forward pass for the backward pass."""

    @staticmethod
    def forward(
        ctx: Any,
        function: Rows,
        parts: list[slice],
        batch: tuple[torch.Tensor, ...],
        *parameters: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        def with_graph(*rows: torch.Tensor) -> tuple[torch.Tensor, ...]:
            with torch.enable_grad():
                return function(*rows)

        ctx.parameters = parameters
        ctx.parts = parts
        ctx.found = _forward(with_graph, batch, parts)
        return _joined([tuple(out.detach() for out in outs) for outs in ctx.found])

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        found, parts, ctx.found = ctx.found, ctx.parts, None

        def back(k: int) -> tuple[torch.Tensor, ...]:
            of_outputs = [grad[parts[k]] for grad in grads]
            return torch.autograd.grad(
                found[k], ctx.parameters, of_outputs, allow_unused=True, materialize_grads=True
            )

        first, *others = side_by_side(back, len(parts))
        totals = list(first)
        for other in others:
            torch._foreach_add_(totals, list(other))
        return None, None, None, *totals


def _forward(
    function: Rows, batch: Sequence[torch.Tensor], parts: Sequence[slice]
) -> list[tuple[torch.Tensor, ...]]:
    graded = torch.is_grad_enabled()

    def rows(k: int) -> tuple[torch.Tensor, ...]:
        with torch.set_grad_enabled(graded):  # the setting is local to a thread
            return function(*(tensor[parts[k]] for tensor in batch))

    return side_by_side(rows, len(parts))


def _joined(found: Sequence[tuple[torch.Tensor, ...]]) -> tuple[torch.Tensor, ...]:
    if len(found) == 1:
        return found[0]
    return tuple(torch.cat(outs) for outs in zip(*found, strict=True))


def side_by_side(work: Callable[[int], Found], number: int) -> list[Found]:
    """Call `work(0)` to `work(number - 1)` on all cores, and return the results in order.

    Torch uses one thread in each call. An exception in a call is raised after all threads have
    stopped.

    Args:
        work: function that releases the interpreter lock most of the time.
        number: number of calls.
    """
    results: dict[int, Found] = {}
    left = iter(range(number))

    def take() -> None:
        for k in left:
            results[k] = work(k)

    _keep_memory()
    helpers = min(number, cores()) - 1
    with one_torch_thread():
        futures: list[Future[None]] = []
        try:
            futures += [_pool(os.getpid()).submit(take) for _ in range(helpers)]
            take()
        finally:
            # Futures that have not started have no work left. Waiting for them could deadlock,
            # because calls of `work` may call this function and occupy all threads.
            futures = [future for future in futures if not future.cancel()]
            wait(futures)
    for future in futures:
        future.result()
    return [results[k] for k in range(number)]


@functools.cache
def _keep_memory() -> None:
    """Make glibc keep the memory of a batch instead of returning it to the system.

    New pages for each batch would take a tenth of the time. glibc keeps twice as much as the
    largest block that was ever freed, up to this size. Other systems are not affected.
    """
    torch.empty(31 * 2**20, dtype=torch.uint8)


@functools.cache
def _pool(_process: int) -> ThreadPoolExecutor:
    """Return the threads of this process; a fork needs new ones."""
    return ThreadPoolExecutor(
        os.cpu_count(), "shards", initializer=torch.set_num_threads, initargs=(1,)
    )


@contextlib.contextmanager
def one_torch_thread() -> Iterator[None]:
    """Run Torch in one thread, so that sums are reproducible and threads do not wait."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
