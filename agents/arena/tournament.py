"""Every two agents, or each alone: schedule, engine and store put together."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from agents.analysis.losing_move import LossJudge
from agents.arena.lost_games import LostGame, lost_game
from agents.arena.match import Games, Match
from agents.arena.results import PairResult, SoloResult, Verdict
from agents.arena.schedule import Entry, Schedule
from agents.arena.sequential import confidence_sequence
from agents.arena.storage.replay import episode_of
from agents.arena.versions import agent_version
from agents.arena.workers import local
from agents.arena.workers.batch import Players
from boardenvs.core.checks import callable_or_none, is_list, one_of, shown, text_value, whole_number
from boardenvs.envs.interface import resolve_game
from boardenvs.episode import Episode
from boardenvs.game import Game

if TYPE_CHECKING:  # it brings SQLite, for which nobody waits who keeps no games
    from agents.arena.storage.store import Lineup, Store

__all__ = ["Engine", "Until", "round_robin", "solos"]

Engine = Callable[[Schedule], Generator[tuple[int, Games]]]
"""What has the games of a schedule played, wherever that is."""
Until = Literal["decided"]


def round_robin(
    game: Game,
    specs: Sequence[str],
    num_games: int,
    seed: int,
    *,
    opening_plies: int | None = None,
    openings: str | None = None,
    until: Until | None = None,
    judge: LossJudge | None = None,
    store: str | Path | None = None,
    engine: Engine = local.play_here,
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
        opening_plies: as for `play_match`.
        openings: the name of openings that the game has, as for `play_match`.
        until: "decided" ends a match when a sequential test has decided it, after
            `num_games` at the latest; see `agents.arena.sequential`.
        judge: of the game; it tells of each lost game by which move it was lost. That may take
            longer than the game.
        store: the file that keeps finished games, and has those of an earlier run; see
            `agents.arena.storage.store`.
        engine: what plays; by default this process.
        progress: called with a pair's name and the number of games that are finished, or
            need not be played any more.

    Yields:
        Each pair's result, when it and those before it are there.

    Raises:
        ValueError: for too few agents, a game for one, a store of something else, and as
            `play_match`.

    Example:
        >>> import boardenvs
        >>> from agents.arena import round_robin
        >>> game = boardenvs.make("game112")
        >>> pairs = list(round_robin(game, ["greedy", "random", "exact"], num_games=10, seed=0))
        >>> [(pair.a, pair.b) for pair in pairs]
        [('greedy', 'random'), ('greedy', 'exact'), ('random', 'exact')]
    """
    game = resolve_game(game)
    _check(specs, engine, progress)
    if openings is not None:
        text_value("openings", openings)
    if judge is not None and not callable(getattr(judge, "loss", None)):
        raise ValueError(f"judge must tell where a game was lost or be None, got {shown(judge)}")
    if game.num_players < 2:
        raise ValueError(f"{game.name} is for one player: there are no pairs")
    if len(specs) < 2:
        raise ValueError(f"an arena needs at least 2 agents, got {len(specs)}")
    if until is not None:
        one_of("until", until, ["decided"])
    lineups = list(itertools.combinations(specs, 2))
    schedule = _schedule(
        game, lineups, num_games, seed, opening_plies, openings, tested=bool(until)
    )
    for entry, extremes, lost in _played(schedule, store, engine, progress, judge):
        a, b = entry.specs
        seated = entry.seated() if game.num_players > 2 else []
        yield PairResult(a, b, entry.scores(), _verdict(entry), seated, extremes, lost)


def solos(
    game: Game,
    specs: Sequence[str],
    num_games: int,
    seed: int,
    *,
    opening_plies: int | None = None,
    store: str | Path | None = None,
    engine: Engine = local.play_here,
    progress: Callable[[str, int], Any] | None = None,
) -> Iterator[SoloResult]:
    """Each agent on its own in a game for one, all in the same deals.

    Args:
        game: what is played, by one.
        specs: of the agents, as `agents.make` takes them.
        num_games: for each agent.
        seed: of everything random.
        opening_plies: as for `play_match`.
        store: as for `round_robin`.
        engine: as for `round_robin`.
        progress: called with an agent's spec and the number of games just finished.

    Yields:
        Each agent's result, when it and those before it are there.

    Raises:
        ValueError: for a game of more than one player, a store of something else, and as
            `play_match`.

    Example:
        >>> import boardenvs
        >>> from agents.arena import solos
        >>> game = boardenvs.make("pizza_order")
        >>> [solo.agent for solo in solos(game, ["random", "greedy"], num_games=10, seed=0)]
        ['random', 'greedy']
    """
    game = resolve_game(game)
    _check(specs, engine, progress)
    if game.num_players != 1:
        raise ValueError(f"{game.name} has {game.num_players} players: they play in pairs")
    lineups = [(spec,) for spec in specs]
    schedule = _schedule(game, lineups, num_games, seed, opening_plies, tested=False)
    for entry, extremes, _ in _played(schedule, store, engine, progress):
        yield SoloResult(entry.specs[0], entry.scores(), extremes)


