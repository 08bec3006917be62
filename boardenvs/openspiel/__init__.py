"""All games as OpenSpiel games, by `pyspiel.load_game("python_boardenvs_gekitai(board_size=7)")`.

Importing this registers them. Needs the extra `[openspiel]`. A game's arguments are those of
`boardenvs.make`, those that are no numbers as text (see `parameters`). Chance is explicit (see
`boardenvs.explicit_chance`), so that nothing is hidden in any of them.
"""

from __future__ import annotations

try:
    import pyspiel  # noqa: F401 says at once what is missing
except ImportError as error:
    raise ImportError(
        "the games of OpenSpiel need the extra [openspiel], such as "
        f"pip install 'boardenvs[openspiel]': {error}"
    ) from error

from boardenvs.openspiel.game import register
from boardenvs.registration import GAMES, game_class

__all__ = ["register"]

for _name in GAMES:
    register(game_class(_name))
