"""All games as OpenSpiel games, by `pyspiel.load_game("python_boardenvs_gekitai(board_size=7)")`.

Importing this registers them. Needs the extra `[openspiel]`. A game's arguments are those of
`boardenvs.make`, obstacles and a deck as text (see `parameters`). Chance is explicit (see
`chance` and `tiles`), so that nothing is hidden in any of them.
"""

from __future__ import annotations

try:
    import pyspiel  # noqa: F401 says at once what is missing
except ImportError as error:
    raise ImportError(
        "the games of OpenSpiel need the extra [openspiel], such as "
        f"pip install 'boardenvs[openspiel]': {error}"
    ) from error

from boardenvs.dominoes175 import Dominoes175
from boardenvs.dominoes175.rules import CELLS
from boardenvs.game112 import Game112
from boardenvs.gekitai import Gekitai
from boardenvs.goat_race import GoatRace
from boardenvs.gomoku import Gomoku
from boardenvs.openspiel import parameters
from boardenvs.openspiel.game import register
from boardenvs.openspiel.tiles import TileChance
from boardenvs.pizza_order import PizzaOrder
from boardenvs.pizza_order.rules import INGREDIENTS

__all__ = ["register"]

register(Gekitai)
register(Gomoku)
register(Game112)
register(
    GoatRace,
    num_players=(2, 5),
    most_outcomes=lambda game: max(game.height, game.width - 2),
    readers={"obstacles": parameters.obstacles},
)
register(
    Dominoes175,
    most_outcomes=lambda game: CELLS if game.params["deck"] is None else 0,
    chance=TileChance,
    readers={"deck": parameters.deck},
)
register(PizzaOrder, most_outcomes=lambda game: INGREDIENTS)
