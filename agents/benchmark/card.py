"""`ScoreCard`: the results of a benchmark as JSON, as text and as a row of a table."""

from __future__ import annotations

import dataclasses
import math
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import boardenvs
from agents.analysis.intervals import Z, bootstrap_mean, interquartile_mean
from agents.benchmark.running import LADDERS, TIME_OVER, Outcome
from agents.report.formats import elo_text, interval_text, score_text, time_text
from agents.report.table import Table
from boardenvs.core.checks import counted

__all__ = ["ScoreCard", "answers_text", "too_few_text"]

_NOT_RATED = "not rated"
_WIDEST = 200.0
"""Width of an interval, in points, above which a task has too few games."""
_WIDEST_SCORE = 0.5
"""Such a width in a game for one player, as a score."""


@dataclass(frozen=True)
class ScoreCard:
    """The results of a benchmark."""

    suite: str
    policy: str
    seed: int
    outcomes: Sequence[Outcome]

    def to_dict(self) -> dict[str, Any]:
        """Return the card as JSON values, with everything needed to repeat the benchmark.

        Each task has these entries; they are `None` for a task without games, which is not `rated`:

        - `elo` with `low` and `high` (95%), and the parts `by_games` and `by_ladder` of its
          uncertainty; in a game for one player the share won and its distance from the best
          policy's share;
        - `score`: 0 for `random`, 1 for the strongest agent or the best policy;
        - the numbers of games and forfeits, the seconds per move, and the results against each
          reference agent;
        - `too_few_games`: `None`, or for a task whose time ended at an interval wider than 200
          points, or half the scale in a game for one player: the number of `more_games` and of
          `more_minutes` for that width, if it shrinks with the square root of the games. The
          minutes are `None` if all games came from a store;
        - `perfection`: the distance from perfect play (`agents.exploitability`) in Gekitai and 112,
          if the task had a minute; for a text player the regret of its moves in proved positions
          (`agents.analysis.regret`);
        - `answers`: for a text player, the numbers of `moves`, `answers`, `unreadable` and
          `illegal` answers, and of `tokens`, or `None`; else `None`;
        - `met`: the ladder's agents that the policy met in training, `None` if unknown;
        - `held_out`: whether the policy was rated only against the other agents.

        `overall` is the interquartile mean of the scores of all rated tasks.
        """
        tasks = [_task(outcome) for outcome in self.outcomes]
        return {
            "format": "boardenvs score card",
            "suite": self.suite,
            "policy": self.policy,
            "seed": self.seed,
            "boardenvs": boardenvs.__version__,
            "python": platform.python_version(),
            "machine": platform.machine(),
            "tasks": tasks,
            "overall": _overall(tasks, self.seed),
        }

    def __str__(self) -> str:
        data = self.to_dict()
        rows: list[tuple[str, ...]] = []
        for task in data["tasks"]:
            if not task["rated"]:
                rows.append((task["task"], _NOT_RATED, *[""] * 5))
                continue
            value, form = ("share", _share_text) if task["elo"] is None else ("elo", elo_text)
            pace = task["seconds_per_move"]
            rows.append(
                (
                    task["task"],
                    form(task[value]),
                    interval_text(task["low"], task["high"], form),
                    score_text(task["score"]),
                    interval_text(task["score_low"], task["score_high"]),
                    str(task["games"]),
                    "" if pace is None else time_text(pace),
                )
            )
        head = ("task", "rating", "95% interval", "score", "95% interval", "games", "per move")
        text = f"{Table(head, rows)}\n"
        overall = data["overall"]
        if overall["tasks"]:
            text += (
                f"\nInterquartile mean of the scores: {score_text(overall['score'])} "
                f"({interval_text(overall['low'], overall['high'])}); "
                "0 is random, 1 the strongest.\n"
            )
        if self.not_rated:
            text += f"\nNot rated, because the time was over: {', '.join(self.not_rated)}.\n"
        for task in data["tasks"]:
            if task["forfeits"]:
                text += (
                    f"{task['task']}: {counted(task['forfeits'], 'game')} lost by illegal moves.\n"
                )
            if task["too_few_games"]:
                text += f"{task['task']}: {too_few_text(task)}.\n"
            if task["beyond"]:
                text += f"{task['task']}: {task['beyond']}.\n"
            if task["perfection"]:
                found = task["perfection"]
                text += f"{task['task']}: {found['kind']} {score_text(found['value'])}"
                text += f" ({interval_text(found['low'], found['high'])}).\n"
            if task["answers"]:
                text += f"{task['task']}: {answers_text(task['answers'])}.\n"
            if task["met"]:
                against = "rated against others" if task["held_out"] else "rated against them, too"
                text += f"{task['task']}: met in training: {', '.join(task['met'])}; {against}.\n"
        return text

    @property
    def not_rated(self) -> list[str]:
        """Names of the tasks without games."""
        return [one.ladder.task.name for one in self.outcomes if not one.games]

    def row(self) -> str:
        """Return a row for a paper's table, in Markdown: the policy, each task, and the mean."""
        cells = [self.policy]
        data = self.to_dict()
        for task in data["tasks"]:
            if not task["rated"]:
                cells.append(_NOT_RATED)
            elif task["elo"] is None:
                cells.append(f"{task['share']:.3f} [{task['low']:.3f}, {task['high']:.3f}]")
            else:
                cells.append(f"{task['elo']:.0f} [{task['low']:.0f}, {task['high']:.0f}]")
        overall = data["overall"]
        cells.append(
            f"{overall['score']:.2f} [{overall['low']:.2f}, {overall['high']:.2f}]"
            if overall["tasks"]
            else _NOT_RATED
        )
        return f"| {' | '.join(cells)} |"


