"""Where the agents of an arena stand: ratings beside the games they are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.arena.ratings import Lead, Rating
from agents.text_table import text_table

__all__ = ["HEADINGS", "elo_text", "interval_text", "rating_rows", "ratings_table", "tally"]

HEADINGS = ("agent", "Elo", "95% interval", "above the next", "95% interval", "games", "score")
"""Of a table of ratings."""


def tally(pairs: Iterable[Mapping[str, Any]]) -> dict[str, tuple[int, float]]:
    """Each agent's number of games and its score in them, draws counting half.

    Args:
        pairs: as in the arena's JSON; an agent's games with itself say nothing of it and
            are left out.
    """
    sums: dict[str, tuple[int, float]] = {}
    for pair in pairs:
        points = pair["wins"] + pair["draws"] / 2
        if pair["a"] != pair["b"]:
            for agent, won in ((pair["a"], points), (pair["b"], pair["games"] - points)):
                games, score = sums.get(agent, (0, 0.0))
                sums[agent] = games + pair["games"], score + won
    return {agent: (n, score / n) for agent, (n, score) in sums.items() if n}


def elo_text(elo: float) -> str:
    """Elo to the point, with its sign."""
    return f"{round(elo):+d}" if round(elo) else "0"


def interval_text(interval: Rating | Lead) -> str:
    """The ends of an interval in Elo."""
    return f"{elo_text(interval.low)} to {elo_text(interval.high)}"


def rating_rows(
    ratings: Sequence[Rating], pairs: Iterable[Mapping[str, Any]], *, fixed: str, nothing: str
) -> list[tuple[str, ...]]:
    """A row of cells for each rating, in their order, under `HEADINGS`.

    Args:
        ratings: as `agents.arena.ratings.rate` gives them.
        pairs: the results they are made of, as in the arena's JSON.
        fixed: stands for the interval of the anchor.
        nothing: stands where there is nothing to say.
    """
    sums = tally(pairs)
    rows: list[tuple[str, ...]] = []
    for r in ratings:
        games, score = sums.get(r.agent, (0, None))
        rows.append(
            (
                r.agent,
                elo_text(r.elo),
                fixed if r.low == r.high else interval_text(r),
                nothing if r.lead is None else elo_text(r.lead.elo),
                nothing if r.lead is None else interval_text(r.lead),
                str(games),
                nothing if score is None else f"{score:.3f}",
            )
        )
    return rows


def ratings_table(ratings: Sequence[Rating], pairs: Iterable[Mapping[str, Any]]) -> str:
    """The ratings as a table, in their order.

    Args:
        ratings: as `agents.arena.ratings.rate` gives them.
        pairs: the results they are made of, as in the arena's JSON.
    """
    rows = [HEADINGS, *rating_rows(ratings, pairs, fixed="-", nothing="-")]
    return text_table(rows, right=range(1, len(HEADINGS)))
