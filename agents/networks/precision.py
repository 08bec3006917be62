"""Precision of the products of a convolutional network while MaskablePPO learns."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["AUTO", "BFLOAT16", "FLOAT32", "check_precision", "precision_for"]

AUTO, FLOAT32, BFLOAT16 = "auto", "float32", "bfloat16"
_INSTRUCTIONS = ("avx512_bf16", "amx_bf16")
"""Instructions of processors that multiply in bfloat16; other processors emulate it slowly."""


def check_precision(name: str) -> None:
    """Raise `ValueError` if a precision is unknown."""
    if name not in (AUTO, FLOAT32, BFLOAT16):
        raise ValueError(f"precision must be {AUTO}, {FLOAT32} or {BFLOAT16}, got {name!r}")


def precision_for(name: str, device: torch.device | str) -> str:
    """Return the precision to use on a device, `float32` or `bfloat16`.

    Args:
        name: name of the precision. `auto` is `bfloat16` if PyTorch reports that the processor has
            instructions for it.
        device: name of a PyTorch device. Devices other than `cpu` always use `float32`.

    Raises:
        ValueError: the precision is unknown.
    """
    check_precision(name)
    if torch.device(device).type != "cpu" or name == FLOAT32:
        return FLOAT32
    if name == BFLOAT16:
        return BFLOAT16
    capabilities: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    return BFLOAT16 if any(capabilities.get(one) for one in _INSTRUCTIONS) else FLOAT32
