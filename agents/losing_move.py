"""Where a game was lost, as far as `exact` knows."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.making import make
from boardenvs.episode import Episode

__all__ = ["where_lost"]

_BEFORE = {1.0: "won before it", 0.0: "a draw before it"}


def where_lost(episode: Episode) -> str:
    """One line that says by which move the loser of a game lost it.

    From that move on every position is proved to be lost, as far as `exact` can settle it within
    its budget; before the move it was not.

    Args:
        episode: a game of two players without chance.

    Raises:
        ValueError: `exact` cannot play the game.
    """
    game = episode.game
    exact: Any = make("exact", game, 0)
    states = episode.states()
    names = game.seat_names
    results = game.returns(states[-1:])[0]
    if not game.over(states[-1:])[0] or results.min() == results.max():
        return "Nobody has lost."
    loser = int(results.argmin())
    first = len(states) - 1  # from where on all is lost
    before = np.nan
    while first > 0:
        try:
            before = float(exact.values(states[first - 1 : first])[0, loser])
        except ValueError:  # too large
            before = np.nan
        if before != results[loser]:
            break
        first -= 1
    if first == 0:
        return f"{names[loser]} had lost from the start."
    state = states[first - 1]
    move = f"move {first}, {game.action_to_text(episode.actions[first - 1], state)}"
    if int(state["to_move"]) != loser:  # the winner's, who had won before, but nobody could tell
        return f"{names[loser]} had lost when {move} was played; before it that is not settled."
    return f"{names[loser]} lost by {move}: {_BEFORE.get(before, 'before it that is not settled')}."
