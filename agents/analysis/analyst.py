"""The default agent for analysing a position: the strongest agent with a detailed analysis.

The folder of a game may have a list `ANALYSTS` of specs in its `__init__.py` (see `agents.games`),
the best first. The specs of `ANALYSTS` here follow for every game.
"""

from __future__ import annotations

import contextlib
from typing import Any

from agents.agent import check_can_play
from agents.naming.game_folders import constant
from agents.naming.spec import Spec
from agents.networks.card import shipped
from boardenvs.game import Game, States

__all__ = ["ANALYSTS", "analyst", "analysts_of"]

ANALYSTS = ("puct:800", "mcts:2000")
"""Analysts of any game; `puct` requires a shipped network."""


def analysts_of(game: Game) -> list[str]:
    """Return the specs of a game's analysts, the best first; some may not support every size."""
    return [*constant(game, "ANALYSTS", ()), *ANALYSTS]


def analyst(game: Game, states: States, seed: int | None = None) -> tuple[Spec, Any]:
    """Return the first of a game's analysts that can play on from a position.

    Args:
        game: the game.
        states: positions to analyse, records of shape (N,), not over.
        seed: seed of the agent's own randomness; `None` for a random one.

    Returns:
        Its name and the agent.

    Raises:
        ValueError: no analyst can play on.
    """
    for text in analysts_of(game):
        with contextlib.suppress(ValueError):
            spec = Spec.of(text, game)
            if spec.name in ("puct", "trained"):
                shipped(game)  # raises for a game without a network
            agent = spec.make(seed)
            check_can_play(agent, states)
            return spec, agent
    raise ValueError(f"no agent can analyse this position of {game.name}")