def answers_text(found: dict[str, Any]) -> str:
    """Return the text about the `answers` of a task of a card."""
    answers, moves = max(found["answers"], 1), max(found["moves"], 1)
    text = (
        f"{found['answers'] / moves:.2f} answers a move, {found['unreadable'] / answers:.1%} "
        f"unreadable, {found['illegal'] / answers:.1%} illegal"
    )
    tokens = found["tokens"]
    return text if tokens is None else f"{text}, {tokens / answers:,.0f} tokens an answer"


def too_few_text(task: dict[str, Any]) -> str:
    """Return the text about a task of a card with `too_few_games`."""
    minutes = task["too_few_games"]["more_minutes"]
    width = "half the scale" if task["elo"] is None else f"{_WIDEST:g} points"
    if minutes is None:
        return f"too few games for an interval of {width}"
    number = math.ceil(minutes)
    more = f"{number:,} more minute{'s' if number > 1 else ''}"
    return f"too few games: about {more} for an interval of {width}"


def _share_text(share: float) -> str:
    return f"{share:.4f}"


def _task(outcome: Outcome) -> dict[str, Any]:
    seconds = [
        scores.seconds[:, 0].sum() for scores in outcome.scores if scores.seconds is not None
    ]
    choices = [
        scores.choices[:, 0].sum() for scores in outcome.scores if scores.choices is not None
    ]
    data = {
        "task": outcome.ladder.task.name,
        "ladder": outcome.ladder.sha256,
        "version": outcome.version,
        "games": outcome.games,
        "forfeits": sum(scores.forfeits[0] for scores in outcome.scores),
        "seconds_per_move": float(sum(seconds) / sum(choices)) if sum(choices) else None,
        "ended": outcome.ended,
        "met": None if outcome.met is None else _on_ladder(outcome),
        "held_out": outcome.held_out,
        "perfection": _perfection(outcome),
        "answers": None if outcome.answers is None else dataclasses.asdict(outcome.answers),
        "rated": outcome.games > 0,
        "too_few_games": _too_few_games(outcome),
        "beyond": None,
        "elo": None,
    }
    if not outcome.games:
        return data | dict.fromkeys(("low", "high", "score", "score_low", "score_high"))
    return data | (_solo(outcome) if outcome.estimate is None else _rated(outcome))


