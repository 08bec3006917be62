"""How strong a learner is: matches against fixed opponents, for the curve and the card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.arena import Scores, play_match
from agents.making import make
from boardenvs.game import Game

__all__ = ["ALONE", "Yardstick", "score_texts"]

ALONE = "alone"
"""The name of the evaluation in a game for one."""

_SEED = 1  # the same games at every evaluation, so that the curve is smooth


class Yardstick:
    """Fixed opponents, each in all the other seats; none in a game for one."""

    def __init__(self, game: Game, specs: Sequence[str], seed: int) -> None:
        """Make the opponents.

        Args:
            game: what is played.
            specs: of the opponents.
            seed: of their own randomness.

        Raises:
            ValueError: one cannot be made for the game.
        """
        self.game = game
        others = game.num_players - 1
        self.rivals: dict[str, list[Any]] = {ALONE: []}
        """Who has the other seats, by the name that a score goes by."""
        if others:
            self.rivals = {spec: [make(spec, game, seed)] * others for spec in specs}

    def scores(self, agent: Any, games: int, seed: int) -> dict[str, Scores]:
        """Matches of an agent against each opponent, or of the agent alone."""
        return {
            spec: play_match(self.game, [agent, *others], games, seed)
            for spec, others in self.rivals.items()
        }

    def point(self, agent: Any, games: int, steps: int) -> dict[str, Any]:
        """A point of the learning curve.

        Returns:
            `steps`, and for each opponent `score`, the ends `low` and `high` of its 95%
            interval, and `games`.
        """
        point: dict[str, Any] = {"steps": steps}
        for spec, scores in self.scores(agent, games, _SEED).items():
            low, high = scores.interval(0)
            point[spec] = {"score": scores[0], "low": low, "high": high, "games": games}
        return point

    def mean(self, point: dict[str, Any]) -> float:
        """The mean score of a point."""
        return sum(point[spec]["score"] for spec in self.rivals) / len(self.rivals)

    def entries(self, agent: Any, games: int, seed: int) -> list[dict[str, Any]]:
        """What a card says of an agent's strength, an entry for each opponent."""
        return [
            _entry(spec, scores, seed) for spec, scores in self.scores(agent, games, seed).items()
        ]


def score_texts(point: dict[str, Any]) -> dict[str, str]:
    """The scores of a point, as a progress bar shows them."""
    return {
        spec if spec == ALONE else f"vs {spec}": f"{found['score']:.2f}"
        for spec, found in point.items()
        if spec != "steps"
    }


def _entry(spec: str, scores: Scores, seed: int) -> dict[str, Any]:
    low, high = scores.interval(0)
    return {
        "against": spec,
        "games": scores.games,
        "seed": seed,
        "wins": scores.wins[0],
        "draws": scores.draws[0],
        "losses": scores.losses[0],
        "score": round(scores[0], 4),
        "interval": [round(low, 4), round(high, 4)],
    }