def _check(specs: Any, engine: Any, progress: Any) -> None:
    """Raise `ValueError` unless these are what a tournament takes."""
    if not is_list(specs) or not all(isinstance(spec, str) for spec in specs):
        raise ValueError(f"specs must be a list of agents' specs, got {shown(specs)}")
    callable_or_none("progress", progress)
    if not callable(engine):
        raise ValueError(f"engine must be a function that plays, got {shown(engine)}")


def _schedule(
    game: Game,
    lineups: Sequence[tuple[str, ...]],
    num_games: int,
    seed: int,
    opening_plies: int | None,
    openings: str | None = None,
    *,
    tested: bool,
) -> Schedule:
    """What is to be played; all agents are made, and so checked."""
    num_games = whole_number("num_games", num_games, 1)
    players = Players(game, seed)
    entries = []
    for specs in lineups:
        agents = [players.get(spec, place) for place, spec in enumerate(specs)]
        match = Match(game, agents, seed, opening_plies, openings)
        match.check_players()
        entries.append(Entry(specs, match, num_games, tested))
    return Schedule(game, seed, entries)


def _played(
    schedule: Schedule,
    path: str | Path | None,
    engine: Engine,
    progress: Callable[[str, int], Any] | None,
    judge: LossJudge | None = None,
) -> Iterator[tuple[Entry, list[Episode], list[LostGame] | None]]:
    """Have everything played.

    Yields:
        The matches, in order, as they are finished, each with its shortest and longest game, and
        where its games were lost if there is a judge.
    """
    entries = schedule.entries
    judged: list[dict[int, LostGame | None]] = [{} for _ in entries]

    def add(place: int, games: Games) -> None:
        entry = entries[place]
        before = entry.closed
        entry.add(games)
        for k, number in enumerate(games.numbers.tolist()):
            if judge and number < entry.num_games and number not in judged[place]:
                episode = _episode(entry, games.rows([k]), store)
                who = games.who[k].tolist()
                judged[place][number] = lost_game(judge, episode, number, who)
        if progress is not None and entry.closed > before:
            progress(entry.name, entry.closed - before)

    def finished(place: int) -> tuple[Entry, list[Episode], list[LostGame] | None]:
        entry = entries[place]
        extremes = [_episode(entry, one, store) for one in entry.extremes]
        if judge is None:
            return entry, extremes, None
        counted = range(entry.scores().games)
        lost = [one for number in counted if (one := judged[place].get(number)) is not None]
        return entry, extremes, lost

    with _opened(path, schedule) as store:
        if store is not None:
            store.enter([_lineup(entry) for entry in entries])
            for place, entry in enumerate(entries):
                for games in store.games(entry.specs, entry.num_games):
                    entry.skip(games.numbers)
                    add(place, games)
        yielded = 0
        with closing(engine(schedule)) as playing:
            for place, games in playing:
                if store is not None:
                    store.add(entries[place].specs, games)
                add(place, games)
                while yielded < len(entries) and entries[yielded].finished:
                    yield finished(yielded)
                    yielded += 1
                if yielded == len(entries):
                    return  # what is being played beyond a decision is not waited for
        for place in range(yielded, len(entries)):
            yield finished(place)


def _opened(path: str | Path | None, schedule: Schedule) -> AbstractContextManager[Store | None]:
    """The store that keeps the games, if one was asked for."""
    if path is None:
        return nullcontext()
    from agents.arena.storage.store import Store

    named = schedule.entries[0].match.named
    openings = None if named is None else named.version
    return Store.open(path, schedule.game, schedule.seed, openings)


def _episode(entry: Entry, one: Games, store: Store | None) -> Episode:
    """A game of a match; a store hands its games over without their moves."""
    if one.moves.size == 0 and store is not None:
        return store.game_of(entry.specs, int(one.numbers[0]))
    game, word, moves = entry.match.game, int(one.streams[0]), one.moves[0].tolist()
    return episode_of(game, entry.specs, one.who[0].tolist(), word, moves)


def _lineup(entry: Entry) -> Lineup:
    from agents.arena.storage.store import Lineup

    pairs = zip(entry.specs, entry.match.players, strict=True)
    versions = tuple(agent_version(spec, agent, entry.match.game) for spec, agent in pairs)
    return Lineup(entry.specs, versions, entry.match.opening_plies)


def _verdict(entry: Entry) -> Verdict | None:
    if not entry.tested:
        return None
    scores = entry.scores()
    return Verdict(
        entry.decided is not None, *confidence_sequence(entry.cycle_scores(scores.games))
    )
