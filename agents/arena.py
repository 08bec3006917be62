"""Matches: seats swapped, openings shared, seeds fixed, intervals with every score."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import boardenvs
from agents.agent import blamed
from agents.making import make
from boardenvs.chance import next_words, seed_word, stream_words
from boardenvs.game import Game, States, whole_number
from boardenvs.table import Opponent, ask

__all__ = [
    "PairResult",
    "Scores",
    "SoloResult",
    "play_match",
    "report",
    "results_table",
    "round_robin",
    "seats",
    "solos",
    "wilson",
]

_AGENT_STREAM = np.uint64(0x8BB84B93962EACC9)  # tells agents' streams from the games' own
_SIDE_BY_SIDE = 1024  # games played at once: bounds memory, changes no result
_OPENING_PLIES = 2  # when everyone is deterministic

Progress = Callable[[int], Any]


def wilson(successes: float, games: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's score interval for a proportion, 95% by default.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", JASA 22 (1927). A draw counts as half a success, for which the interval is
    a little too wide, never too narrow.

    Args:
        successes: from 0 to `games`, halves allowed.
        games: how many there were.
        z: standard normal quantile.

    Returns:
        Low and high, within [0, 1]; (0, 1) without games.
    """
    if games == 0:
        return 0.0, 1.0
    p = successes / games
    centre = p + z * z / (2 * games)
    spread = z * math.sqrt(p * (1 - p) / games + z * z / (4 * games * games))
    scale = 1 + z * z / games
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


@dataclass(frozen=True, eq=False)
class Scores(Sequence[float]):
    """What came out of a match: one number for each agent, and what it is made of.

    As a sequence it holds each agent's mean score: 1 for a win, 0 for a loss, and for a
    draw or a game cut short an equal share; with one player, the share of games won.
    """

    returns: npt.NDArray[np.float32]
    """Each game's result for each agent, shape (games, agents)."""
    plies: npt.NDArray[np.int32]
    """Each game's length, shape (games,)."""

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.returns)

    @property
    def wins(self) -> list[int]:
        """How many games each agent won."""
        return [int(n) for n in (self.returns > 0).sum(0)]

    @property
    def losses(self) -> list[int]:
        """How many games each agent lost."""
        return [int(n) for n in (self.returns < 0).sum(0)]

    @property
    def draws(self) -> list[int]:
        """How many games each agent neither won nor lost."""
        return [int(n) for n in (self.returns == 0).sum(0)]

    def _sum(self, agent: int) -> float:
        sides = self.returns.shape[1]
        return self.wins[agent] + (self.draws[agent] / sides if sides > 1 else 0)

    def __len__(self) -> int:
        return int(self.returns.shape[1])

    def __getitem__(self, agent: int) -> float:  # type: ignore[override]
        agent = range(len(self))[agent]
        return self._sum(agent) / self.games if self.games else math.nan

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Scores)
            and np.array_equal(self.returns, other.returns)
            and np.array_equal(self.plies, other.plies)
        )

    __hash__ = None  # type: ignore[assignment]

    def interval(self, agent: int) -> tuple[float, float]:
        """Wilson's 95% interval of an agent's mean score."""
        return wilson(self._sum(range(len(self))[agent]), self.games)

    def __str__(self) -> str:
        lines = []
        for agent, score in enumerate(self):
            low, high = self.interval(agent)
            lines.append(
                f"agent {agent}: {score:.3f} ({low:.3f} to {high:.3f}), {self.wins[agent]} won, "
                f"{self.draws[agent]} drawn, {self.losses[agent]} lost"
            )
        return "\n".join(lines)


def seats(game: Game) -> str:
    """How many agents a game takes, in words."""
    return f"{game.num_players} agent{'s' if game.num_players > 1 else ''}"


