"""The loops over a batch of games, written once for all games.

They are compiled against one game's rules, which supply the hooks they call; see
`boardenvs.hooks`. `boardenvs.kernels` lists those that Python calls.
"""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from boardenvs.chance import below, mixed, stepped
from boardenvs.choice import random_action, tried_action
from boardenvs.compiling import over_rules
from boardenvs.hooks import deal, judge, legal, observe, play, redraw, sound
from boardenvs.numba_arrays import uncounted
from boardenvs.outcome import forfeit, is_over, truncate_if_long

ATTEMPTS = 1000
"""At a game that lasts until the caller's first turn."""
_BLOCK = 32
"""Games that take the parts of a step in turn: while one waits for a word to come out of memory or
of a chain of sums, the processor goes on with the next."""


@over_rules(sound)
def fault(s, p, num_actions):
    """What is wrong with a record of whatever bytes: an index of `boardenvs.records.FAULTS`."""
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
    """The first record with a fault, and that; -1 and 0 where there is none."""
    for i in range(len(states)):
        found = fault(states[i], params[0], num_actions)
        if found != 0:
            return i, found
    return -1, 0


@over_rules(deal)
def start_games(states, params, start, words):
    """Put every record at the start of a game with its own stream word."""
    for i in range(len(states)):
        states[i] = start[0]
        states[i].rng = words[i]
        deal(states[i], params[0])


@over_rules(deal)
def start_game(states, params, start, word):
    """`start_games` for a table of one game, with `chance.stream_words(word, 1)`."""
    states[0] = start[0]
    states[0].rng = mixed(stepped(word))
    deal(states[0], params[0])


@over_rules()
def restart_games(states, params, start, which):
    """Start a new game in each record marked in `which`; its stream goes on."""
    for i in range(len(states)):
        if which[i]:
            restart(states, i, params, start)


@over_rules(deal)
def restart(states, i, params, start):
    """Start a new game in record `i`; its stream goes on."""
    word = mixed(stepped(states[i].rng))
    states[i] = start[0]
    states[i].rng = word
    deal(states[i], params[0])


@over_rules()
def legal_games(states, params, masks):
    """Legal actions of every game; none once it is over."""
    masks = uncounted(masks)
    for i in range(len(states)):
        refresh_mask(states[i], params[0], masks[i])


@over_rules(legal)
def refresh_mask(s, p, mask):
    """Legal actions of one game; none once it is over."""
    if is_over(s):
        for a in range(len(mask)):
            mask[a] = False
    else:
        legal(s, p, mask)


@over_rules(observe)
def observe_games(states, params, seats, out):
    """What each given seat sees."""
    out = uncounted(out)
    for i in range(len(states)):
        observe(states[i], params[0], seats[i], out[i])


@over_rules(observe)
def observe_movers(states, params, num_actions, out):
    """What the seat to move sees; returns as `first_fault`, up to which records are observed."""
    out = uncounted(out)
    for i in range(len(states)):
        found = fault(states[i], params[0], num_actions)
        if found != 0:
            return i, found
        observe(states[i], params[0], int(states[i].to_move), out[i])
    return -1, 0


@over_rules(judge)
def judge_games(states, params):
    """Set the outcome of positions that were set up by hand."""
    for i in range(len(states)):
        judge(states[i], params[0])
        truncate_if_long(states[i], params[0])


@over_rules(redraw)
def redraw_games(states, params, seats, words):
    """Replace what each given seat cannot know."""
    for i in range(len(states)):
        redraw(states[i], params[0], seats[i], words[i])


@over_rules()
def advance_games(states, params, actions, masks):
    """One action in every game. `masks` holds its legal actions, and then the next ones.

    An action off the mask loses. An action of -1 leaves the game as it is.
    """
    masks = uncounted(masks)
    for i in range(len(states)):
        if actions[i] >= 0:
            advance(states[i], params[0], actions[i], masks[i])


