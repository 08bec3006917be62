"""The optimiser of the parts of training that learn from samples."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import torch

__all__ = ["MuonAdamW"]

_RATIO = 10.0
"""Learning rate of Muon divided by that of AdamW."""
_MOMENTUM = 0.9
_SMALLEST = 8
"""Minimum number of rows and of columns of a matrix."""
_ITERATIONS = 5
_COEFFICIENTS = 3.4445, -4.7750, 2.0315
"""Coefficients of an odd polynomial. Applied five times, it maps singular values from 0.005 to 1 to
values near 1."""
_BETAS = 0.9, 0.999
_EPSILON = 1e-8
"""AdamW's usual constants."""


class MuonAdamW:
    """AdamW, or Muon for the matrices of hidden layers and AdamW for all other parameters.

    Muon replaces the mean gradient of a matrix by the nearest matrix with orthogonal rows or
    columns. So rare features are learned as quickly as frequent ones. The kernel of a convolution
    is a matrix with a row for each output. K. Jordan and others, "Muon: an optimizer for hidden
    layers in neural networks", 2024.

    This is no `torch.optim.Optimizer`, which would import PyTorch's compiler: 85 MB.
    """

    def __init__(self, policy: Any, *, muon: bool, weight_decay: float) -> None:
        """Create the optimiser.

        Args:
            policy: Stable-Baselines3 actor-critic policy.
            muon: whether Muon learns the matrices of hidden layers.
            weight_decay: decay of the weights at each step, as a share of the learning rate.
        """
        self.lr = 0.0
        """Learning rate of the next steps; that of Muon is ten times as high."""
        self._weight_decay = weight_decay
        self._steps = 0
        self._matrices: list[torch.nn.Parameter] = []
        self._others: list[torch.nn.Parameter] = []
        for name, one in policy.named_parameters():
            # Muon would not keep the equal weights of a stem's directions.
            is_hidden = muon and one.ndim > 1 and ".stem." not in name
            is_matrix = is_hidden and min(one.flatten(1).shape) >= _SMALLEST
            (self._matrices if is_matrix else self._others).append(one)
        self._momenta = [torch.zeros_like(one) for one in self._matrices]
        self._means = [torch.zeros_like(one) for one in self._others]
        self._squares = [torch.zeros_like(one) for one in self._others]

    def zero_grad(self) -> None:
        """Drop all gradients."""
        for one in (*self._matrices, *self._others):
            one.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Take one step by the current gradients."""
        self._steps += 1
        for one in (*self._matrices, *self._others):
            one.mul_(1 - self.lr * self._weight_decay)
        self._step_matrices()
        self._step_others()

    def _step_matrices(self) -> None:
        by_shape = defaultdict(list)
        for matrix, momentum in zip(self._matrices, self._momenta, strict=True):
            gradient = _gradient(matrix)
            momentum.lerp_(gradient, 1 - _MOMENTUM)
            ahead = gradient.lerp(momentum, _MOMENTUM).flatten(1)  # as Nesterov
            by_shape[ahead.shape].append((matrix, ahead))
        for (rows, columns), same in by_shape.items():
            directions = _orthogonal(torch.stack([ahead for _, ahead in same]))
            rate = self.lr * _RATIO * max(1, rows / columns) ** 0.5
            for (matrix, _), direction in zip(same, directions, strict=True):
                matrix.sub_(direction.view_as(matrix), alpha=rate)

    def _step_others(self) -> None:
        first, second = _BETAS
        size = self.lr / (1 - first**self._steps)
        root = (1 - second**self._steps) ** 0.5
        for one, mean, square in zip(self._others, self._means, self._squares, strict=True):
            gradient = _gradient(one)
            mean.lerp_(gradient, 1 - first)
            square.mul_(second).addcmul_(gradient, gradient, value=1 - second)
            one.addcdiv_(mean, (square.sqrt() / root).add_(_EPSILON), value=-size)

    def state_dict(self) -> dict[str, Any]:
        """Return the state, for `load_state_dict`."""
        return {
            "steps": self._steps,
            "momenta": self._momenta,
            "means": self._means,
            "squares": self._squares,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore `state_dict()` of an optimiser of the same policy."""
        self._steps = state["steps"]
        for name in ("momenta", "means", "squares"):
            for one, was in zip(getattr(self, f"_{name}"), state[name], strict=True):
                one.copy_(was)


def _gradient(parameter: torch.nn.Parameter) -> torch.Tensor:
    assert parameter.grad is not None
    return parameter.grad


def _orthogonal(matrices: torch.Tensor) -> torch.Tensor:
    """Return approximately the nearest matrices with orthogonal rows or columns.

    Args:
        matrices: shape (N, rows, columns).
    """
    if matrices.shape[1] > matrices.shape[2]:
        return _orthogonal(matrices.mT).mT
    matrices = matrices / (matrices.norm(dim=(1, 2), keepdim=True) + 1e-7)
    # All products are of the smaller size: the polynomials are those of the rows' inner products.
    inner = matrices @ matrices.mT
    identity = torch.eye(matrices.shape[1], dtype=matrices.dtype, device=matrices.device)
    factor = identity
    first, third, fifth = _COEFFICIENTS
    for _ in range(_ITERATIONS):
        polynomial = first * identity + third * inner + fifth * inner @ inner
        factor = polynomial @ factor
        inner = polynomial @ inner @ polynomial
    return factor @ matrices
