"""Where a game was lost, as far as `exact` knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.making import make
from boardenvs.episode import Episode
from boardenvs.game import Game

__all__ = ["BEFORE", "Loss", "LossJudge", "loss_line", "remarks"]

BEFORE = ("won", "drawn", "lost", "not settled")
"""Results that the loser could force before the move that lost."""
_OF_VALUE = {1.0: "won", 0.0: "drawn"}


@dataclass(frozen=True)
class Loss:
    """Where a game was lost."""

    loser: int
    """The seat that lost."""
    mover: int
    """The seat whose move it was; that of the loser if the game was lost from the start."""
    move: int
    """From which move on, counted from 1, every position is proved to be lost; 0: the start."""
    before: str
    """What the loser had before that move: one of `BEFORE`; "lost" from the start alone."""


class LossJudge:
    """Tells of games of one kind where they were lost."""

    def __init__(self, game: Game) -> None:
        """Have `exact` sit down.

        Args:
            game: of two players, without chance.

        Raises:
            ValueError: `exact` does not play the game at all, or it is not of two players.
        """
        if game.num_players != 2:
            raise ValueError(
                f"only in a game for two can a losing move be told: {game.name} is for "
                f"{game.num_players}"
            )
        self._exact: Any = make("exact", game, 0)

    def loss(self, episode: Episode) -> Loss | None:
        """Where a game was lost; `None` if nobody lost it.

        From that move on every position is proved to be lost, as far as `exact` can settle it
        within its budget; before the move it was not.

        Args:
            episode: of the game.
        """
        game = episode.game
        states = episode.states()
        results = game.returns(states[-1:])[0]
        if not game.over(states[-1:])[0] or results.min() == results.max():
            return None
        loser = int(results.argmin())
        first = len(states) - 1  # from where on all is lost
        before = np.nan
        while first > 0:
            try:
                before = float(self._exact.values(states[first - 1 : first])[0, loser])
            except ValueError:  # too large
                before = np.nan
            if before != results[loser]:
                break
            first -= 1
        if first == 0:
            return Loss(loser, loser, 0, "lost")
        mover = int(states["to_move"][first - 1])
        return Loss(loser, mover, first, _OF_VALUE.get(before, "not settled"))


def loss_line(episode: Episode, loss: Loss | None) -> str:
    """One line that says where a game was lost, as `LossJudge.loss` has found it."""
    if loss is None:
        return "Nobody has lost."
    loser = episode.game.seat_names[loss.loser]
    if loss.move == 0:
        return f"{loser} had lost from the start."
    state = episode.states()[loss.move - 1]
    played = episode.game.action_to_text(episode.actions[loss.move - 1], state)
    move = f"move {loss.move}, {played}"
    if loss.mover != loss.loser:  # who had won before, but nobody could tell
        return f"{loser} had lost when {move} was played; before it that is not settled."
    had = {"won": "won before it", "drawn": "a draw before it"}
    return f"{loser} lost by {move}: {had.get(loss.before, 'before it that is not settled')}."


def remarks(episode: Episode, loss: Loss | None) -> dict[int, str]:
    """What the page of a game is to say of the move by which it was lost.

    Args:
        episode: the game.
        loss: as `LossJudge.loss` has found it.

    Returns:
        At most one remark, as `Episode.to_html` takes them.
    """
    if loss is None:
        return {}
    loser = episode.game.seat_names[loss.loser]
    if loss.move == 0:
        said = loss_line(episode, loss)
    elif loss.mover != loss.loser:
        said = f"{loser} had lost when this move was played; before it that is not settled."
    else:
        said = {
            "won": "This move gave the win away.",
            "drawn": "This move lost a game that was a draw.",
            "not settled": "This move lost the game; what it was worth before is not settled.",
        }[loss.before]
    return {loss.move: said}
