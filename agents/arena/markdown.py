"""What came out of arenas as Markdown tables, for pages and READMEs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.arena.ratings import Rating
from agents.arena.tables import HEADINGS, rating_rows
from agents.intervals import wilson

__all__ = ["overview_markdown", "report_markdown"]

_RATED = [HEADINGS.index(name) for name in ("Elo", "games", "score")]


def report_markdown(report: Mapping[str, Any]) -> str:
    """The ratings, and the score of every pair; for a game for one each agent's share of wins.

    Args:
        report: the arena's JSON.

    Returns:
        Tables with a blank line between them, and a newline at the end.
    """
    if not report["pairs"]:
        rows = [
            (f"`{solo['agent']}`", str(solo["games"]), str(solo["wins"]), *_score(solo))
            for solo in report.get("solos", ())
        ]
        return _table(("agent", "games", "won", "share won", "95% interval"), rows)
    pairs = [
        (
            *(f"`{pair[side]}`" for side in "ab"),
            *(str(pair[key]) for key in ("wins", "draws", "losses")),
            *_score(pair),
        )
        for pair in report["pairs"]
    ]
    return "\n".join(
        [
            _table(("agent", "Elo", "95% interval", "games", "score"), _ratings(report)),
            _table(("a", "b", "won", "drawn", "lost", "score", "95% interval"), pairs),
        ]
    )


def overview_markdown(reports: Mapping[str, Mapping[str, Any]]) -> str:
    """One table of all agents of several arenas, the best of each first.

    Args:
        reports: the arenas' JSON, by what the first column is to say of it.
    """
    rows = []
    for title, report in reports.items():
        if report["pairs"]:
            body = [
                (agent, elo if interval == "fixed" else f"{elo} ({interval})", games, score)
                for agent, elo, interval, games, score in _ratings(report)
            ]
        else:
            body = []
            for solo in sorted(report.get("solos", ()), key=lambda s: -s["wins"] / s["games"]):
                score, interval = _score(solo)
                body.append((f"`{solo['agent']}`", "", str(solo["games"]), f"{score} ({interval})"))
        rows += [(title if k == 0 else "", *cells) for k, cells in enumerate(body)]
    return _table(("game", "agent", "Elo (95% interval)", "games", "score"), rows)


def _ratings(report: Mapping[str, Any]) -> Iterable[tuple[str, str, str, str, str]]:
    """Agent, Elo, interval, games and score, in the report's order."""
    ratings = [Rating(r["agent"], r["elo"], r["low"], r["high"], None) for r in report["ratings"]]
    for row in rating_rows(ratings, report["pairs"], fixed="fixed", nothing=""):
        elo, games, score = (row[k] for k in _RATED)
        yield f"`{row[0]}`", elo, row[2], games, score


def _score(result: Mapping[str, Any]) -> tuple[str, str]:
    """Score and interval of `a`, or of an agent alone, to whom a draw is no win."""
    points = result["wins"] + (result["draws"] / 2 if "a" in result else 0)
    low, high = wilson(points, result["games"])
    return f"{points / result['games']:.3f}", f"{low:.3f} to {high:.3f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str]) -> str:
        return f"|{'|'.join(f' {cell} ' if cell else ' ' for cell in cells)}|\n"

    return "".join([line(head), f"|{'---|' * len(head)}\n", *map(line, rows)])
