"""Extras of the package that a subcommand needs."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable

__all__ = ["TRAINING", "require_extra"]

TRAINING = ("torch", "sb3_contrib", "onnx", "matplotlib", "tensorboard")
"""What training imports of the extra `[train]`."""


def require_extra(what: str, extra: str, names: Iterable[str]) -> None:
    """Say in one line what is missing where an extra is not installed.

    Args:
        what: needs it, in words.
        extra: its name.
        names: of the packages that are imported, as Python calls them.

    Raises:
        ValueError: one of them is not there.
    """
    for name in names:
        if importlib.util.find_spec(name) is None:
            raise ValueError(
                f"{what} needs the extra [{extra}], such as pip install 'boardenvs[{extra}]': "
                f"there is no {name}"
            )
