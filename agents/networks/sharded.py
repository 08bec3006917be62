"""A network's work on a batch, shared out between the cores.

Torch's own threads wait for each other in every single operation, by spinning: where other
programs keep the cores busy they lose tenfold. Here each thread takes whole shards of the batch
instead, forward and backward, and waits for the others once in each direction.
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
"""Multiplications in a shard, at most: what small networks compute meanwhile about fills a
core's cache."""
_LEAST = 120e6
"""Multiplications that are worth a second thread; Python's part runs in one at a time."""


def in_shards(
    function: Rows, parameters: Sequence[torch.Tensor], work: float, *batch: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """`function(*batch)`, computed in shards of the batch, as many at once as there are cores.

    How a batch is split depends on its size and `work` alone, and the shards' gradients are
    summed in their order: results are the same to the bit on any number of cores.

    Args:
        function: row by row, from tensors of shape (n, ...) to a tuple of tensors of shape
            (n, ...), by Torch's functions and without state, since it runs in several threads.
        parameters: leaves to which alone gradients flow.
        work: multiplications that a row takes when going forward, about.
        *batch: of shape (N, ...). Not on a CPU, N rows are one shard.

    Returns:
        Tensors of shape (N, ...), through which one can go backward once.
    """
    parts = shards(batch[0], work)
    if torch.is_grad_enabled():
        outputs: tuple[torch.Tensor, ...] = _InShards.apply(function, parts, batch, *parameters)
        return outputs
    return _joined(_forward(function, batch, parts))


def shards(rows: torch.Tensor, work: float) -> list[slice]:
    """An even number of about equal slices, or one of all rows where a second does not pay."""
    size = len(rows)
    if size * work < _LEAST or size < 2 or rows.device.type != "cpu":
        return [slice(0, size)]
    number = min(2 * math.ceil(size * work / (2 * _SHARD)), size)
    edges = [size * k // number for k in range(number + 1)]
    return [slice(low, high) for low, high in itertools.pairwise(edges)]


class _InShards(torch.autograd.Function):
    """Each shard's graph is built when going forward, and gone through when going backward."""

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
        with torch.set_grad_enabled(graded):  # each thread has a switch of its own
            return function(*(tensor[parts[k]] for tensor in batch))

    return side_by_side(rows, len(parts))


def _joined(found: Sequence[tuple[torch.Tensor, ...]]) -> tuple[torch.Tensor, ...]:
    if len(found) == 1:
        return found[0]
    return tuple(torch.cat(outs) for outs in zip(*found, strict=True))


def side_by_side(work: Callable[[int], Found], number: int) -> list[Found]:
    """`work(0)` to `work(number - 1)`, in this thread and one for each further core.

    Each is computed by Torch in one thread. An exception of any of them is raised once no
    thread works any more.

    Args:
        work: releases the interpreter's lock for most of its time.
        number: of calls.
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
            # Those that no thread has begun have nothing left to take: to wait for them would
            # be for ever where all threads wait here, for works that share out work themselves.
            futures = [future for future in futures if not future.cancel()]
            wait(futures)
    for future in futures:
        future.result()
    return [results[k] for k in range(number)]


@functools.cache
def _keep_memory() -> None:
    """Have glibc keep the memory that a batch needs, once for all.

    Else it gives it back to the system after each, and every page comes anew, which took a
    tenth of the time. glibc keeps twice as much as the largest block that was ever freed,
    up to this size; other systems do not mind.
    """
    torch.empty(31 * 2**20, dtype=torch.uint8)


@functools.cache
def _pool(_process: int) -> ThreadPoolExecutor:
    """This process's threads: those of a process do not live on in its forks."""
    return ThreadPoolExecutor(
        os.cpu_count(), "shards", initializer=torch.set_num_threads, initargs=(1,)
    )


@contextlib.contextmanager
def one_torch_thread() -> Iterator[None]:
    """Torch in one thread: sums stay the same, and threads do not wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
