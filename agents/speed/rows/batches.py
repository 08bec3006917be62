"""Batches of games: a step and its parts, games played to their end, and many plies in one call."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import boardenvs
from agents.speed.ceilings import copying
from agents.speed.peers import open_spiel_random, pgx_steps
from agents.speed.row import Row
from agents.speed.run import Bench, Key
from agents.speed.timing import Side, rate
from boardenvs.core.chance import make_streams, mixed, next_bits, stepped
from boardenvs.core.choice import random_action
from boardenvs.core.hooks import legal, observe_row, play
from boardenvs.core.loops import restart
from boardenvs.core.outcome import is_over
from boardenvs.game import Game
from boardenvs.kernels.binding import over_rules

__all__ = [
    "COPYING",
    "batch_steps",
    "label",
    "parts_of_a_step",
    "play_outs",
    "playing_on",
    "playing_out",
    "stepping",
]

# -- Steps ----------------------------------------------------------------------------------

COPYING = "np.copyto of the bytes"
_AGAINST_PGX: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("gekitai", {}, "connect_four"),
    ("game112", {}, "tic_tac_toe"),
    ("gomoku", {"board_size": 9}, "othello"),
)
"""Name and parameters of each game, and the game of pgx to compare it with."""
_OPENING_PLIES = 32
"""Number of first plies that are skipped, because all boards are alike in them."""


def label(name: str, params: dict[str, Any]) -> str:
    """Return the name of a game in the table."""
    return " ".join([name, *(f"{key}={value}" for key, value in params.items())])


def stepping(game: Game, num: int, seconds: float, threads: int | None = None) -> Side:
    """Return a side that measures the plies per second of `BatchEnv.step`.

    Actions are uniformly random legal ones. The time to sample them does not count.

    Args:
        game: the game.
        num: number of games.
        seconds: length of a turn.
        threads: argument `threads` of `BatchEnv`.
    """
    env = boardenvs.BatchEnv(game, num, 0, threads=threads)
    streams = make_streams(np.uint64(1), num)
    actions = np.zeros(num, np.int64)

    def prepare() -> None:
        game.kernels.random_actions(env.action_mask, next_bits(streams), actions)

    def work() -> int:
        env.step(actions)
        return num

    for _ in range(_OPENING_PLIES):
        prepare()
        work()
    return lambda: rate(work, seconds, prepare)


def batch_steps(bench: Bench) -> list[Row]:
    """Return rows that compare every game with a copy of its bytes or a game of pgx."""
    effort = bench.effort
    num, seconds = effort.num_envs, effort.seconds
    rivals = {label(n, p): (n, p, peer) for n, p, peer in _AGAINST_PGX if n in effort.games}
    games = {name: boardenvs.make(name) for name in effort.games}
    games |= {shown: boardenvs.make(n, **p) for shown, (n, p, _) in rivals.items()}
    sides: dict[Key, Side] = {}
    for name, game in games.items():
        sides[name,] = stepping(game, num, seconds)
        sides[name, COPYING] = copying(game, num, seconds)
    for _, _, peer in rivals.values():
        side = bench.peer("pgx", "bench", functools.partial(pgx_steps, peer, num, seconds))
        if side is not None:
            sides[f"pgx {peer}",] = side
    found = bench.compare(sides)
    measure, unit = f"BatchEnv.step, N = {num:,}", "plies/s"
    return [
        *(Row(measure, g, found[g,], unit, COPYING, found[g, COPYING]) for g in games),
        *(
            Row(measure, g, found[g,], unit, f"pgx {peer}", found.get((f"pgx {peer}",)))
            for g, (_, _, peer) in rivals.items()
        ),
    ]


# -- Parts of a step ------------------------------------------------------------------------

_STEP = "BatchEnv.step, one thread"
_PLAY = "of a step: play and legal moves"
_LEGAL = "of a step: legal moves"
_OBSERVE = "of a step: observation"
_BYTES = "of a step: np.copyto of the bytes"


def _parts(game: Game, num: int, seconds: float) -> dict[str, Side]:
    """Return a side for each part that measures its boards per second."""
    kernels, constants = game.kernels, game.constants
    env = boardenvs.BatchEnv(game, num, 0, threads=1)
    streams = make_streams(np.uint64(1), num)
    actions = np.zeros(num, np.int64)
    for _ in range(_OPENING_PLIES):
        kernels.random_actions(env.action_mask, next_bits(streams), actions)
        env.step(actions)
    kernels.random_actions(env.action_mask, next_bits(streams), actions)
    before, masks = env.states.copy(), env.action_mask.copy()
    seats = game.to_move(before).astype(np.int64)
    seen = np.empty((num, game.observation_size), np.int8)
    states, mask = before.copy(), masks.copy()

    def restore() -> None:
        np.copyto(states, before)
        np.copyto(mask, masks)

    def advance() -> int:
        kernels.play_games(states, constants, actions, mask)
        return num

    def show_legal() -> int:
        kernels.legal_games(before, constants, mask)
        return num

    def observe() -> int:
        kernels.observe_games(before, constants, seats, seen)
        return num

    return {
        _PLAY: lambda: rate(advance, seconds, restore),
        _LEGAL: lambda: rate(show_legal, seconds),
        _OBSERVE: lambda: rate(observe, seconds),
    }


def parts_of_a_step(bench: Bench) -> list[Row]:
    """Return rows that compare the time per board of each part with the whole step.

    The report of outcomes and the restart of finished games belong to no part.
    """
    effort = bench.effort
    sides: dict[Key, Side] = {}
    for name in effort.games:
        game = boardenvs.make(name)
        sides[name, _STEP] = stepping(game, effort.num_envs, effort.seconds, threads=1)
        for part, side in _parts(game, effort.num_envs, effort.seconds).items():
            sides[name, part] = side
        sides[name, _BYTES] = copying(game, effort.num_envs, effort.seconds)
    found = bench.compare(sides)
    return [
        Row(part, name, 1e9 / value, "ns/board", _STEP, 1e9 / found[name, _STEP])
        for (name, part), value in found.items()
        if part != _STEP
    ]


# -- Random play ----------------------------------------------------------------------------

_GAMES = 256
"""Number of games that one call plays to their end."""
_PLIES = 64
"""Number of plies of each game in one call."""


def playing_out(game: Game, seconds: float) -> Side:
    """Return a side that measures the plies per second of random games on one core."""
    mask = np.zeros(game.num_actions, np.bool_)
    streams = make_streams(np.uint64(1), _GAMES)
    starts = game.new(_GAMES, 0)
    states = starts.copy()

    def work() -> int:
        game.kernels.play_out(states, game.constants, streams, mask)
        return int(states["ply"].sum())

    return lambda: rate(work, seconds, lambda: np.copyto(states, starts))


def play_outs(bench: Bench) -> list[Row]:
    """Return rows that compare every game with OpenSpiel's gomoku, without observations."""
    seconds = bench.effort.seconds
    sides: dict[Key, Side | None] = {
        (name,): playing_out(boardenvs.make(name), seconds) for name in bench.effort.games
    }
    peer = "OpenSpiel gomoku"
    sides[peer,] = bench.peer(
        "OpenSpiel", "bench", lambda: open_spiel_random("gomoku(size=15)", seconds)
    )
    return bench.rows("random play to the end", "plies/s", peer, sides)


