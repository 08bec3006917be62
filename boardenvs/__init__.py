"""Board games as fast reinforcement-learning environments.

`make` gives a `Game`; `BatchEnv` steps many at once; `from boardenvs import gekitai_v0`
gives the PettingZoo environment; `gymnasium.make("boardenvs/Gekitai-v0")` one seat of it.
"""

from __future__ import annotations

import importlib
import inspect
from typing import TYPE_CHECKING, Any

from boardenvs.registration import GAMES, register_all

if TYPE_CHECKING:
    from boardenvs.batch import BatchEnv
    from boardenvs.episode import Episode
    from boardenvs.game import Game

__all__ = ["GAMES", "BatchEnv", "Episode", "Game", "make"]
__version__ = "0.1.0"

# What is imported on first use, so that `import boardenvs` stays light.
_LAZY = {
    "BatchEnv": "boardenvs.batch",
    "Episode": "boardenvs.episode",
    "Game": "boardenvs.game",
}


def make(name: str, /, **params: Any) -> Game:
    """A game by name.

    Args:
        name: one of `GAMES`.
        **params: its arguments, as its class and its page say.

    Raises:
        ValueError: there is no such game or argument, or a value is out of range.
    """
    if not isinstance(name, str) or name not in GAMES:
        raise ValueError(f"there is no game {name!r}; the games are {', '.join(GAMES)}")
    cls = getattr(importlib.import_module(f"boardenvs.{name}"), GAMES[name])
    known = list(inspect.signature(cls).parameters)
    for key in params:
        if key not in known:
            raise ValueError(
                f"{name} has no parameter {key!r}; its parameters are {', '.join(known)}"
            )
    game: Game = cls(**params)
    return game


def __getattr__(name: str) -> Any:
    game, _, version = name.rpartition("_v")
    if game in GAMES and version == "0":
        return importlib.import_module(f"boardenvs.{game}")
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'boardenvs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_LAZY, *(f"{game}_v0" for game in GAMES)]


register_all()
