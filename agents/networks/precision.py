"""The kind of numbers that a convolutional network multiplies while MaskablePPO learns."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["AUTO", "BFLOAT16", "FLOAT32", "check_precision", "precision_for"]

AUTO, FLOAT32, BFLOAT16 = "auto", "float32", "bfloat16"
_INSTRUCTIONS = ("avx512_bf16", "amx_bf16")
"""Of processors that multiply in bfloat16; others have to imitate it, which takes longer."""


def check_precision(name: str) -> None:
    """Raise `ValueError` if there is no such precision."""
    if name not in (AUTO, FLOAT32, BFLOAT16):
        raise ValueError(f"precision must be {AUTO}, {FLOAT32} or {BFLOAT16}, got {name!r}")


def precision_for(name: str, device: torch.device | str) -> str:
    """`float32` or `bfloat16`: what a precision comes to on a device.

    Args:
        name: of the precision. `auto` is `bfloat16` where a processor has instructions for it;
            to tell that takes a recent PyTorch.
        device: as PyTorch names it. Only on `cpu` anything but `float32` is computed.

    Raises:
        ValueError: there is no such precision.
    """
    check_precision(name)
    if torch.device(device).type != "cpu" or name == FLOAT32:
        return FLOAT32
    if name == BFLOAT16:
        return BFLOAT16
    capabilities: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    return BFLOAT16 if any(capabilities.get(one) for one in _INSTRUCTIONS) else FLOAT32
