"""Matches of a learner against fixed opponents, the learning curve, and entries of the card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.arena import Scores, play_match, wilson
from agents.naming.spec import make
from agents.networks.sizes import Games, size_parameter
from agents.report.line_chart import Line, Panel, draw_lines
from boardenvs.game import Game

__all__ = [
    "ALONE",
    "Evaluation",
    "SizesEvaluation",
    "draw_curve",
    "entry_name",
    "evaluation_of",
    "score_texts",
]

ALONE = "alone"
"""Name of the evaluation in a game for one player."""

_SEED = 1  # the same games in each evaluation, so that the curve is smooth


class Evaluation:
    """Matches against fixed opponents, each in all other seats; solo games for one player."""

    def __init__(self, game: Game, specs: Sequence[str], seed: int) -> None:
        """Make the opponents.

        Args:
            game: the game to play.
            specs: specs of the opponents.
            seed: seed of the opponents' own randomness.

        Raises:
            ValueError: an opponent cannot be made for the game.
        """
        self.game = game
        others = game.num_players - 1
        self.rivals: dict[str, list[Any]] = {ALONE: []}
        """Agents of the other seats, by the name of the score."""
        if others:
            self.rivals = {spec: [make(spec, game, seed)] * others for spec in specs}

    def scores(self, agent: Any, games: int, seed: int) -> dict[str, Scores]:
        """Play a match of an agent against each opponent, or alone in a game for one player."""
        return {
            spec: play_match(self.game, [agent, *others], games, seed)
            for spec, others in self.rivals.items()
        }

    def point(self, agent: Any, games: int, steps: int) -> dict[str, Any]:
        """Measure an agent for a point of the learning curve.

        Returns:
            `steps`, and for each opponent a dictionary with `score`, the ends `low` and `high` of
            its 95% interval, and the number of `games`.
        """
        point: dict[str, Any] = {"steps": steps}
        for spec, scores in self.scores(agent, games, _SEED).items():
            low, high = scores.interval(0)
            point[spec] = {"score": scores[0], "low": low, "high": high, "games": games}
        return point

    def mean(self, point: dict[str, Any]) -> float:
        """Return the mean score of a point."""
        return sum(point[spec]["score"] for spec in self.rivals) / len(self.rivals)

    def overlap(self, point: dict[str, Any], better: dict[str, Any]) -> bool:
        """Return whether the intervals of a point overlap those of a better point on average."""
        return sum(point[spec]["high"] - better[spec]["low"] for spec in self.rivals) >= 0

    def entries(self, agent: Any, games: int, seed: int) -> list[dict[str, Any]]:
        """Play the matches for a card, and return an entry for each opponent."""
        return [
            _entry(spec, scores, seed) for spec, scores in self.scores(agent, games, seed).items()
        ]


class SizesEvaluation(Evaluation):
    """An evaluation on boards of several sizes, with an agent for each size."""

    def __init__(self, games: Games, specs: Sequence[str], seed: int) -> None:
        """Make the opponents on at least two sizes; see `Evaluation`."""
        super().__init__(games[0], specs, seed)
        self.parameter = size_parameter(games)
        self._parts = {game.params[self.parameter]: Evaluation(game, specs, seed) for game in games}

    def point(self, agent: Any, games: int, steps: int) -> dict[str, Any]:
        """Measure agents for a point of the learning curve.

        Args:
            agent: a sequence of agents, one for each size.
            games: number of games of each match.
            steps: number of steps so far.

        Returns:
            The scores of all sizes together, as for one size, and in `sizes` the scores on each
            size, by the size as a string.
        """
        point: dict[str, Any] = {"steps": steps}
        sizes = {
            str(value): part.point(one, games, steps)
            for (value, part), one in zip(self._parts.items(), agent, strict=True)
        }
        for spec in self.rivals:
            scores = [found[spec]["score"] for found in sizes.values()]
            low, high = wilson(sum(scores) * games, games * len(scores))
            score = sum(scores) / len(scores)
            point[spec] = {"score": score, "low": low, "high": high, "games": games * len(scores)}
        for found in sizes.values():
            del found["steps"]
        return {**point, "sizes": sizes}

    def entries(self, agent: Any, games: int, seed: int) -> list[dict[str, Any]]:
        """Return an entry for each opponent and size; the size is among its `params`."""
        return [
            {"params": {self.parameter: value}, **entry}
            for (value, part), one in zip(self._parts.items(), agent, strict=True)
            for entry in part.entries(one, games, seed)
        ]


def evaluation_of(games: Games, specs: Sequence[str], seed: int) -> Evaluation:
    """Return the evaluation of a game on one size or several; see `Evaluation`."""
    if len(games) > 1:
        return SizesEvaluation(games, specs, seed)
    return Evaluation(games[0], specs, seed)


def entry_name(entry: dict[str, Any]) -> str:
    """Return the title of a card's entry, such as `against greedy, board_size=7`."""
    rival = entry["against"]
    size = "".join(f", {key}={value}" for key, value in entry.get("params", {}).items())
    return f"{rival if rival == ALONE else f'against {rival}'}{size}"


def score_texts(point: dict[str, Any]) -> dict[str, str]:
    """Return the scores of a point as strings, for a progress bar."""
    return {
        spec if spec == ALONE else f"vs {spec}": f"{found['score']:.2f}"
        for spec, found in point.items()
        if spec not in ("steps", "sizes")
    }


def draw_curve(
    title: str, history: Sequence[dict[str, Any]], opponents: Sequence[str], best: int
) -> bytes:
    """Draw the score against fixed opponents over training, with its 95% interval, as PNG.

    For several board sizes, a thin line shows the score on each size.

    Args:
        title: title of the picture.
        history: evaluations, as `Evaluation.point` returns them.
        opponents: names of the opponents to draw.
        best: steps of the checkpoint that becomes the agent.

    Returns:
        The PNG file.
    """
    steps = [point["steps"] for point in history]
    sizes = history[0].get("sizes", {}) if history else {}
    lines = [
        Line(
            opponent if opponent == "alone" else f"vs {opponent}",
            steps,
            [point[opponent]["score"] for point in history],
            (
                [point[opponent]["low"] for point in history],
                [point[opponent]["high"] for point in history],
            ),
            [
                (steps, [point["sizes"][size][opponent]["score"] for point in history])
                for size in sizes
            ],
        )
        for opponent in opponents
    ]
    return draw_lines(
        [Panel("decisions of the learner", lines, marks={"kept": best})],
        title,
        "score, draws counting half",
        y_limits=(-0.02, 1.02),
        levels=[0.5],
        note=f"95% Wilson interval shaded{'; thin: each size' if sizes else ''}",
    )


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
