"""Input and output of a person: moves in the game's notation, and results in words."""

from __future__ import annotations

import numpy as np

from boardenvs.core.checks import counted
from boardenvs.game import Game

__all__ = ["result_line", "typed_move"]


def typed_move(game: Game, state: np.void, text: str) -> int:
    """Return the legal action that a person typed.

    Raises:
        ValueError: it is malformed or not legal in this position; the message names a legal one.
    """
    action = game.action_from_text(text, state)
    mask = game.legal(state)[0]
    if not mask[action]:
        example = game.action_to_text(int(mask.argmax()), state)
        raise ValueError(f"{text.strip()} is not legal here; {example} would be")
    return action


def result_line(game: Game, state: np.void) -> str:
    """Return the result in the console's words."""
    if game.num_players == 1 and state["terminated"]:
        return f"{game.seat_names[0]} gets {state['returns'][0]:g}."
    winners = [name for name, r in zip(game.seat_names, state["returns"], strict=True) if r > 0]
    if state["truncated"]:
        return f"Nobody wins: the game was stopped after {counted(state['ply'], 'ply', 'plies')}."
    if not winners:
        return "Tie!"
    return f"{' and '.join(winners)} {'win' if len(winners) > 1 else 'wins'}!"