@over_rules(play)
def advance(s, p, action, mask):
    """One action in one game; see `advance_games`."""
    if mask[action]:
        play(s, p, action)
    else:
        forfeit(s)
    refresh_mask(s, p, mask)


@over_rules(observe)
def take_ply(states, params, mask, action, out, shown):
    """One action in a table of one game, and what the seat then to move is shown.

    Args:
        states: shape (1,).
        params: shape (1,).
        mask: bool of shape (num_actions,), as `advance` has it.
        action: -1 leaves the game as it is, whatever the mask holds.
        out: its observation, in the shape that the game declares.
        shown: int8 of shape (num_actions,): its legal actions.

    Returns:
        The seat to move; once the game is over its bitwise complement, which is negative.
    """
    s = states[0]
    if action >= 0:
        advance(s, params[0], action, mask)
    else:
        refresh_mask(s, params[0], mask)
    observe(s, params[0], s.to_move, out.reshape(out.size))
    for a in range(len(mask)):
        shown[a] = mask[a]
    seat = int(s.to_move)
    return ~seat if is_over(s) else seat


@over_rules(legal, play, observe, spread=True)
def step_games(
    states, params, start, actions, masks, out, to_move, rewards, terminated, truncated, low, high
):
    """`BatchEnv.step` for games `low` to `high - 1`: act, report, restart what ended, observe."""
    masks = uncounted(masks)
    out = uncounted(out)
    for i in range(low, high):
        s = states[i]
        if masks[i, actions[i]]:
            play(s, params[0], actions[i])
        else:
            forfeit(s)
        terminated[i] = s.terminated
        truncated[i] = s.truncated
        for k in range(rewards.shape[1]):
            rewards[i, k] = s.returns[k]
        if is_over(s):
            restart(states, i, params, start)
        legal(s, params[0], masks[i])
        observe(s, params[0], s.to_move, out[i])
        to_move[i] = s.to_move


@over_rules()
def random_actions(masks, bits, actions):
    """One marked action of every row, uniformly, out of 64 random bits each."""
    masks = uncounted(masks)
    for i in range(len(masks)):
        actions[i] = random_action(masks[i], bits[i])


@over_rules()
def take_turn(s, p, action, seat, words, i, mask):
    """The seat's action, then uniformly random opponents until it is its turn or the end.

    An action of -1 leaves the first part out. `words[i]` is the opponents' stream.
    """
    if action >= 0:
        advance(s, p, action, mask)
    while is_anothers_turn(s, seat):
        advance(s, p, drawn_action(words, i, mask), mask)


@over_rules()
def is_anothers_turn(s, seat):
    """Whether a game goes on with the action of another seat than this one."""
    return not is_over(s) and s.to_move != seat


@over_rules()
def drawn_action(words, i, mask):
    """What a uniformly random opponent does next, whose stream is `words[i]`."""
    words[i] = stepped(words[i])
    return random_action(mask, mixed(words[i]))


@over_rules()
def take_seat(s, p, seat, turns, seats, words, i, mask):
    """Seat the caller in a game that just began; see `take_seats`."""
    words[i] = stepped(words[i])
    seats[i] = below(mixed(words[i]), len(s.returns)) if seat < 0 else seat
    refresh_mask(s, p, mask)
    if turns:
        take_turn(s, p, -1, seats[i], words, i, mask)


@over_rules(spread=True)
def take_seats(states, params, which, seat, turns, seats, words, masks, low, high):
    """Seat the caller in each game marked in `which`, which just began; -1 draws a seat.

    With `turns`, uniformly random opponents ahead of it then move. `words` are their streams.
    """
    masks = uncounted(masks)
    for i in range(low, high):
        if which[i]:
            take_seat(states[i], params[0], seat, turns, seats, words, i, masks[i])


@over_rules()
def begin_game(states, params, start, seat, seats, words, masks, i):
    """A new game in place `i`, up to the seat's first turn; one that ends before is followed on.

    Returns whether one came so far, of `ATTEMPTS`.
    """
    s = states[i]
    for _ in range(ATTEMPTS):
        restart(states, i, params, start)
        take_seat(s, params[0], seat, True, seats, words, i, masks[i])
        if not is_over(s):
            return True
    return False


