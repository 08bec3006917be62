"""The loops over a batch of games, for all games.

An environment's `step(action)` ends here: `GameAECEnv.step` calls `Table.step_one`, which calls
`step_game`, which calls `act`, which calls `play` of the game's rules. The functions of
`boardenvs.core.hooks`, such as `play`, are placeholders. `over_rules` replaces them by the
functions of the game's rules and compiles the loop. `Kernels` has the compiled loops of one game.
"""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from boardenvs.core.chance import below, mixed, stepped
from boardenvs.core.choice import random_action, tried_action
from boardenvs.core.hooks import deal, judge, legal, observe_row, play, redraw, sound
from boardenvs.core.outcome import forfeit, is_over, truncate_if_long
from boardenvs.kernels.binding import Loop, over_rules
from boardenvs.kernels.intrinsics import uncounted

LEAVE, RESTART, BEGIN = -1, -2, -3
"""Values in place of an action: skip the game; start a new game with the stream continued; begin
the game of the record that is already written."""
EVERY_SEAT, RANDOM_SEAT = -1, -2
"""Values of `GameArrays.seat` other than seats."""


class GameArrays(NamedTuple):
    """The arrays that a step of N games reads and writes."""

    states: npt.NDArray[np.void]
    """Positions, shape (N,)."""
    params: npt.NDArray[np.void]
    """`Game.constants`."""
    start: npt.NDArray[np.void]
    """`Game.start`."""
    seats: npt.NDArray[np.int64]
    """The caller's seat in each game, or `EVERY_SEAT`, shape (N,)."""
    streams: npt.NDArray[np.uint64]
    """Random stream of each game for the random seat and random opponents, shape (N,)."""
    masks: npt.NDArray[np.bool_]
    """Legal actions of the seat to move, all False after the end, shape (N, num_actions)."""
    seen: npt.NDArray[np.int8]
    """Observation of the caller's seat, or with `EVERY_SEAT` of the seat to move, shape
    (N, observation_size)."""
    rewards: npt.NDArray[np.float32]
    """Result of the caller's seat, shape (N, 1), or of every seat, shape (N, num_players)."""
    terminated: npt.NDArray[np.bool_]
    """Whether the step has ended each game by its rules, shape (N,)."""
    truncated: npt.NDArray[np.bool_]
    """Whether the step has ended each game by `max_plies`, shape (N,)."""
    last: npt.NDArray[np.void]
    """Final position of each game that was restarted, shape (N,). Empty if `seat` is
    `EVERY_SEAT`."""
    seat: int
    """The caller's seat in new games, or `EVERY_SEAT` or `RANDOM_SEAT`."""
    random_opponents: bool
    """Whether uniformly random opponents play until the caller's turn."""
    restarts: bool
    """Whether a game that ends is restarted in the same step."""


@over_rules()
def fault(s, p, num_actions):
    """Return the fault of a record of any bytes as an index of `boardenvs.core.records.FAULTS`."""
    n = len(s.returns)
    if s.to_move < 0 or s.to_move >= n:
        return 1
    if s.last_action < -1 or s.last_action >= num_actions:
        return 2
    if s.offender < -1 or s.offender >= n:
        return 3
    if s.ply < 0 or s.ply > p.max_plies or (s.ply == p.max_plies and not is_over(s)):
        return 4
    for k in range(n):
        if s.returns[k] - s.returns[k] != 0.0 or (s.returns[k] != 0.0 and not is_over(s)):
            return 5
    return 0 if sound(s, p) else 6


@over_rules()
def first_fault(states, params, num_actions):
    """Return the index of the first record with a fault, and the fault; -1 and 0 without faults."""
    for i in range(len(states)):
        found = fault(states[i], params[0], num_actions)
        if found != 0:
            return i, found
    return -1, 0


@over_rules()
def start_games(states, params, start, streams):
    """Start a game in every record, with the random stream `streams[i]`."""
    for i in range(len(states)):
        states[i] = start[0]
        states[i].rng = streams[i]
        deal(states[i], params[0])


@over_rules()
def restart_games(states, params, start, which):
    """Start a new game in each record marked in `which`, and continue its random stream."""
    for i in range(len(states)):
        if which[i]:
            restart(states, i, params, start)


@over_rules()
def restart(states, i, params, start):
    """Start a new game in record `i`, and continue its random stream."""
    word = mixed(stepped(states[i].rng))
    states[i] = start[0]
    states[i].rng = word
    deal(states[i], params[0])


@over_rules()
def legal_games(states, params, masks):
    """Write the legal actions of every game, all False after the end."""
    masks = uncounted(masks)
    for i in range(len(states)):
        refresh_mask(states[i], params[0], masks[i])


@over_rules()
def refresh_mask(s, p, mask):
    """Write the legal actions of one game, all False after the end."""
    if is_over(s):
        for a in range(len(mask)):
            mask[a] = False
    else:
        legal(s, p, mask)


@over_rules()
def observe_games(states, params, seats, out):
    """Write the observation of each given seat."""
    out = uncounted(out)
    for i in range(len(states)):
        observe_row(states[i], params[0], seats[i], out[i])


@over_rules()
def observe_movers(states, params, num_actions, out):
    """Write the observations of the seats to move up to the first fault, and return that fault."""
    out = uncounted(out)
    for i in range(len(states)):
        found = fault(states[i], params[0], num_actions)
        if found != 0:
            return i, found
        observe_row(states[i], params[0], int(states[i].to_move), out[i])
    return -1, 0


