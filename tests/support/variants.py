"""Variants of the games: other arguments than the defaults, from `tests/<game>/variants.toml`."""

import tomllib
from pathlib import Path

import boardenvs


def variants(name):
    """Return the arguments of each variant by its name; empty if the game has no such file."""
    path = Path(__file__).parents[1] / name / "variants.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def first_variant(name):
    """Return the arguments of the first variant; empty if there is none."""
    return next(iter(variants(name).values()), {})


VARIANTS = {
    **{name: (name, {}) for name in boardenvs.GAMES},
    **{
        f"{name}: {called}": (name, params)
        for name in boardenvs.GAMES
        for called, params in variants(name).items()
    },
}
"""Game and arguments of each default game and each variant, by name."""