@over_rules(observe, spread=True)
def step_seats(
    states, params, start, actions, restarting, seat, seats, words, masks,
    out, shown, rewards, terminated, truncated, last, stuck, low, high,
):  # fmt: skip
    """The vector environment's step against uniformly random opponents.

    In each game the seat's action, then the opponents' until it is its turn or the end; the
    result; and what the seat sees, its legal actions in `masks` and, a copy, in `shown`.
    An action of -1 begins a new game instead (as by `restart` and `take_seats`). If
    `restarting`, a game that ends is followed by a new one, and its end put into `last`.
    `stuck[0]` is set where `ATTEMPTS` games end before the seat's turn.
    """
    states = uncounted(states)
    start = uncounted(start)
    actions = uncounted(actions)
    seats = uncounted(seats)
    words = uncounted(words)
    masks = uncounted(masks)
    out = uncounted(out)
    shown = uncounted(shown)
    last = uncounted(last)
    waiting = np.empty(_BLOCK, np.int64)  # games in which opponents are to move
    chosen = np.empty(_BLOCK, np.int64)  # their actions
    p = params[0]
    for first in range(low, high, _BLOCK):
        end = min(first + _BLOCK, high)
        num = 0
        for i in range(first, end):
            if actions[i] >= 0:
                advance(states[i], p, actions[i], masks[i])
                waiting[num] = i
                num += is_anothers_turn(states[i], seats[i])
        while num > 0:
            for k in range(num):
                chosen[k] = drawn_action(words, waiting[k], masks[waiting[k]])
            left = 0
            for k in range(num):
                i = waiting[k]
                advance(states[i], p, chosen[k], masks[i])
                waiting[left] = i
                left += is_anothers_turn(states[i], seats[i])
            num = left
        for i in range(first, end):
            s = states[i]
            renew = actions[i] < 0
            rewards[i] = 0.0 if renew else s.returns[seats[i]]
            terminated[i] = s.terminated and not renew
            truncated[i] = s.truncated and not renew
            if restarting and is_over(s) and not renew:
                last[i] = s
                renew = True
            if renew and not begin_game(states, params, start, seat, seats, words, masks, i):
                stuck[0] = True
        for i in range(first, end):
            observe(states[i], p, seats[i], out[i])
            for a in range(masks.shape[1]):
                shown[i, a] = masks[i, a]


@over_rules(observe)
def reset_seat(states, params, start, seats, words, masks, seat, base, own, out):
    """`Table.reset` of a table of one game, against uniformly random opponents.

    `base` is a word, `own` the one that the streams of opponents and seats come from, and
    `out` one observation in its own shape. Returns whether it came to the seat's turn.
    """
    s = states[0]
    start_game(states, params, start, base)
    words[0] = own
    take_seat(s, params[0], seat, True, seats, words, 0, masks[0])
    live = not is_over(s) or begin_game(states, params, start, seat, seats, words, masks, 0)
    observe(s, params[0], seats[0], out.reshape(out.size))
    return live


@over_rules(observe)
def step_seat(states, params, seats, words, masks, action, out):
    """`take_turn` and `observe` for a table of one game; `out` as for `reset_seat`.

    Returns the seat's result, whether the game is terminated, and whether it is truncated.
    """
    s = states[0]
    take_turn(s, params[0], action, seats[0], words, 0, masks[0])
    observe(s, params[0], seats[0], out.reshape(out.size))
    return float(s.returns[seats[0]]), bool(s.terminated), bool(s.truncated)


@over_rules(legal, play)
def play_out(states, params, words, mask):
    """Uniformly random play to the end of every game, in place; `mask` is scratch space."""
    for i in range(len(states)):
        s = states[i]
        while not is_over(s):
            legal(s, params[0], mask)
            words[i] = stepped(words[i])
            play(s, params[0], tried_action(mask, mixed(words[i])))
