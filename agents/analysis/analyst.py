"""Who is asked about a position where nobody is named: the strongest agent that tells a lot.

The folder of a game may hold a list `ANALYSTS` of specs in its `__init__.py` (see `agents.games`),
the best first; after them, and for every other game, come those of `ANALYSTS` here.
"""

from __future__ import annotations

import contextlib
from typing import Any

from agents.agent import check_can_play
from agents.games import constant
from agents.making import make
from agents.networks.card import shipped
from boardenvs.game import Game, States

__all__ = ["ANALYSTS", "analyst", "analysts_of"]

ANALYSTS = ("puct:800", "mcts:2000")
"""Of any game: guided by a network where one is shipped for it."""


def analysts_of(game: Game) -> list[str]:
    """Who may be asked about a game, the best first; not all of them play it in every size."""
    return [*constant(game, "ANALYSTS", ()), *ANALYSTS]


def analyst(game: Game, states: States, seed: int | None = None) -> tuple[str, Any]:
    """The first of a game's analysts that can play on from a position.

    Args:
        game: what is played.
        states: where it is asked, records of shape (N,), none of them over.
        seed: of the agent's own randomness; `None` for a fresh one.

    Returns:
        Its spec, and the agent.
    """
    for spec in analysts_of(game):
        with contextlib.suppress(ValueError):
            if spec.startswith(("puct", "trained")):
                shipped(game)  # refuses a game that has no network
            agent = make(spec, game, seed)
            check_can_play(agent, states)
            return spec, agent
    raise ValueError(f"no agent can be asked about {game.name}")
