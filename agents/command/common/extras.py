"""Extras of the package that a subcommand needs."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable

__all__ = ["TRAINING", "require_extra"]

TRAINING = ("torch", "sb3_contrib", "onnx", "matplotlib", "tensorboard")
"""Packages of the extra `[train]` that training imports."""


def require_extra(what: str, extra: str, names: Iterable[str]) -> None:
    """Require the packages of an extra.

    Args:
        what: name of the feature, for the message.
        extra: name of the extra.
        names: import names of the packages.

    Raises:
        ValueError: a package is not installed.
    """
    for name in names:
        if importlib.util.find_spec(name) is None:
            raise ValueError(
                f"{what} needs the extra [{extra}], such as pip install 'boardenvs[{extra}]': "
                f"{name} is not installed"
            )
