"""A first layer that reads the lines of a board, with equal weights in all four directions.

Such layers are used in Gomoku engines: Z. Jin, H. Duan, Z. Hang, "Rapfi: Distilling efficient
neural network for the game of Gomoku", 2025.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from agents.networks.line_patterns import line_patterns, summed_over_lines
from agents.networks.line_table import all_lines, worths

__all__ = ["LineStem"]

_DIRECTIONS = 4
"""Rows, columns, diagonals, antidiagonals."""
_REACH = 4
"""Cells on either side of a line, as five in a row need."""

Alike = Callable[[torch.Tensor], torch.Tensor]


class LineStem(nn.Module):
    """A module that maps planes to features of cells by the four lines through each cell.

    Two layers read each line, with equal weights in all directions. A third layer combines the
    lines. All three are convolutions, so they can be exported and quantised. Their weights are
    initialised equally in all directions, and their gradients are averaged over the directions.

    In training, most lines of a batch have one of a few thousand patterns. If planes contain only
    0 and 1, each pattern is evaluated once (see `agents.networks.line_patterns`), which takes a
    quarter of the convolutions' time. An exported network may look up lines in a table
    (`look_up`, see `agents.networks.line_table`), which is computed when the network is loaded.
    """

    reach = _REACH
    look_up = False
    """Whether the exported network looks up lines, which requires `has_line_table`."""

    def __init__(self, planes: int, lines: int, channels: int) -> None:
        """Set up the layers.

        Args:
            planes: number of planes of the observation.
            lines: number of features of a line in the first layer, at least 2; the second layer has
                half as many.
            channels: number of features of a cell.
        """
        super().__init__()
        self._planes, self._features = planes, (lines, lines // 2)
        width = 2 * _REACH + 1
        seen = (_DIRECTIONS * lines, planes, width, width)
        hidden, joined = (
            (_DIRECTIONS * (lines // 2), lines, 1, 1),
            (channels, _DIRECTIONS * (lines // 2), 1, 1),
        )
        self.first = _Layer(seen, planes * width, _star, _by_group, padding=_REACH)
        self.second = _Layer(hidden, lines, _by_group, _by_group, groups=_DIRECTIONS)
        self.third = _Layer(joined, joined[1], _by_input, torch.Tensor.clone)

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """Map (N, planes, rows, columns) to (N, channels, rows, columns), without a ReLU."""
        if torch.onnx.is_in_onnx_export():
            if self.look_up:
                return self._by_table(planes)
        elif (found := line_patterns(planes, _REACH)) is not None:
            return self._by_pattern(*found)
        cells: torch.Tensor = self.third(self.second(self.first(planes).relu_()).relu_())
        return cells

    def _by_pattern(self, lines: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        """Compute the layers from the distinct lines and the numbers of each cell's lines."""
        first, second, third = self.first, self.second, self.third
        hidden = nn.functional.linear(
            lines, _lines_of(first.weight).flatten(1), _of_one(first.bias)
        ).relu_()
        hidden = nn.functional.linear(
            hidden, _of_one(second.weight).flatten(1), _of_one(second.bias)
        ).relu_()
        summed = summed_over_lines(hidden, numbers)
        joined = _of_one(third.weight.transpose(0, 1)).flatten(1).T
        cells = nn.functional.linear(summed, joined, third.bias)
        return cells.unflatten(0, numbers.shape[:3]).permute(0, 3, 1, 2)

    def _by_table(self, planes: torch.Tensor) -> torch.Tensor:
        """Compute the layers from a table of all lines.

        The table does not depend on observations, so ONNX Runtime computes it when it loads the
        network.
        """
        depth, width = self._planes, 2 * _REACH + 1
        lines, kernel = all_lines(depth, _REACH), worths(depth + 1, _REACH)
        # The exporter would store results of constants in the file, which takes megabytes. So all
        # indices get a zero that is computed from a weight.
        nothing = (self.third.bias[:1] > torch.inf).long()
        numbers = torch.from_numpy(lines.astype(np.int32)).long() + nothing
        shown = numbers[:, None] // (depth + 1) ** torch.arange(width) % (depth + 1)
        hidden = (shown[:, None] == torch.arange(1, depth + 1)[:, None]).flatten(1).float()
        # The weights are equal in all directions, so those of the rows suffice.
        features, joined = self._features
        rows = self.first.weight[:features, :, _REACH].flatten(1)
        hidden = nn.functional.linear(hidden, rows, self.first.bias[:features]).relu()
        one = self.second.weight[:joined].flatten(1)
        hidden = nn.functional.linear(hidden, one, self.second.bias[:joined]).relu()
        table = nn.functional.linear(hidden, self.third.weight[:, :joined].flatten(1))
        order = torch.cumsum((nothing + 1).expand(len(lines)), 0) - 1
        places = nothing.expand((depth + 1) ** width).scatter(0, numbers, order)
        # A cell that shows plane k is the digit k + 1 of a line's number, an empty cell the digit
        # 0. Integers below 2**24 are exact in float32.
        digits = (planes * torch.arange(1, depth + 1)[:, None, None]).sum(1, keepdim=True)
        codes = nn.functional.conv2d(digits, torch.from_numpy(kernel).float(), padding=_REACH)
        # Observations that no board shows must not fail.
        codes = codes.clamp(0, (depth + 1) ** width - 1).long()
        rows, columns, diagonals, others = places[codes].unbind(1)
        cells = table[rows] + table[columns] + table[diagonals] + table[others] + self.third.bias
        return cells.permute(0, 3, 1, 2)


