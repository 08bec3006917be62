"""Description of the machine that runs a benchmark."""

from __future__ import annotations

import importlib.metadata
import platform
from pathlib import Path

import boardenvs
from boardenvs.kernels.threads import cores

__all__ = ["describe_machine"]


def _model() -> str:
    """Return the name of the processor, from `/proc/cpuinfo` if possible."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip().lower() == "model name" and value.strip():
            return value.strip()
    return platform.processor() or platform.machine() or "unknown processor"


def describe_machine() -> str:
    """Return the cores, processor and versions in two lines, without a final newline."""
    num = cores()
    versions = [
        f"boardenvs {boardenvs.__version__}",
        f"Python {platform.python_version()}",
        *(f"{shown} {importlib.metadata.version(shown.lower())}" for shown in ("NumPy", "Numba")),
    ]
    return (
        f"{num} core{'s' if num > 1 else ''}, {_model()}, {platform.system()}\n"
        f"{', '.join(versions)}"
    )
