"""The list of games, the only one, and what Gymnasium is told of each."""

from __future__ import annotations

import gymnasium

__all__ = ["GAMES", "env_id", "register_all"]

GAMES = {
    "gekitai": "Gekitai",
    "gomoku": "Gomoku",
    "game112": "Game112",
    "goat_race": "GoatRace",
    "dominoes175": "Dominoes175",
    "pizza_order": "PizzaOrder",
}
"""Name of each game to the name of its class in `boardenvs.<name>`."""


def env_id(name: str) -> str:
    """A game's id in Gymnasium's registry, such as `boardenvs/Gekitai-v0`."""
    return f"boardenvs/{GAMES[name]}-v0"


def register_all() -> None:
    """Register every game with Gymnasium: single-seat and native vector environment."""
    for name in GAMES:
        gymnasium.register(
            env_id(name),
            entry_point="boardenvs.single:SeatEnv",
            vector_entry_point="boardenvs.vector:SeatVectorEnv",
            kwargs={"game": name},
        )
