"""Learning curves on the benchmark's ladders: reference curves, and your own runs beside them.

See README.md here.
"""

from __future__ import annotations

import importlib
from typing import Any

# Imported on first use, so that importing one module does not load all.
_PLACES = {
    "Curve": "agents.curves.curve",
    "Point": "agents.curves.curve",
    "draw_curves": "agents.curves.drawing",
    "learn": "agents.curves.learning",
    "read_run": "agents.curves.run_files",
    "read_curves": "agents.curves.curve",
    "reference_curves": "agents.curves.curve",
    "write_curves": "agents.curves.curve",
}
__all__ = list(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)
