"""What machine a benchmark ran on."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path

import boardenvs

__all__ = ["describe_machine"]


def _model() -> str:
    """The processor's name, from the kernel where it tells."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip().lower() == "model name" and value.strip():
            return value.strip()
    return platform.processor() or platform.machine() or "unknown processor"


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def describe_machine() -> str:
    """Cores, processor and versions, in two lines without a last newline."""
    cores = _cores()
    versions = [
        f"boardenvs {boardenvs.__version__}",
        f"Python {platform.python_version()}",
        *(f"{shown} {importlib.metadata.version(shown.lower())}" for shown in ("NumPy", "Numba")),
    ]
    return (
        f"{cores} core{'s' if cores > 1 else ''}, {_model()}, {platform.system()}\n"
        f"{', '.join(versions)}"
    )