@over_rules()
def judge_games(states, params):
    """Set the outcome of positions from dictionaries or text."""
    for i in range(len(states)):
        judge(states[i], params[0])
        truncate_if_long(states[i], params[0])


@over_rules()
def redraw_games(states, params, seats, streams):
    """Resample the information that is hidden from each given seat."""
    for i in range(len(states)):
        redraw(states[i], params[0], seats[i], streams[i])


@over_rules()
def play_games(states, params, actions, masks):
    """Play one action in every game, and update its legal actions in `masks`.

    An illegal action loses the game. The action `LEAVE` skips the game.
    """
    masks = uncounted(masks)
    for i in range(len(states)):
        if actions[i] >= 0:
            act(states[i], params[0], actions[i], masks[i])


@over_rules()
def act(s, p, action, mask):
    """Play one action in one game, see `play_games`."""
    if mask[action]:
        play(s, p, action)
    else:
        forfeit(s)
    refresh_mask(s, p, mask)


@over_rules(spread=True)
def step_games(
    actions, states, params, start, seats, streams, masks, seen, rewards, terminated, truncated,
    last, seat, random_opponents, restarts, low, high,
):  # fmt: skip
    """Step games `low` to `high - 1`. Numba's parallel loops cannot take a tuple of arrays."""
    games = GameArrays(
        uncounted(states), params, uncounted(start), uncounted(seats), uncounted(streams),
        uncounted(masks), uncounted(seen), uncounted(rewards), uncounted(terminated),
        uncounted(truncated), uncounted(last), seat, random_opponents, restarts,
    )  # fmt: skip
    actions = uncounted(actions)
    for i in range(low, high):
        step_game(games, i, actions[i])


@over_rules()
def step_game(games, i, action):
    """Step game `i`. All environments use this step.

    Play the action, then the actions of random opponents, and write the outcome. If the game has
    ended and `games.restarts` is set, begin a new game. Then write the observation.

    Args:
        games: all games, see `GameArrays`.
        i: index of the game.
        action: an action, `LEAVE`, `RESTART` or `BEGIN`.
    """
    if action == LEAVE:
        return
    s = games.states[i]
    p = games.params[0]
    anew = action == RESTART
    if action >= 0:
        act(s, p, action, games.masks[i])
        if games.random_opponents:
            play_opponents(s, p, games.seats[i], games.streams, i, games.masks[i])
        write_outcome(games, i)
        if games.restarts and is_over(s):
            if games.seat != EVERY_SEAT:
                games.last[i] = s
            anew = True
    if anew or action == BEGIN:
        begin(games, i, anew)
        if action < 0:
            write_outcome(games, i)
    seat = games.seats[i]
    observe_row(s, p, s.to_move if seat == EVERY_SEAT else seat, games.seen[i])


@over_rules(optimised_first=True)
def begin(games, i, anew):
    """Begin game `i`, restarted first if `anew`, and play random opponents to the caller's turn."""
    if anew:
        restart(games.states, i, games.params, games.start)
    s = games.states[i]
    p = games.params[0]
    games.streams[i] = stepped(games.streams[i])
    if games.seat == RANDOM_SEAT:
        games.seats[i] = below(mixed(games.streams[i]), len(s.returns))
    else:
        games.seats[i] = games.seat
    refresh_mask(s, p, games.masks[i])
    if games.random_opponents:
        play_opponents(s, p, games.seats[i], games.streams, i, games.masks[i])


@over_rules(optimised_first=True)
def play_opponents(s, p, seat, streams, i, mask):
    """Play uniformly random actions of the other seats until the seat's turn or the end.

    The random numbers are from `streams[i]`.
    """
    while not is_over(s) and s.to_move != seat:
        streams[i] = stepped(streams[i])
        act(s, p, random_action(mask, mixed(streams[i])), mask)


@over_rules()
def write_outcome(games, i):
    """Write the outcome of game `i` into `games.rewards`, `terminated` and `truncated`."""
    s = games.states[i]
    games.terminated[i] = s.terminated
    games.truncated[i] = s.truncated
    if games.seats[i] == EVERY_SEAT:
        for k in range(len(s.returns)):
            games.rewards[i, k] = s.returns[k]
    else:
        games.rewards[i, 0] = s.returns[games.seats[i]]


@over_rules()
def random_actions(masks, bits, actions):
    """Write a uniformly random action of every mask, from 64 random bits each."""
    masks = uncounted(masks)
    for i in range(len(masks)):
        actions[i] = random_action(masks[i], bits[i])


@over_rules(plies=50)
def play_out(states, params, streams, mask):
    """Play every game to its end at random, in place. `mask` is a buffer."""
    for i in range(len(states)):
        s = states[i]
        while not is_over(s):
            legal(s, params[0], mask)
            streams[i] = stepped(streams[i])
            play(s, params[0], tried_action(mask, mixed(streams[i])))


class Kernels:
    """The loops of this module for one game. Each is compiled on first access."""

    def __init__(self, rules: types.ModuleType) -> None:
        self.rules = rules
        """Module of the game's rules."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        loop = globals().get(name)
        if not isinstance(loop, Loop):
            raise AttributeError(f"boardenvs.core.loops has no loop {name!r}")
        kernel = loop.bound_to(self.rules)
        setattr(self, name, kernel)  # for the next access
        return kernel