class _Layer(nn.Module):
    """A convolution whose weights are equal in all directions."""

    def __init__(
        self, shape: tuple[int, ...], inputs: int, weight: Alike, bias: Alike, **options: Any
    ) -> None:
        super().__init__()
        self._alike = weight, bias
        self._options = options
        # The mean over the directions reduces the standard deviation by the root of their number.
        scale = math.sqrt(2 / inputs * _DIRECTIONS)
        self.weight = nn.Parameter(weight(torch.randn(shape) * scale))
        self.bias = nn.Parameter(torch.zeros(shape[0]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight, bias = self.weight, self.bias
        if not torch.onnx.is_in_onnx_export():
            weight = _KeptAlike.apply(weight, self._alike[0])
            bias = _KeptAlike.apply(bias, self._alike[1])
        return nn.functional.conv2d(x, weight, bias, **self._options)


class _KeptAlike(torch.autograd.Function):
    """The identity on weights, which averages their gradient over the directions."""

    @staticmethod
    def forward(ctx: Any, weights: torch.Tensor, alike: Alike) -> torch.Tensor:
        ctx.alike = alike
        return weights.view_as(weights)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        return ctx.alike(grads[0]), None


def _star(kernels: torch.Tensor) -> torch.Tensor:
    """Return kernels of shape (directions * features, planes, width, width) that hold one line."""
    line = _lines_of(kernels)
    alike = kernels.new_zeros((_DIRECTIONS, *line.shape, kernels.shape[-1]))
    alike[0, ..., _REACH, :] = line
    alike[1, ..., _REACH] = line
    alike[2] = torch.diag_embed(line)
    alike[3] = torch.diag_embed(line).flip(-1)
    return alike.flatten(0, 1)


def _lines_of(kernels: torch.Tensor) -> torch.Tensor:
    """Return the mean weights of the kernels on their lines, shape (features, planes, width)."""
    rows, columns, diagonals, others = kernels.unflatten(0, (_DIRECTIONS, -1))
    of_each = (
        rows[..., _REACH, :],
        columns[..., _REACH],
        diagonals.diagonal(0, -2, -1),
        others.flip(-1).diagonal(0, -2, -1),
    )
    return sum(of_each, torch.zeros_like(of_each[0])) / _DIRECTIONS


def _of_one(weights: torch.Tensor) -> torch.Tensor:
    """Return the mean over the directions of weights of shape (directions * features, ...)."""
    return weights.unflatten(0, (_DIRECTIONS, -1)).mean(0)


def _by_group(weights: torch.Tensor) -> torch.Tensor:
    """Average weights of shape (directions * features, ...) over the directions."""
    by_direction = weights.unflatten(0, (_DIRECTIONS, -1))
    return by_direction.mean(0, keepdim=True).expand_as(by_direction).flatten(0, 1)


def _by_input(weights: torch.Tensor) -> torch.Tensor:
    """Average weights of shape (features, directions * inputs, ...) over the directions."""
    by_direction = weights.unflatten(1, (_DIRECTIONS, -1))
    return by_direction.mean(1, keepdim=True).expand_as(by_direction).flatten(1, 2)
