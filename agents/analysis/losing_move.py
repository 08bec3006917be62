"""The move by which a game was lost, as far as `exact` can prove it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.naming.spec import Spec
from boardenvs.episode import Episode
from boardenvs.game import Game

__all__ = ["BEFORE", "Loss", "LossJudge", "loss_line", "remarks"]

BEFORE = ("won", "drawn", "lost", "not settled")
"""Results that the loser could force before the losing move."""
_OF_VALUE = {1.0: "won", 0.0: "drawn"}


@dataclass(frozen=True)
class Loss:
    """The move by which a game was lost."""

    loser: int
    """Seat that lost."""
    mover: int
    """Seat of the move; the loser if the game was lost from the start."""
    move: int
    """Number of the move, from 1, after which every position is proved lost; 0 for the start."""
    before: str
    """Result that the loser could force before the move, one of `BEFORE`; "lost" only for the
    start."""


class LossJudge:
    """A judge that finds the losing moves in games of one kind."""

    def __init__(self, game: Game) -> None:
        """Create the judge.

        Args:
            game: a game of two players, without chance.

        Raises:
            ValueError: `exact` does not support the game, or the game is not for two players or has
                chance.
        """
        if game.num_players != 2:
            raise ValueError(
                f"game must be for two players to find a losing move, got {game.name} for "
                f"{game.num_players}"
            )
        if game.has_chance:
            raise ValueError(
                f"agent 'exact' finds losing moves only without chance, but {game.name} has chance"
            )
        self._exact: Any = Spec.of("exact", game).make(0)

    def loss(self, episode: Episode) -> Loss | None:
        """Return the move by which a game was lost; `None` if nobody lost it.

        `exact` proves within its budget that every position after the move is lost, but not the
        position before it.

        Args:
            episode: an episode of the game.
        """
        game = episode.game
        states = episode.states()
        results = game.returns(states[-1:])[0]
        if not game.over(states[-1:])[0] or results.min() == results.max():
            return None
        loser = int(results.argmin())
        first = len(states) - 1  # first position of the lost ones
        before = np.nan
        while first > 0:
            try:
                before = float(self._exact.values(states[first - 1 : first])[0, loser])
            except ValueError:  # the position is too large
                before = np.nan
            if before != results[loser]:
                break
            first -= 1
        if first == 0:
            return Loss(loser, loser, 0, "lost")
        mover = int(states["to_move"][first - 1])
        return Loss(loser, mover, first, _OF_VALUE.get(before, "not settled"))


def loss_line(episode: Episode, loss: Loss | None) -> str:
    """Return a line about the move by which a game was lost, from `LossJudge.loss`."""
    if loss is None:
        return "Nobody has lost."
    loser = episode.game.seat_names[loss.loser]
    if loss.move == 0:
        return f"{loser} had lost from the start."
    state = episode.states()[loss.move - 1]
    played = episode.game.action_to_text(episode.actions[loss.move - 1], state)
    move = f"move {loss.move}, {played}"
    if loss.mover != loss.loser:  # the win may be older, but was not proved before
        return f"{loser} had lost when {move} was played; the result before it is unknown."
    had = {"won": "the position before it was won", "drawn": "the position before it was drawn"}
    return f"{loser} lost by {move}: {had.get(loss.before, 'the result before it is unknown')}."


def remarks(episode: Episode, loss: Loss | None) -> dict[int, str]:
    """Return the remark about a game's losing move for its page.

    Args:
        episode: the game.
        loss: result of `LossJudge.loss`.

    Returns:
        At most one remark, for `Episode.to_html`.
    """
    if loss is None:
        return {}
    loser = episode.game.seat_names[loss.loser]
    if loss.move == 0:
        said = loss_line(episode, loss)
    elif loss.mover != loss.loser:
        said = f"{loser} had lost when this move was played; the result before it is unknown."
    else:
        said = {
            "won": "This move gave the win away.",
            "drawn": "This move lost a game that was a draw.",
            "not settled": "This move lost the game; the result before it is unknown.",
        }[loss.before]
    return {loss.move: said}
