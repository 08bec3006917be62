"""Board games as fast reinforcement-learning environments.

`make` returns a `Game`. `BatchEnv` steps many games at once. `from boardenvs import gekitai_v0`
imports the PettingZoo environment. `gymnasium.make("boardenvs:boardenvs/Gekitai-v0")` makes an
environment for one seat.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from boardenvs.registration import GAMES, make, register, register_all

if TYPE_CHECKING:
    from boardenvs.envs.aec import EnvModule
    from boardenvs.envs.batch import BatchEnv
    from boardenvs.envs.cuda_batch import CudaBatchEnv
    from boardenvs.episode import Episode
    from boardenvs.game import Game

    # `register_all` makes these modules.
    gekitai_v0: EnvModule
    gomoku_v0: EnvModule
    game112_v0: EnvModule
    goat_race_v0: EnvModule
    dominoes175_v0: EnvModule
    pizza_order_v0: EnvModule

__all__ = ["GAMES", "BatchEnv", "CudaBatchEnv", "Episode", "Game", "make", "register"]
__version__ = "0.1.0"

# Imported on first use, to keep `import boardenvs` fast.
_LAZY = {
    "BatchEnv": "boardenvs.envs.batch",
    "CudaBatchEnv": "boardenvs.envs.cuda_batch",
    "Episode": "boardenvs.episode",
    "Game": "boardenvs.game",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *_LAZY]


register_all()
