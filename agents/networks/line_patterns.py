"""The distinct lines of a batch of boards. Each is evaluated once, because most lines repeat."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from boardenvs.kernels.kernel import cached_njit

__all__ = ["line_patterns", "summed_over_lines"]

_STEPS = np.array(((0, 1), (1, 0), (1, 1), (1, -1)))
"""Steps from a cell of a line to the next: rows, columns, diagonals, antidiagonals."""
_MOST_PLANES = 8
_MOST_CODES = 2**20
"""Maximum number of possible lines: a batch needs a table with an entry for each."""


def line_patterns(planes: torch.Tensor, reach: int) -> tuple[torch.Tensor, torch.Tensor] | None:
    """Return the distinct lines of boards, and the lines through each cell.

    Args:
        planes: tensor of shape (N, planes, rows, columns).
        reach: number of cells of a line on either side.

    Returns:
        The distinct lines, float32 of shape (lines, planes * (2 * reach + 1)), plane by plane, 0
        beyond the board's edges; and the numbers of the four lines through each cell, int32 of
        shape (N, rows, columns, 4), in the order of rows, columns, diagonals, antidiagonals.
        `None` if the planes contain other numbers than 0 and 1, need a gradient, are not on a CPU,
        or allow too many lines.

    Example:
        >>> import torch
        >>> from agents.networks.line_patterns import line_patterns
        >>> lines, numbers = line_patterns(torch.eye(3)[None, None], reach=1)
        >>> lines[numbers[0, 1, 1]].tolist()
        [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 0.0]]
    """
    size, depth, rows, columns = planes.shape
    if planes.device.type != "cpu" or planes.requires_grad or depth > _MOST_PLANES or not size:
        return None
    cells = np.zeros((size, rows + 2 * reach, columns + 2 * reach), np.uint8)
    held = np.zeros(2**depth, np.bool_)
    if not _cells(planes.numpy(), reach, cells, held):
        return None
    kinds = np.flatnonzero(held)
    width = 2 * reach + 1
    if len(kinds) ** width > _MOST_CODES:
        return None
    ranks = np.cumsum(held, dtype=np.int32) - np.int32(1)
    numbers = np.empty((size, rows, columns, len(_STEPS)), np.int32)
    places = np.full(len(kinds) ** width, -1, np.int32)
    codes = np.empty(min(len(places), numbers.size), np.int32)
    count = _number(cells, ranks, len(kinds), reach, _STEPS, places, codes, numbers)
    digits = codes[:count, None] // len(kinds) ** np.arange(width)[::-1] % len(kinds)
    lines = kinds[digits][:, None] >> np.arange(depth)[:, None] & 1
    flat = lines.reshape(count, -1).astype(np.float32)
    return torch.from_numpy(flat), torch.from_numpy(numbers)


def summed_over_lines(line_features: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
    """Sum the features of the four lines through each cell.

    Args:
        line_features: features of each line, float32 of shape (lines, features).
        numbers: numbers of the lines, as `line_patterns` returns them.

    Returns:
        Features of each cell, shape (N * rows * columns, features).
    """
    found: torch.Tensor = _Summed.apply(line_features, numbers)
    return found


class _Summed(torch.autograd.Function):
    """The function of `summed_over_lines`, whose gradient is faster than `embedding_bag`'s."""

    @staticmethod
    def forward(ctx: Any, line_features: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        ctx.numbers, ctx.lines = numbers.flatten(0, 2).numpy(), len(line_features)
        found = line_features.new_empty((len(ctx.numbers), line_features.shape[1]))
        _sum(line_features.detach().contiguous().numpy(), ctx.numbers, found.numpy())
        return found

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        of_lines = grads[0].new_zeros((ctx.lines, grads[0].shape[1]))
        _add(grads[0].contiguous().numpy(), ctx.numbers, of_lines.numpy())
        return of_lines, None


@cached_njit("reading lines", nogil=True)
def _cells(planes, reach, cells, held):
    """Write each cell's planes as bits, and mark these in `held`; return False for other values."""
    held[0] = True  # beyond the edges
    for n in range(len(planes)):
        for k in range(planes.shape[1]):
            for row in range(planes.shape[2]):
                for column in range(planes.shape[3]):
                    value = planes[n, k, row, column]
                    if value == 1:
                        cells[n, reach + row, reach + column] |= np.uint8(1 << k)
                    elif value != 0:
                        return False
        for row in range(planes.shape[2]):
            for column in range(planes.shape[3]):
                held[cells[n, reach + row, reach + column]] = True
    return True


@cached_njit("reading lines", nogil=True)
def _number(cells, ranks, kinds, reach, steps, places, codes, numbers):
    """Number the lines in the order of their first occurrence; return the number of lines."""
    count = 0
    size, rows, columns, directions = numbers.shape
    for n in range(size):
        for row in range(rows):
            for column in range(columns):
                for k in range(directions):
                    down, right = steps[k, 0], steps[k, 1]
                    code = 0
                    for step in range(-reach, reach + 1):
                        cell = cells[n, reach + row + step * down, reach + column + step * right]
                        code = code * kinds + ranks[cell]
                    place = places[code]
                    if place < 0:
                        place = count
                        places[code] = place
                        codes[count] = code
                        count += 1
                    numbers[n, row, column, k] = place
    return count


@cached_njit("reading lines", nogil=True)
def _sum(lines, numbers, found):
    """Sum the features of the lines for each cell."""
    features = lines.shape[1]
    for cell in range(len(numbers)):
        a, b, c, d = numbers[cell]
        for k in range(features):
            found[cell, k] = lines[a, k] + lines[b, k] + lines[c, k] + lines[d, k]


@cached_njit("reading lines", nogil=True)
def _add(of_cells, numbers, of_lines):
    """Sum the gradients of the cells for each line."""
    features = of_cells.shape[1]
    for cell in range(len(numbers)):
        for place in numbers[cell]:
            for k in range(features):
                of_lines[place, k] += of_cells[cell, k]
