"""The page of an arena: ratings, scores and games to watch, in one HTML file."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Any

import boardenvs
from agents.analysis.intervals import wilson
from agents.analysis.losing_move import LossJudge, remarks
from agents.arena.lost_games import lost_lines
from agents.arena.ratings import Rating
from agents.arena.tables import (
    clock_lines,
    forfeit_lines,
    group_lines,
    ratings_table,
    time_lines,
)
from agents.report.formats import elo_text, interval_text, score_text
from agents.report.interval_chart import Bar, interval_chart
from agents.report.page import html_page
from agents.report.table import Table, html_table
from boardenvs.core.checks import counted
from boardenvs.episode import Episode

__all__ = ["arena_page_html"]

Episodes = Mapping[tuple[str, ...], Sequence[Episode]]
"""The shortest and the longest game of two agents, or of one agent in a game for one player."""


def arena_page_html(
    report: Mapping[str, Any],
    ratings: Sequence[Rating] = (),
    episodes: Episodes | None = None,
    judge: LossJudge | None = None,
) -> str:
    """Return a self-contained HTML page, with games to watch.

    Args:
        report: the arena's JSON; its `ratings` are ignored. For a game for one player, the page
            shows its `solos`.
        ratings: ratings of the agents, in order of display; empty for a game for one player.
        episodes: the shortest and the longest game, in this order, for each (a, b) or (agent,).
        judge: judge of the game, which marks the losing move in the games to watch.

    Raises:
        ValueError: the game of the report does not exist, or there are no ratings and no solos.
    """
    game = boardenvs.make(report["game"], **report["params"])
    replays: list[str] = []
    body = [
        *(f'<p class="warning">{html.escape(line)}.</p>' for line in forfeit_lines(report)),
        *(_rated(ratings, report["pairs"]) if ratings else _alone(report.get("solos", ()))),
        *(f"<p>{html.escape(line)}</p>" for line in _notes(report)),
        *_games(episodes or {}, replays, judge),
    ]
    return html_page(
        f"{type(game).__name__} arena",
        f"{game!r}, seed {report['seed']}",
        body,
        style=(resources.files(__package__) / "page.css").read_text("utf-8"),
        more=_viewer(replays),
    )


def _viewer(replays: Sequence[str]) -> str:
    """Return the dialog that shows the games; each game is a whole page."""
    # Only "<" can end a script element.
    data = json.dumps(replays).replace("<", "\\u003c")
    viewer = (resources.files(__package__) / "viewer.html").read_text("utf-8")
    return viewer.replace("{{replays}}", data)


def _notes(report: Mapping[str, Any]) -> list[str]:
    """Return sentences on the openings, the lost games, and the time of the agents."""
    openings = report.get("openings")
    return [
        *([f"Games begin with the openings “{openings}”, for both colours."] if openings else []),
        *(f"{line}." for line in lost_lines(report)),
        *clock_lines(report["by_the_clock"]),
        *time_lines(report),
    ]


def _rated(ratings: Sequence[Rating], pairs: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Yield the chart and the table of the ratings, and the table of every pair."""
    yield "<h2>Ratings</h2>"
    yield (
        "<p>Elo: 400 points are ten games won to one lost, ignoring draws. The bars are 95% "
        "intervals of the distance to the diamond, which is fixed. To compare two neighbours, use "
        "the table, not the overlap of their bars.</p>"
    )
    yield from (f'<p class="warning">{html.escape(line)}</p>' for line in group_lines(ratings))
    bars = [Bar(r.agent, r.elo, r.low, r.high) for r in ratings]
    yield interval_chart(bars, elo_text, "Ratings with their 95% intervals")
    yield ratings_table(ratings, pairs).html()
    yield "<h2>Everyone against everyone</h2>"
    yield (
        "<p>The score of the agent on the left against the agent above, with its 95% Wilson "
        "interval. Draws count half. Below it: games won/drawn/lost, and games forfeited by an "
        "illegal move, if any.</p>"
    )
    yield _cross_table([r.agent for r in ratings], pairs)


def _cross_table(agents: Sequence[str], pairs: Iterable[Mapping[str, Any]]) -> str:
    counts: dict[tuple[str, str], list[int]] = {}
    forfeits: dict[tuple[str, str], int] = {}
    for pair in pairs:
        a, b, results = pair["a"], pair["b"], [pair["wins"], pair["draws"], pair["losses"]]
        for key, lost in zip(((a, b), (b, a)), pair["forfeits"], strict=True):
            forfeits[key] = forfeits.get(key, 0) + lost
        for key, seen in {(a, b): results, (b, a): results[::-1]}.items():
            counts[key] = [m + n for m, n in zip(counts.get(key, (0, 0, 0)), seen, strict=True)]
    rows = []
    for a in agents:
        cells = [html.escape(a)]
        for b in agents:
            won, drawn, lost = counts.get((a, b), (0, 0, 0))
            games = won + drawn + lost
            if not games or a == b:
                cells.append("")
                continue
            score = (won + drawn / 2) / games
            cells.append(
                f'<div style="--share: {score:.1%}"><b>{score_text(score)}</b>'
                f"<span>{interval_text(*wilson(won + drawn / 2, games))}</span>"
                f"<span>{won}/{drawn}/{lost} of {games}</span>"
                + (f"<span>{forfeits[a, b]} forfeited</span>" if forfeits[a, b] else "")
                + "</div>"
            )
        rows.append(cells)
    return f'<div id="cross">{html_table(["", *map(html.escape, agents)], rows)}</div>'


def _alone(solos: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Yield the chart and the table of the games won in a game for one."""
    if not solos:
        raise ValueError("a page requires ratings, or a report with solos, got neither")
    bars = []
    rows = []
    for solo in solos:
        games, wins = solo["games"], solo["wins"]
        low, high = wilson(wins, games)
        share = wins / games if games else 0.0
        bars.append(Bar(solo["agent"], share, low, high))
        rows.append((solo["agent"], score_text(share), interval_text(low, high), f"{wins}/{games}"))
    yield "<h2>Games won</h2>"
    yield "<p>Each agent's share of games won, with its 95% Wilson interval.</p>"
    yield interval_chart(bars, score_text, "Shares of games won with their 95% intervals")
    yield Table(("agent", "share won", "95% interval", "won/games"), rows).html()


def _games(episodes: Episodes, replays: list[str], judge: LossJudge | None) -> Iterable[str]:
    """Yield a button for each game to watch, and add its page to `replays`."""
    if not episodes:
        return
    yield "<h2>Games to watch</h2>"
    yield "<noscript><p>Watching games on this page needs JavaScript.</p></noscript>"
    yield '<ul id="games">'
    for agents, games in episodes.items():
        name = " against ".join(agents)
        buttons = []
        for which, episode in zip(("shortest", "longest"), games, strict=True):
            title = f"{name}, {which} game"
            text = f"{which}: {counted(len(episode), 'ply', 'plies')}, {episode.result}"
            buttons.append(
                f'<button data-replay="{len(replays)}" title="{html.escape(title)}">'
                f"{html.escape(text)}</button>"
            )
            marked = remarks(episode, judge.loss(episode)) if judge else None
            replays.append(episode.to_html(marked))
        yield f'<li><span class="name">{html.escape(name)}</span><div>{"".join(buttons)}</div></li>'
    yield "</ul>"