@over_rules(spread=True, plies=_PLIES)
def random_plies(
    states: Any,
    params: Any,
    start: Any,
    plies: Any,
    streams: Any,
    masks: Any,
    out: Any,
    low: Any,
    high: Any,
) -> None:
    """Play `plies` uniformly random legal actions in each game and write the observations."""
    for i in range(low, high):
        s = states[i]
        for _ in range(plies):
            legal(s, params[0], masks[i])
            streams[i] = stepped(streams[i])
            play(s, params[0], random_action(masks[i], mixed(streams[i])))
            if is_over(s):
                restart(states, i, params, start)
            observe_row(s, params[0], s.to_move, out[i])


def playing_on(game: Game, num: int, seconds: float) -> Side:
    """Return a side that measures plies per second, including observations and sampling.

    Args:
        game: the game.
        num: number of games.
        seconds: length of a turn.
    """
    loop = random_plies.bound_to(game.rules)
    states = game.new(num, 0)
    streams = make_streams(np.uint64(1), num)
    masks = np.zeros((num, game.num_actions), np.bool_)
    out = np.zeros((num, game.observation_size), np.int8)

    def work() -> int:
        loop(None, states, game.constants, game.start, _PLIES, streams, masks, out)
        return _PLIES * num

    return lambda: rate(work, seconds)
