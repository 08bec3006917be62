"""The text that an arena prints: results, ratings, forfeits and times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.arena.ratings import Rating, groups_of
from agents.arena.results import PairResult, SoloResult
from agents.report.formats import elo_text, interval_text, score_text, time_text
from agents.report.table import Table
from boardenvs.core.checks import counted

__all__ = [
    "arena_text",
    "clock_lines",
    "forfeit_lines",
    "group_lines",
    "ratings_table",
    "results_table",
    "tally",
    "time_lines",
]


def arena_text(
    report: Mapping[str, Any],
    results: Sequence[PairResult | SoloResult],
    ratings: Sequence[Rating],
) -> str:
    """Return the text that an arena prints: its results, then the ratings or why they are missing.

    Args:
        report: the arena's JSON.
        results: results of all pairs, or of all agents in a game for one player.
        ratings: ratings of the agents, as `agents.arena.rated` returns them.
    """
    text = f"{results_table(results)}\n"
    text += "".join(f"{line}\n" for line in clock_lines(report["by_the_clock"]))
    if len(ratings) > 1:
        text += f"\n{ratings_table(ratings, report['pairs'])}\n"
        return text + "".join(f"\n{line}\n" for line in group_lines(ratings))
    if report["pairs"]:
        alone = results[0].agents[0]
        return f"{text}\nThere are no ratings: {alone} met only itself; name another agent.\n"
    return text


def results_table(results: Sequence[PairResult | SoloResult]) -> Table:
    """Return a table of results: the score of `a` with its interval. Draws count half.

    In a game for one player, the score is the agent's share of games won. With a sequential test, a
    column shows the decision. If games were forfeited, a column counts the games that `a` and `b`
    lost by illegal moves.

    Example:
        >>> import boardenvs
        >>> from agents.arena import results_table, solos
        >>> game = boardenvs.make("pizza_order")
        >>> print(results_table(list(solos(game, ["greedy"], num_games=10, seed=0))))
        agent   games  won  drawn  lost  score    95% interval
        ------------------------------------------------------
        greedy     10   10      0     0  1.000  0.722 to 1.000
    """
    solo = any(isinstance(r, SoloResult) for r in results)
    forfeited = any(any(r.scores.forfeits) for r in results)
    tested = any(isinstance(r, PairResult) and r.verdict is not None for r in results)
    rows = []
    for r in results:
        s = r.scores
        verdict = r.verdict if isinstance(r, PairResult) else None
        rows.append(
            (
                *r.agents,
                *(str(n) for n in (s.games, s.wins[0], s.draws[0], s.losses[0])),
                score_text(s[0]),
                interval_text(*r.interval()),
                " / ".join(map(str, s.forfeits)) if forfeited else "",
                ("yes" if verdict and verdict.decided else "no") if tested else "",
            )
        )
    names = ("agent",) if solo else ("a", "b")
    head = ("games", "won", "drawn", "lost", "score", "95% interval", "forfeits", "decided")
    return Table((*names, *head), rows, left=range(len(names)), code=range(len(names)))


def tally(pairs: Iterable[Mapping[str, Any]]) -> dict[str, tuple[int, float]]:
    """Return the number of games of each agent and its score in them. Draws count half.

    Args:
        pairs: pairs of the arena's JSON. An agent's games against itself are left out.
    """
    sums: dict[str, tuple[int, float]] = {}
    for pair in pairs:
        points = pair["wins"] + pair["draws"] / 2
        if pair["a"] != pair["b"]:
            for agent, won in ((pair["a"], points), (pair["b"], pair["games"] - points)):
                games, score = sums.get(agent, (0, 0.0))
                sums[agent] = games + pair["games"], score + won
    return {agent: (n, score / n) for agent, (n, score) in sums.items() if n}


def ratings_table(ratings: Sequence[Rating], pairs: Iterable[Mapping[str, Any]]) -> Table:
    """Return a table of ratings, in their order.

    Args:
        ratings: ratings, as `agents.arena.ratings.rate` returns them.
        pairs: pairs of the arena's JSON.
    """
    sums = tally(pairs)
    rows = []
    for r in ratings:
        games, score = sums.get(r.agent, (0, None))
        rows.append(
            (
                r.agent,
                elo_text(r.elo),
                "fixed" if r.low == r.high else interval_text(r.low, r.high, elo_text),
                "" if r.lead is None else elo_text(r.lead.elo),
                "" if r.lead is None else interval_text(r.lead.low, r.lead.high, elo_text),
                str(games),
                "" if score is None else score_text(score),
            )
        )
    head = ("agent", "Elo", "95% interval", "above the next", "95% interval", "games", "score")
    return Table(head, rows, code=(0,))


def group_lines(ratings: Sequence[Rating]) -> list[str]:
    """Return a line that names groups of agents that never met, if there are several.

    Example:
        >>> from agents.arena.ratings import rate
        >>> group_lines(rate([("ab", (1, -1)), ("ab", (-1, 1))], ["a", "b", "c"]))
        ['Compare ratings only within a group, since these never met: a, b; c.']
    """
    groups = groups_of(ratings)
    if len(groups) < 2:
        return []
    names = "; ".join(", ".join(group) for group in groups)
    return [f"Compare ratings only within a group, since these never met: {names}."]


def clock_lines(agents: Sequence[str]) -> list[str]:
    """Return a line that names the agents with a time limit, if any.

    Args:
        agents: `by_the_clock` of the arena's JSON.
    """
    if not agents:
        return []
    what = f"{' and '.join(agents)} {'think' if len(agents) > 1 else 'thinks'} by the clock"
    return [f"{what}: such games differ from run to run and from machine to machine."]


def time_lines(report: Mapping[str, Any]) -> list[str]:
    """Return a line with the mean time of each agent for a move, if it was measured.

    Args:
        report: the arena's JSON.
    """
    shown = [f"{k} {time_text(v)}" for k, v in report["seconds_per_move"].items()]
    return [f"Time per move: {', '.join(shown)}."] if shown else []


def forfeit_lines(report: Mapping[str, Any]) -> list[str]:
    """Return a line for each agent that lost games by illegal moves.

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
        for agent, lost in zip((pair["a"], pair["b"]), pair["forfeits"], strict=True):
            forfeits[agent] = forfeits.get(agent, 0) + lost
    for solo in report.get("solos", ()):
        games[solo["agent"]] = solo["games"]
        forfeits[solo["agent"]] = solo["forfeits"]
    return [
        f"{agent} lost {lost:,} of {counted(games[agent], 'game')} by illegal moves"
        for agent, lost in forfeits.items()
        if lost
    ]
