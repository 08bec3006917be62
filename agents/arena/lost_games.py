"""The move by which each lost game of an arena was lost, as far as `exact` knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.analysis.losing_move import LossJudge
from boardenvs.core.checks import counted
from boardenvs.episode import Episode

__all__ = ["LostGame", "lost_game", "lost_lines"]


@dataclass(frozen=True)
class LostGame:
    """A lost game of a pair, and the move that lost it."""

    game: int
    """Its number in the match, from 0."""
    loser: str
    """Player that lost: "a" or "b"."""
    move: int
    """Number of the move, from 1, after which every position is proved lost; 0 for the start."""
    mover: str
    """Player of the move; the loser if the game was lost from the start."""
    played: str
    """The move as text; empty for the start."""
    before: str
    """Result that the loser could force before the move: an entry of `losing_move.BEFORE`."""


def lost_game(judge: LossJudge, episode: Episode, number: int, who: list[int]) -> LostGame | None:
    """Return where a game was lost; `None` if nobody lost it.

    Args:
        judge: judge of the game.
        episode: the finished game.
        number: number of the game in its match, from 0.
        who: index of the agent in each seat.
    """
    loss = judge.loss(episode)
    if loss is None:
        return None
    played = ""
    if loss.move:
        state = episode.states()[loss.move - 1]
        played = episode.game.action_to_text(episode.actions[loss.move - 1], state)
    loser, mover = ("ab"[who[seat]] for seat in (loss.loser, loss.mover))
    return LostGame(number, loser, loss.move, mover, played, loss.before)


def lost_lines(report: Mapping[str, Any]) -> list[str]:
    """Return a line for each agent that lost games, if the report has the losing moves.

    Args:
        report: the arena's JSON.
    """
    counts: dict[str, Counter[str]] = {}
    for pair in report["pairs"]:
        for lost in pair.get("lost", ()):
            counts.setdefault(pair[lost["loser"]], Counter())[lost["before"]] += 1
    return [
        f"{agent} lost {counted(count.total(), 'game')}: a win given away in "
        f"{count['won']:,}, a draw in {count['drawn']:,}; lost from the start "
        f"{count['lost']:,}; not settled {count['not settled']:,}"
        for agent, count in counts.items()
    ]
