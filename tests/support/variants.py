"""Each game with other arguments than its defaults: `variants.toml` in its folder of the tests."""

import tomllib
from pathlib import Path

import boardenvs


def variants(name):
    """Arguments of a game by what the variant is called; none where it has no such file."""
    path = Path(__file__).parents[1] / name / "variants.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def first_variant(name):
    """The arguments of the first of them, or none."""
    return next(iter(variants(name).values()), {})


VARIANTS = {
    **{name: (name, {}) for name in boardenvs.GAMES},
    **{
        f"{name}: {called}": (name, params)
        for name in boardenvs.GAMES
        for called, params in variants(name).items()
    },
}
"""All games, with their defaults and otherwise: name and arguments by what they are called."""
