"""Names that have moved to another module, and are still found where they were, for a version."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["moved", "moved_message"]


def moved_message(old: str, new: str) -> str:
    """What a warning says of a name that is another one now."""
    return f"{old} has moved, and its old name is gone in the next version: use {new}"


def moved(module: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a module that some names have left.

    Args:
        module: its name.
        homes: of each such name the module where it is now. The old one must not have the name
            itself, or nobody is warned.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(
            moved_message(f"{module}.{name}", f"{homes[name]}.{name}"),
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(importlib.import_module(homes[name]), name)

    return find
