"""The package `agents`, which makes players by name.

`boardenvs` imports `agents` only here, when the first player is requested. Modules are
imported by name, since archives and frozen programs lack the metadata of an installation.
"""

from __future__ import annotations

import functools
import importlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["agents_module", "check_agents"]

_SIGN = b"Players for the games of boardenvs"
"""Bytes that identify our `agents/__init__.py`."""


@functools.cache
def agents_module(name: str) -> Any:
    """Import and return a module of the package `agents`.

    Args:
        name: full name of the module, such as `agents.command`.

    Raises:
        ValueError: if the package `agents` is missing or another one.
    """
    check_agents()
    return importlib.import_module(name)


def check_agents() -> None:
    """Check, without importing it, that Python finds the package `agents` of `boardenvs`.

    Raises:
        ValueError: if Python finds no package `agents`, or another one.
    """
    ours = Path(__file__).resolve().parents[1].with_name("agents")
    found: Any = find_spec("agents")
    where = None if found is None else found.origin
    # At the right path, another distribution may have overwritten our file. A compiled file
    # without its source, as in a frozen program, may lack the line.
    if (
        where is None
        or Path(where).parent.resolve() != ours
        or (where.endswith(".py") and _SIGN not in found.loader.get_data(where))
    ):
        raise ValueError(
            f"package 'agents' must be that of boardenvs, {ours}, but Python finds "
            f"{where or 'no such package'}: rename the other package, or install boardenvs in "
            f"its own environment"
        )