def play_match(
    game: Game | str,
    agents: Sequence[Opponent | str],
    num_games: int,
    seed: int | None = None,
    *,
    opening_plies: int | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Games between agents, one for each seat, in turn in every order of seats.

    With two seats, the two games that differ only in the seating share their opening and
    the game's own chance. With more, every game has its own: whole sets of seatings in one
    deal would make so few deals that no interval could be trusted.

    Args:
        game: what is played, or its name.
        agents: as many as the game has seats: objects with `act(states) -> actions`, or
            specs for `agents.make`.
        num_games: how many in all, at least 1.
        seed: of everything random that is not the agents' own; with agents of this
            package, of those too.
        opening_plies: how many random plies each opening has. By default 2 if all agents
            are deterministic (an agent that does not say is taken to be), else none.
        progress: called with the number of games just finished, now and then.

    Raises:
        ValueError: for arguments out of range, and for an agent that answers nonsense
            or fails, naming it.
    """
    game = boardenvs.make(game) if isinstance(game, str) else game
    if len(agents) != game.num_players:
        raise ValueError(f"{game.name} takes {seats(game)}, got {len(agents)}")
    players = [make(a, game, seed) if isinstance(a, str) else a for a in agents]
    # Each order of seats is followed by its rotations, so that no agent waits for a seat.
    n = len(agents)
    orders = [order for order in itertools.permutations(range(n)) if order[0] == 0]
    seatings = np.array([order[k:] + order[:k] for order in orders for k in range(n)])
    shared = 2 if n == 2 else 1
    states, who = _played(game, players, seatings, shared, num_games, seed, opening_plies, progress)
    returns = np.zeros((len(states), len(agents)), np.float32)
    np.put_along_axis(returns, who, states["returns"], 1)
    return Scores(returns, states["ply"].copy())


def _played(
    game: Game,
    players: Sequence[Opponent],
    seatings: npt.NDArray[np.int64],
    shared: int,
    num_games: int,
    seed: int | None,
    opening_plies: int | None,
    progress: Progress | None,
) -> tuple[States, npt.NDArray[np.int64]]:
    """Play games in the given seatings, in turn.

    Args:
        game: what is played.
        players: who plays.
        seatings: the players' numbers, shape (seatings, num_players).
        shared: so many games in a row share their opening and the game's own chance.
        num_games: how many games, G.
        seed: as for `play_match`, like the rest.
        opening_plies: see there.
        progress: see there.

    Returns:
        The final states, shape (G,), and who sat where, shape (G, num_players).
    """
    num_games = whole_number("num_games", num_games, 1)
    if opening_plies is None:
        varied = any(not getattr(a, "deterministic", True) for a in players) or game.has_chance
        opening_plies = 0 if varied else _usual_opening(game)
    opening_plies = whole_number("opening_plies", opening_plies, 0, game.max_plies - 1)
    base = seed_word(seed)
    groups = stream_words(base, -(-num_games // shared))
    words = stream_words(base ^ _AGENT_STREAM, num_games)
    who = seatings[np.arange(num_games) % len(seatings)]
    finished = []
    for low in range(0, num_games, _SIDE_BY_SIDE):
        number = np.arange(low, min(low + _SIDE_BY_SIDE, num_games))
        states = _opened(game, groups[number // shared], opening_plies)
        _play_out(game, players, states, who[number], words[number], progress)
        finished.append(states)
    return np.concatenate(finished), who


def _pair_scores(
    game: Game,
    a: Opponent,
    b: Opponent,
    num_games: int,
    seed: int | None,
    progress: Progress | None = None,
) -> Scores:
    """Games in which two agents share the seats between them.

    All ways to do so take turns, each followed by the one with the agents swapped, in the
    same opening and with the same chance; for two seats that is `play_match`. Where an
    agent has several seats, its result is their mean.
    """
    n = game.num_players
    halves = [half for half in itertools.product((0, 1), repeat=n) if half[0] == 0 and any(half)]
    both = [row for half in halves for row in (half, tuple(1 - k for k in half))]
    states, who = _played(game, [a, b], np.array(both), 2, num_games, seed, None, progress)
    means = np.stack(
        [np.where(who == k, states["returns"], 0).sum(1) / (who == k).sum(1) for k in (0, 1)], 1
    )
    # The better mean has won the game: with three seats or more one agent may hold both
    # the winner's and a loser's.
    return Scores(np.sign(means - means.mean(1, keepdims=True)).astype(np.float32), states["ply"])


def _usual_opening(game: Game) -> int:
    """`_OPENING_PLIES`, or what a very short game lasts, its last ply aside."""
    states = game.new(1, 0)
    game.kernels.play_out(
        states, game.constants, np.zeros(1, np.uint64), np.zeros(game.num_actions, np.bool_)
    )
    return max(0, min(_OPENING_PLIES, int(states["ply"][0]) - 1))


def _opened(game: Game, words: npt.NDArray[np.uint64], plies: int) -> States:
    """Start positions after some random plies, equal where the words are.

    An opening in which the game ends is drawn again.
    """
    states = game.new_from_words(words)
    streams = words ^ _AGENT_STREAM
    wanted = np.arange(len(states)) if plies else np.arange(0)
    for _ in range(1000):
        if not len(wanted):
            return states
        tried = game.new_from_words(words[wanted])
        drawn = streams[wanted]
        for _ in range(plies):
            live = ~(tried["terminated"] | tried["truncated"])
            bits = drawn[live]
            played = tried[live]
            game.play(played, ask("random", game, played, bits))
            tried[live] = played
            drawn[live] = bits
        next_words(drawn)
        streams[wanted] = drawn
        done = ~(tried["terminated"] | tried["truncated"])
        states[wanted[done]] = tried[done]
        wanted = wanted[~done]
    raise ValueError(f"{game.name} hardly ever lasts {plies} random plies: ask for fewer")


def _play_out(
    game: Game,
    agents: Sequence[Opponent],
    states: States,
    who: npt.NDArray[np.int64],
    words: npt.NDArray[np.uint64],
    progress: Progress | None,
) -> None:
    """Play all games to their ends, in place; `who[g, seat]` is the agent's number."""
    live = np.arange(len(states))
    while len(live):
        to_move = who[live, states["to_move"][live]]
        actions = np.empty(len(live), np.int64)
        for k in np.unique(to_move):
            mine = to_move == k
            where = live[mine]
            streams = words[where]
            name = getattr(agents[k], "spec", type(agents[k]).__name__)
            with blamed(f"agent {name}"):
                actions[mine] = ask(agents[k], game, states[where], streams)
            words[where] = streams
        played = states[live]
        game.play(played, actions)
        states[live] = played
        left = live[~(played["terminated"] | played["truncated"])]
        if progress is not None and len(left) < len(live):
            progress(len(live) - len(left))
        live = left


@dataclass(frozen=True)
class PairResult:
    """What came out between two agents."""

    a: str
    b: str
    scores: Scores

    def to_dict(self) -> dict[str, Any]:
        """As it stands in the arena's JSON; wins and losses as `a` sees them."""
        s = self.scores
        return {
            "a": self.a,
            "b": self.b,
            "games": s.games,
            "wins": s.wins[0],
            "draws": s.draws[0],
            "losses": s.losses[0],
        }


@dataclass(frozen=True)
class SoloResult:
    """What one agent came to on its own."""

    agent: str
    scores: Scores

    def to_dict(self) -> dict[str, Any]:
        """As it stands in the arena's JSON."""
        s = self.scores
        return {
            "agent": self.agent,
            "games": s.games,
            "wins": s.wins[0],
            "draws": s.draws[0],
            "losses": s.losses[0],
        }


def round_robin(
    game: Game,
    specs: Sequence[str],
    num_games: int,
    seed: int,
    *,
    progress: Callable[[str, int], Any] | None = None,
) -> Iterator[PairResult]:
    """A match between every two agents.

    In a game for more than two, the two share the seats in every way; see `solos` for
    games for one.

    Args:
        game: what is played, by two or more.
        specs: of the agents, at least two, as `agents.make` takes them.
        num_games: for each pair.
        seed: of everything random.
        progress: called with a pair's name and the number of games just finished.

    Yields:
        Each pair's result, when it is there.

    Raises:
        ValueError: for too few agents, a game for one, and as `play_match`.
    """
    if game.num_players < 2:
        raise ValueError(f"{game.name} is for one player: there are no pairs")
    if len(specs) < 2:
        raise ValueError(f"an arena needs at least 2 agents, got {len(specs)}")
    made = [make(spec, game, seed) for spec in specs]
    for i, j in itertools.combinations(range(len(specs)), 2):
        name = f"{specs[i]} - {specs[j]}"
        shown = None if progress is None else functools.partial(progress, name)
        scores = _pair_scores(game, made[i], made[j], num_games, seed, shown)
        yield PairResult(specs[i], specs[j], scores)


def solos(
    game: Game,
    specs: Sequence[str],
    num_games: int,
    seed: int,
    *,
    progress: Callable[[str, int], Any] | None = None,
) -> Iterator[SoloResult]:
    """Each agent on its own in a game for one, all in the same deals.

    Args:
        game: what is played, by one.
        specs: of the agents, as `agents.make` takes them.
        num_games: for each agent.
        seed: of everything random.
        progress: called with an agent's spec and the number of games just finished.

    Yields:
        Each agent's result, when it is there.

    Raises:
        ValueError: for a game of more than one player, and as `play_match`.
    """
    if game.num_players != 1:
        raise ValueError(f"{game.name} has {game.num_players} players: they play in pairs")
    for spec in specs:
        shown = None if progress is None else functools.partial(progress, spec)
        yield SoloResult(spec, play_match(game, [spec], num_games, seed, progress=shown))


def report(game: Game, seed: int, results: Sequence[PairResult | SoloResult]) -> dict[str, Any]:
    """The results as JSON values: `pairs`, or `solos` for a game for one."""
    return {
        "game": game.name,
        "params": game.params,
        "seed": seed,
        "pairs": [r.to_dict() for r in results if isinstance(r, PairResult)],
        **({"solos": [r.to_dict() for r in results]} if game.num_players == 1 else {}),
    }


def results_table(results: Sequence[PairResult | SoloResult]) -> str:
    """The results as a table: the score is a's, draws counting half, with its interval.

    For a game for one it is the agent's share of games won.
    """
    solo = any(isinstance(r, SoloResult) for r in results)
    names = ("agent",) if solo else ("a", "b")
    rows: list[tuple[str, ...]] = [
        (*names, "games", "won", "drawn", "lost", "score", "95% interval")
    ]
    for r in results:
        low, high = r.scores.interval(0)
        s = r.scores
        rows.append(
            (
                *((r.agent,) if isinstance(r, SoloResult) else (r.a, r.b)),
                *(str(n) for n in (s.games, s.wins[0], s.draws[0], s.losses[0])),
                f"{s[0]:.3f}",
                f"{low:.3f} to {high:.3f}",
            )
        )
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if k < len(names) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join(lines) + "\n"
