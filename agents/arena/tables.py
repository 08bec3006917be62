"""What an arena prints: every match's result, where the agents stand, and who forfeited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.arena.ratings import Lead, Rating
from agents.arena.results import PairResult, SoloResult
from agents.specs import by_the_clock
from agents.text_table import text_table
from boardenvs.game import Game

__all__ = [
    "HEADINGS",
    "arena_text",
    "clock_lines",
    "elo_text",
    "forfeit_lines",
    "interval_text",
    "rating_rows",
    "ratings_table",
    "results_table",
    "tally",
    "time_lines",
]

HEADINGS = ("agent", "Elo", "95% interval", "above the next", "95% interval", "games", "score")
"""Of a table of ratings."""


def arena_text(
    game: Game, results: Sequence[PairResult | SoloResult], ratings: Sequence[Rating]
) -> str:
    """All that an arena prints: its results, then the ratings, or why there are none.

    Args:
        game: what was played.
        results: of all pairs, or in a game for one of all agents.
        ratings: that follow from them, as `agents.arena.rated` gives them.
    """
    text = results_table(results)
    specs = dict.fromkeys(agent for result in results for agent in result.agents)
    clocked = [spec for spec in specs if by_the_clock(spec, game)]
    text += "".join(f"{line}\n" for line in clock_lines(clocked))
    if len(ratings) > 1:
        pairs = [r.to_dict() for r in results if isinstance(r, PairResult)]
        return f"{text}\n{ratings_table(ratings, pairs)}"
    if game.num_players > 1:
        alone = results[0].agents[0]
        return f"{text}\nThere are no ratings: {alone} met only itself; name another, too.\n"
    return text


def results_table(results: Sequence[PairResult | SoloResult]) -> str:
    """The results as a table: the score is a's, draws counting half, with its interval.

    For a game for one it is the agent's share of games won. Where pairs played until it
    was decided, a column tells whether it is; where games were forfeited, how many of its own
    a lost so, and b.

    Example:
        >>> import boardenvs
        >>> from agents.arena import results_table, solos
        >>> game = boardenvs.make("pizza_order")
        >>> print(results_table(list(solos(game, ["greedy"], num_games=10, seed=0))), end="")
        agent   games  won  drawn  lost  score    95% interval
        ------------------------------------------------------
        greedy     10   10      0     0  1.000  0.722 to 1.000
    """
    solo = any(isinstance(r, SoloResult) for r in results)
    tested = any(isinstance(r, PairResult) and r.verdict is not None for r in results)
    names = ("agent",) if solo else ("a", "b")
    head = (*names, "games", "won", "drawn", "lost", "score", "95% interval")
    forfeited = any(any(r.scores.forfeits) for r in results)
    rows: list[tuple[str, ...]] = [(*head, *["forfeits"] * forfeited, *["decided"] * tested)]
    for r in results:
        low, high = r.interval()
        s = r.scores
        row = (
            *((r.agent,) if isinstance(r, SoloResult) else (r.a, r.b)),
            *(str(n) for n in (s.games, s.wins[0], s.draws[0], s.losses[0])),
            f"{s[0]:.3f}",
            f"{low:.3f} to {high:.3f}",
        )
        if forfeited:
            row += (" / ".join(map(str, s.forfeits)),)
        if tested:
            verdict = r.verdict if isinstance(r, PairResult) else None
            row += ("yes" if verdict and verdict.decided else "no",)
        rows.append(row)
    return text_table(rows, right=range(len(names), len(rows[0])))


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


def clock_lines(agents: Sequence[str]) -> list[str]:
    """A line that tells which agents think by the clock, if any.

    Args:
        agents: as `by_the_clock` of the arena's JSON has them.
    """
    if not agents:
        return []
    what = f"{' and '.join(agents)} {'think' if len(agents) > 1 else 'thinks'} by the clock"
    return [f"{what}: such games differ from run to run and from machine to machine."]


def time_lines(report: Mapping[str, Any]) -> list[str]:
    """A line that tells what each agent took for a move, on average; none if nobody looked.

    Args:
        report: the arena's JSON.
    """
    shown = [f"{k} {time_text(v)}" for k, v in report.get("seconds_per_move", {}).items()]
    return [f"Time per move: {', '.join(shown)}."] if shown else []


def time_text(seconds: float) -> str:
    """A time in the unit in which it is easily read."""
    for size, unit in ((1, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def forfeit_lines(report: Mapping[str, Any]) -> list[str]:
    """A line for each agent that lost games by illegal moves.

    Args:
        report: the arena's JSON.

    Example:
        >>> from agents.arena import forfeit_lines
        >>> pair = {"a": "greedy", "b": "mine:make", "games": 10, "forfeits": [0, 3]}
        >>> forfeit_lines({"pairs": [pair]})
        ['mine:make lost 3 of 10 games by illegal moves']
    """
    games: dict[str, int] = {}
    forfeits: dict[str, int] = {}
    for pair in report["pairs"]:
        for agent in {pair["a"], pair["b"]}:
            games[agent] = games.get(agent, 0) + pair["games"]
        # Of results from before forfeits were counted nobody knows.
        for agent, lost in zip((pair["a"], pair["b"]), pair.get("forfeits", (0, 0)), strict=True):
            forfeits[agent] = forfeits.get(agent, 0) + lost
    for solo in report.get("solos", ()):
        games[solo["agent"]] = solo["games"]
        forfeits[solo["agent"]] = solo.get("forfeits", 0)
    return [
        f"{agent} lost {lost:,} of {games[agent]:,} games by illegal moves"
        for agent, lost in forfeits.items()
        if lost
    ]
