"""All games as OpenSpiel games, such as `pyspiel.load_game("python_boardenvs_gekitai")`.

The import registers the games. It requires the extra `[openspiel]`. The parameters are those of
`boardenvs.make`, see `boardenvs.openspiel.parameters`. Chance is explicit (see
`boardenvs.explicit_chance`). All games have perfect information. The hidden tiles of Dominoes 175
are chance: a tile is drawn when it is turned over.
"""

from __future__ import annotations

try:
    import pyspiel  # noqa: F401 for a clear error
except ImportError as error:
    raise ImportError(
        "boardenvs.openspiel needs the extra [openspiel]: "
        f"pip install 'boardenvs[openspiel]' ({error})"
    ) from error

from boardenvs.openspiel.game import register
from boardenvs.registration import GAMES, game_class

__all__ = ["register"]

for _name in GAMES:
    register(game_class(_name))
