"""The page of a score card: a policy's place on every ladder, in one HTML file."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from agents.analysis.intervals import Z
from agents.benchmark.card import ScoreCard, answers_text, too_few_text
from agents.benchmark.running import Outcome
from agents.report.formats import elo_text, score_text, time_text
from agents.report.interval_chart import Bar, interval_chart
from agents.report.page import html_page
from agents.report.table import Table
from boardenvs.core.checks import counted

__all__ = ["card_page_html"]


def card_page_html(card: ScoreCard, command: str | None = None) -> str:
    """Return a self-contained HTML page.

    Args:
        card: the score card.
        command: the command that makes the page again.
    """
    data = card.to_dict()
    overall = data["overall"]
    bars = [
        Bar(task["task"], task["score"], task["score_low"], task["score_high"])
        for task in data["tasks"]
        if task["rated"]
    ]
    if bars:
        mean = Bar("interquartile mean", overall["score"], overall["low"], overall["high"])
        bars.insert(0, mean)
    body = [
        "<h2>All tasks</h2>",
        "<p>The score is 0 for <code>random</code> and 1 for the strongest known agent, or the "
        "best policy where it is known. The bars are 95% intervals.</p>",
    ]
    if bars:
        title = "Scores with their 95% intervals"
        body.append(interval_chart(bars, lambda x: f"{x:.2f}", title))
    if card.not_rated:
        body.append(f"<p>Not rated, because the time was over: {', '.join(card.not_rated)}.</p>")
    for outcome, task in zip(card.outcomes, data["tasks"], strict=True):
        body.append(f"<h2>{html.escape(task['task'])}</h2>")
        pace = task["seconds_per_move"]
        words = [
            f"{counted(task['games'], 'game')}",
            f"{task['forfeits']} forfeited",
            f"{task['ended']}",
        ]
        words += [] if pace is None else [f"{time_text(pace)} a move"]
        words += [answers_text(task["answers"])] if task["answers"] else []
        words += [too_few_text(task)] if task["too_few_games"] else []
        body.append(f"<p>{html.escape('; '.join(words))}.</p>")
        body += _ladder(card.policy, outcome)
    if command is not None:
        body.append(f"<h2>Command</h2><p><code>{html.escape(command)}</code></p>")
    return html_page(
        f"{card.policy}: benchmark {card.suite}",
        f"boardenvs {data['boardenvs']}, seed {card.seed}",
        body,
    )


def _ladder(policy: str, outcome: Outcome) -> Iterable[str]:
    scale = outcome.ladder.scale
    mine = [Bar(f"▶ {policy}", *outcome.value())] if outcome.games else []
    if scale is None:
        shares = zip(outcome.ladder.specs, outcome.ladder.shares, strict=True)
        bars = [Bar(spec, share, share, share) for spec, share in shares]
        yield interval_chart(_sorted([*mine, *bars]), score_text, "Shares of games won")
        return
    errors = Z * scale.covariance.diagonal() ** 0.5
    bars = [
        Bar(spec, elo, elo - error, elo + error)
        for spec, elo, error in zip(
            outcome.ladder.specs, scale.elo.tolist(), errors.tolist(), strict=True
        )
    ]
    yield interval_chart(_sorted([*mine, *bars]), elo_text, "The ladder and the policy")
    rows = [
        (
            agent,
            str(scores.games),
            f"{scores.wins[0]}/{scores.draws[0]}/{scores.losses[0]}",
            score_text(scores[0]),
        )
        for agent, scores in zip(outcome.agents, outcome.scores, strict=True)
    ]
    yield Table(("against", "games", "won/drawn/lost", "score"), rows).html()


def _sorted(bars: Sequence[Bar]) -> list[Bar]:
    return sorted(bars, key=lambda bar: -bar.value)