def _on_ladder(outcome: Outcome) -> list[str]:
    """Return the ladder's agents that the policy met in training."""
    assert outcome.met is not None
    return [spec for spec in outcome.ladder.specs if spec in outcome.met]


def _too_few_games(outcome: Outcome) -> dict[str, Any] | None:
    """Return the games and minutes that a task needs for an interval of the stated width."""
    if not outcome.games or outcome.ended != TIME_OVER:
        return None
    if outcome.estimate is None:
        low, high = (outcome.ladder.score(value) for value in outcome.value()[1:])
        now, wanted = high - low, _WIDEST_SCORE
    else:
        now = 2 * float(outcome.estimate.by_games)
        ladder = 2 * float(outcome.estimate.by_ladder)
        # More games do not reduce the ladder's part.
        wanted = max(math.sqrt(max(_WIDEST**2 - ladder**2, 0)), LADDERS * ladder)
    if now <= wanted:
        return None
    games = math.ceil(outcome.games * ((now / wanted) ** 2 - 1))
    pace = outcome.seconds_per_game
    return {"more_games": games, "more_minutes": games * pace / 60 if pace else None}


def _perfection(outcome: Outcome) -> dict[str, Any] | None:
    """Return the distance from perfect play: the kind of measure, its value and its interval."""
    found = outcome.perfection
    if found is None or math.isnan(found.value):  # the policy had no win to keep
        return None
    low, high = found.interval
    return {"kind": found.kind, "value": found.value, "low": low, "high": high}


def _scored(outcome: Outcome) -> dict[str, Any]:
    """Return the score, from 0 to 1, and its interval."""
    scores = [outcome.ladder.score(value) for value in outcome.value()]
    return dict(zip(("score", "score_low", "score_high"), scores, strict=True))


def _rated(outcome: Outcome) -> dict[str, Any]:
    scale, estimate = outcome.ladder.scale, outcome.estimate
    assert scale is not None
    assert estimate is not None
    elo, low, high = outcome.value()
    against = []
    for agent, scores in zip(outcome.agents, outcome.scores, strict=True):
        ends = scores.interval(0)
        against.append(
            {
                "agent": agent,
                "games": scores.games,
                "wins": scores.wins[0],
                "draws": scores.draws[0],
                "losses": scores.losses[0],
                "score": scores[0],
                "low": ends[0],
                "high": ends[1],
            }
        )
    beyond = None
    if low > outcome.ladder.best:
        beyond = "above the ladder: its agents are too weak to measure by how much"
    elif high < float(scale.elo.min()):
        beyond = "below random"
    return {
        "elo": elo,
        "low": low,
        "high": high,
        "by_games": float(estimate.by_games),
        "by_ladder": float(estimate.by_ladder),
        "beyond": beyond,
        **_scored(outcome),
        "against": against,
    }


def _solo(outcome: Outcome) -> dict[str, Any]:
    share, low, high = outcome.value()
    best = outcome.ladder.best
    return {
        "share": share,
        "low": low,
        "high": high,
        "best": best,
        "distance": best - share,
        **_scored(outcome),
        "against": [],
    }


def _overall(tasks: Sequence[dict[str, Any]], seed: int) -> dict[str, Any]:
    rated = [task for task in tasks if task["rated"]]
    if not rated:
        return {"score": None, "low": None, "high": None, "tasks": 0}
    scores = np.array([task["score"] for task in rated])
    errors = np.array([(task["score_high"] - task["score_low"]) / 2 for task in rated])
    low, high = bootstrap_mean(scores, errors / Z, np.random.default_rng(seed))
    return {"score": interquartile_mean(scores), "low": low, "high": high, "tasks": len(rated)}
