"""Tournaments: matches between every two agents, or games of each agent in a game for one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from agents.analysis.losing_move import LossJudge
from agents.arena.games import Games, episode_of
from agents.arena.lost_games import LostGame, lost_game
from agents.arena.results import PairResult, SoloResult, Verdict
from agents.arena.schedule import Entry, Schedule
from agents.arena.sequential import confidence_sequence
from agents.arena.workers import local
from agents.arena.workers.batch import Players
from agents.arena.workers.local import Engine
from agents.naming.spec import Spec, specs_of
from boardenvs.core.checks import callable_or_none, is_list, one_of, shown, text_value, whole_number
from boardenvs.envs.interface import resolve_game
from boardenvs.episode import Episode
from boardenvs.game import Game

if TYPE_CHECKING:  # imports SQLite, which only games in a store need
    from agents.arena.storage.store import Lineup, Store

__all__ = ["Until", "pairs_of", "play_lineups", "round_robin", "solos"]

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
    """Play a match between every two agents.

    In a game for more than two players, the two agents share the seats in every way. For games for
    one player see `solos`.

    Args:
        game: a game for two or more players.
        specs: specs of the agents for `agents.make`, at least two.
        num_games: number of games for each pair.
        seed: seed of everything random.
        opening_plies: as for `play_match`.
        openings: name of openings, as for `play_match`.
        until: "decided" ends a match when a sequential test has decided it, after
            `num_games` at the latest; see `agents.arena.sequential`.
        judge: judge that finds the losing move of each lost game. It may take longer than the game.
        store: file that keeps finished games and may have games of an earlier run; see
            `agents.arena.storage.store`.
        engine: function that plays the games; by default in this process.
        progress: function called with the name of a pair and the number of games that have just
            finished or are no longer needed.

    Yields:
        The result of each pair, in order.

    Raises:
        ValueError: there are too few agents, the game is for one player, the store has other games,
            or as `play_match`.

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
        raise ValueError(f"judge must have a method loss or be None, got {shown(judge)}")
    if game.num_players < 2:
        raise ValueError(f"round_robin requires a game for two or more players, got {game.name}")
    if until is not None:
        one_of("until", until, ["decided"])
    found = play_lineups(
        pairs_of(specs_of(specs, game)),
        whole_number("num_games", num_games, 1),
        seed,
        opening_plies=opening_plies,
        openings=openings,
        tested=until is not None,
        judge=judge,
        store=store,
        engine=engine,
        progress=progress,
    )
    yield from cast("Iterator[PairResult]", found)


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
    """Play a game for one player with each agent; all agents play the same deals.

    Args:
        game: a game for one player.
        specs: specs of the agents for `agents.make`.
        num_games: number of games for each agent.
        seed: seed of everything random.
        opening_plies: as for `play_match`.
        store: as for `round_robin`.
        engine: as for `round_robin`.
        progress: function called with an agent's spec and the number of games just finished.

    Yields:
        The result of each agent, in order.

    Raises:
        ValueError: the game is for several players, the store has other games, or as `play_match`.

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
        raise ValueError(
            f"solos requires a game for one player, got {game.name} for {game.num_players}"
        )
    found = play_lineups(
        [(spec,) for spec in specs_of(specs, game)],
        whole_number("num_games", num_games, 1),
        seed,
        opening_plies=opening_plies,
        store=store,
        engine=engine,
        progress=progress,
    )
    yield from cast("Iterator[SoloResult]", found)


def _check(specs: Any, engine: Any, progress: Any) -> None:
    """Raise `ValueError` unless these are valid arguments of a tournament."""
    if not is_list(specs) or not all(isinstance(spec, str) for spec in specs):
        raise ValueError(f"specs must be a list of agents' specs, got {shown(specs)}")
    callable_or_none("progress", progress)
    if not callable(engine):
        raise ValueError(f"engine must be a function, got {shown(engine)}")


def pairs_of(specs: Sequence[Spec]) -> list[tuple[Spec, ...]]:
    """Return every two of some agents, as a round robin pairs them.

    Raises:
        ValueError: there are fewer than two agents.
    """
    if len(specs) < 2:
        raise ValueError(f"an arena needs at least 2 agents, got {len(specs)}")
    return list(itertools.combinations(specs, 2))


def play_lineups(
    lineups: Sequence[tuple[Spec, ...]],
    num_games: int,
    seed: int,
    *,
    opening_plies: int | None = None,
    openings: str | None = None,
    tested: bool = False,
    judge: LossJudge | None = None,
    store: str | Path | None = None,
    engine: Engine = local.play_here,
    progress: Callable[[str, int], Any] | None = None,
) -> Iterator[PairResult | SoloResult]:
    """Play a match of each lineup.

    Args:
        lineups: pairs of agents, or single agents for a game for one player.
        num_games: number of games of each match, at least 1.
        seed: seed of everything random.
        opening_plies: as for `play_match`.
        openings: name of openings, as for `play_match`.
        tested: whether to end a match when a sequential test has decided it.
        judge: as for `round_robin`, like the next three.
        store: file that keeps finished games.
        engine: function that plays the games.
        progress: function called with the name of a match and a number of games.

    Yields:
        The result of each match, in order.

    Raises:
        ValueError: the store has other games, or as `play_match`.
    """
    players = Players(seed)
    entries = []
    for specs in lineups:  # all agents are checked before the first game
        match = players.match(specs, opening_plies, openings)
        match.check_players()
        entries.append(Entry(specs, match, num_games, tested))
    yield from _played(Schedule(seed, entries), store, engine, progress, judge)


def _played(
    schedule: Schedule,
    path: str | Path | None,
    engine: Engine,
    progress: Callable[[str, int], Any] | None,
    judge: LossJudge | None,
) -> Iterator[PairResult | SoloResult]:
    """Play all games, and yield the results of the matches in order."""
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

    def finished(place: int) -> PairResult | SoloResult:
        entry, scores = entries[place], entries[place].scores()
        extremes = [_episode(entry, one, store) for one in entry.extremes]
        if len(entry.specs) == 1:
            return SoloResult(entry.specs, scores, extremes)
        counted = range(scores.games) if judge is not None else ()
        lost = [one for number in counted if (one := judged[place].get(number)) is not None]
        seated = entry.seated() if entry.match.game.num_players > 2 else []
        known = None if judge is None else lost
        return PairResult(entry.specs, scores, _verdict(entry), seated, extremes, known)

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
                    return  # games beyond a decision stay unfinished
        for place in range(yielded, len(entries)):
            yield finished(place)


def _opened(path: str | Path | None, schedule: Schedule) -> AbstractContextManager[Store | None]:
    """Return the store that keeps the games, or a context of `None`."""
    if path is None:
        return nullcontext()
    from agents.arena.storage.store import Store

    match = schedule.entries[0].match
    openings = None if match.named is None else match.named.version
    return Store.open(path, match.game, schedule.seed, openings)


def _episode(entry: Entry, one: Games, store: Store | None) -> Episode:
    """Return a game of a match. Games from a store have no moves, so the store replays them."""
    if one.moves.size == 0 and store is not None:
        return store.game_of(entry.specs, int(one.numbers[0]))
    game, word, moves = entry.match.game, int(one.streams[0]), one.moves[0].tolist()
    return episode_of(game, [spec.text for spec in entry.specs], one.who[0].tolist(), word, moves)


def _lineup(entry: Entry) -> Lineup:
    from agents.arena.storage.store import Lineup

    pairs = zip(entry.specs, entry.match.players, strict=True)
    versions = tuple(spec.version(agent) for spec, agent in pairs)
    return Lineup(entry.specs, versions, entry.match.opening_plies)


def _verdict(entry: Entry) -> Verdict | None:
    if not entry.tested:
        return None
    scores = entry.scores()
    return Verdict(
        entry.decided is not None, *confidence_sequence(entry.cycle_scores(scores.games))
    )
