"""The old place of `boardenvs.explicit_chance`, found here for a version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boardenvs.moved import moved

if not TYPE_CHECKING:  # which would find any name at all
    __getattr__ = moved(__name__, dict.fromkeys(("Chance", "Ways"), "boardenvs.explicit_chance"))
