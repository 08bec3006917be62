"""Lines for the person at the machine, each said once, however many processes could say it."""

from __future__ import annotations

import logging
import os

__all__ = ["is_new", "say_once"]

_LOG = logging.getLogger("boardenvs")
_TOLD = "BOARDENVS_TOLD"
"""The variable of what was said, since worker processes inherit it."""


def is_new(what: str) -> bool:
    """Whether neither this process nor one that started it has said so; from now on it has.

    Args:
        what: a word for what is said, without a semicolon.
    """
    told = os.environ.get(_TOLD, "").split(";")
    os.environ[_TOLD] = ";".join([*told, what])
    return what not in told


def say_once(what: str, line: str) -> None:
    """Log a line as a warning of `boardenvs`, which Python shows on standard error.

    Args:
        what: as for `is_new`.
        line: what to say.
    """
    if is_new(what):
        _LOG.warning("boardenvs: %s", line)
