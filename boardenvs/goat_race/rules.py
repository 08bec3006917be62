"""The rules of Goat Race: place all goats, then in each turn move sideways or stay, and forward.

Rows and columns are counted from 0 here. Each player has `p.goats` goats, and `p.arrivals` of them
in the Destination win.

`s.stacks[row, column]` is a stack as one number with three bits for each goat: `seat + 1` of the
top goat in the lowest three, then the goat below it, and so on. An empty stack is 0. A goat of
seat 0 on two goats of seat 2:

    goat      bottom  middle  top
    seat         2       2     0
    bits        011     011   001   = 0o331

A stack of all twenty goats fills sixty bits.

A row of the board is a number with a bit for each column: bit `column` of `s.tops[seat, row]` is
set if the top goat there is of that seat, bit `column` of `s.blocked[row]` if there is an obstacle.
`s.tops` and `s.arrived[seat]`, the number of goats in the Destination, are derived from the stacks
and stored for speed. A board of at most 64 cells also fits into one word, row after row:
`tops_word`, `blocked_word`.
"""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from boardenvs.core.bits import show_bits
from boardenvs.core.chance import draw
from boardenvs.core.outcome import end_in_draw, end_ply, end_with_winner, is_over

# Values of `s.decision`: what the seat to move chooses.
PLACE = 0
SIDEWAYS = 1
FORWARD = 2


# -- Stacks -------------------------------------------------------------------------------


@njit
def size(stack):
    """Return the number of goats in a stack."""
    goats = 0
    while stack != 0:
        stack >>= 3
        goats += 1
    return goats


@njit
def put(s, row, column, seat):
    """Put a goat of `seat` on top of a stack."""
    stack = s.stacks[row, column]
    bit = 1 << column
    s.tops[max((stack & 7) - 1, 0), row] ^= bit if stack != 0 else 0
    s.stacks[row, column] = stack << 3 | (seat + 1)
    s.tops[seat, row] ^= bit
    s.arrived[seat] += column == s.stacks.shape[1] - 1


@njit
def take(s, row, column):
    """Take the top goat off a stack, and return its seat."""
    stack = s.stacks[row, column]
    bit = 1 << column
    seat = (stack & 7) - 1
    s.tops[seat, row] ^= bit
    stack >>= 3
    s.stacks[row, column] = stack
    s.tops[max((stack & 7) - 1, 0), row] ^= bit if stack != 0 else 0
    s.arrived[seat] -= column == s.stacks.shape[1] - 1
    return seat


@njit
def move_goat(s, row, column, to_row, to_column):
    """Move the top goat of one stack onto another."""
    put(s, to_row, to_column, take(s, row, column))


# -- Boards as words ----------------------------------------------------------------------


@njit
def fits(s):
    """Return whether the whole board fits into a word."""
    return s.stacks.shape[0] * s.stacks.shape[1] <= 64


@njit
def tops_word(s, seat):
    """Return the cells with a top goat of a seat, row after row, on a board that fits."""
    height, width = s.stacks.shape  # known to the compiler, unlike `p.height` and `p.width`
    bits = np.uint64(0)
    for row in range(height):
        bits |= np.uint64(s.tops[seat, row]) << np.uint64(row * width & 63)
    return bits


@njit
def blocked_word(s):
    """Return the cells with an obstacle, as `tops_word` does."""
    height, width = s.stacks.shape
    bits = np.uint64(0)
    for row in range(height):
        bits |= np.uint64(s.blocked[row]) << np.uint64(row * width & 63)
    return bits


# -- What can move ------------------------------------------------------------------------


@njit
def forward_columns(s, p, row):
    """Return the columns of a row with a goat that can move forward, as bits."""
    showing = 0
    for seat in range(len(s.returns)):
        showing |= s.tops[seat, row]
    free = ~(s.blocked[row] >> 1) & ((1 << (p.width - 1)) - 1)
    return showing & free


@njit
def sideways_columns(s, p, seat, row):
    """Return the columns of a row with a goat of `seat` that can move up, or down, as bits."""
    tops = s.tops[seat, row]
    above = s.blocked[max(row - 1, 0)]
    below = s.blocked[min(row + 1, p.height - 1)]
    return tops & ~above if row > 0 else 0, tops & ~below if row < p.height - 1 else 0


@njit
def sideways_words(s, seat):
    """Return `sideways_columns` of all rows in one word, on a board that fits into a word."""
    height, width = s.stacks.shape
    tops = tops_word(s, seat)
    blocked = blocked_word(s)
    first_row = np.uint64((1 << width) - 1)
    last_row = first_row << np.uint64((height - 1) * width & 63)
    ups = tops & ~(blocked << np.uint64(width) | first_row)
    downs = tops & ~(blocked >> np.uint64(width) | last_row)
    return ups, downs


@njit
def can_go_forward(s, p):
    """Return whether any goat on the board can move forward."""
    for row in range(p.height):
        if forward_columns(s, p, row) != 0:
            return True
    return False


@njit
def can_go_sideways(s, p, seat):
    """Return whether any goat of `seat` can move sideways."""
    if fits(s):
        ups, downs = sideways_words(s, seat)
        return ups | downs != np.uint64(0)
    found = 0
    for row in range(p.height):  # no early exit: its branch is hard to predict
        up, down = sideways_columns(s, p, seat, row)
        found |= up | down
    return found != 0


@njit
def is_stuck(s, p):
    """Return whether no goat can move forward, nor with `draw_rule="jump"` sideways."""
    if can_go_forward(s, p):
        return False
    if p.jump:
        for seat in range(len(s.returns)):
            if can_go_sideways(s, p, seat):
                return False
    return True


# -- Turns --------------------------------------------------------------------------------


@njit
def next_seat(s):
    """Return the next seat in the order of play."""
    following = s.order[0]
    for k in range(len(s.returns) - 1):  # no early exit: its branch is hard to predict
        later = s.order[k + 1]
        following = later if s.order[k] == s.to_move else following
    return following


@njit
def throw_die(s, p):
    """Throw the die for the seat to move, skipping seats that have no choice.

    The loop ends, since in an unfinished game some seat can move.
    """
    while True:
        s.die = 1 + draw(s, p.height)
        if can_go_sideways(s, p, s.to_move):
            s.decision = SIDEWAYS
            return
        if forward_columns(s, p, s.die - 1) != 0:
            s.decision = FORWARD
            return
        s.to_move = next_seat(s)


@njit
def end_turn(s, p):
    """Begin the next seat's turn, with a throw unless the game is over."""
    s.to_move = next_seat(s)
    s.die = 0
    s.decision = SIDEWAYS
    if not s.terminated:
        throw_die(s, p)


# -- The contract -------------------------------------------------------------------------


@njit
def deal(s, p):
    """Draw an obstacle for each row, then a throw for each seat, for the order of play."""
    n = len(s.returns)
    for row in range(p.height):
        if p.fixed:
            s.blocked[row] = p.walls[row]
        else:
            s.blocked[row] = 1 << (1 + draw(s, p.width - 2))
    # The highest throw goes first, the later of equal throws before the earlier: insert each
    # seat before all seats with an equal or lower throw.
    throws = 0  # five bits for each seat
    for seat in range(n):
        throw = draw(s, p.height)
        throws |= throw << (5 * seat)
        k = seat
        while k > 0 and (throws >> (5 * s.order[k - 1])) & 31 <= throw:
            s.order[k] = s.order[k - 1]
            k -= 1
        s.order[k] = seat
    s.decision = PLACE
    s.to_move = s.order[0]


@njit
def legal(s, p, mask):
    """Mark the gate's lowest rows, the seat's sideways moves, or the forward moves of the row."""
    height, width = s.stacks.shape
    sideways = s.decision == SIDEWAYS
    show_bits(mask, 0, lowest_rows(s) if s.decision == PLACE else 0, height)
    for row in range(height):
        up, down = sideways_columns(s, p, s.to_move, row) if sideways else (0, 0)
        for column in range(width):
            way = height + 2 * (row * width + column)
            mask[way] = up >> column & 1
            mask[way + 1] = down >> column & 1
    mask[stay(s)] = sideways
    forward = forward_columns(s, p, s.die - 1) if s.decision == FORWARD else 0
    show_bits(mask, stay(s) + 1, forward, width)


@njit
def stay(s):
    """Return the action that moves no goat sideways."""
    height, width = s.stacks.shape
    return height + 2 * height * width


@njit
def lowest_rows(s):
    """Return the rows with the lowest stacks of the gate, as bits."""
    lowest = size(s.stacks[0, 0])
    rows = 1
    for row in range(1, s.stacks.shape[0]):
        goats = size(s.stacks[row, 0])
        rows = 0 if goats < lowest else rows
        rows |= 1 << row if goats <= lowest else 0
        lowest = min(lowest, goats)
    return rows


@njit
def judge(s, p):
    """End a race that a seat has won, or in which no goat can move."""
    if s.decision == PLACE:
        return
    for seat in range(len(s.returns)):
        if s.arrived[seat] >= p.arrivals:
            end_with_winner(s, seat)
            return
    if is_stuck(s, p):
        end_in_draw(s)


@njit
def play(s, p, action):
    """Place a goat, move one sideways, stay, or move one forward."""
    s.last_die = s.die
    if s.decision == PLACE:
        put(s, action, 0, s.to_move)
        if s.ply + 1 < p.goats * len(s.returns):
            s.to_move = next_seat(s)
        else:
            s.decision = SIDEWAYS
            judge(s, p)
            end_turn(s, p)
    else:
        # No branch on sideways or forward, which would be hard to predict.
        forward = s.decision == FORWARD
        height, width = s.stacks.shape
        if action != stay(s):
            way = max(action - height, 0)
            cell = way >> 1
            row = s.die - 1 if forward else cell // width
            column = action - stay(s) - 1 if forward else cell % width
            to_row = row if forward else row + 2 * (way & 1) - 1
            move_goat(s, row, column, to_row, column + forward)
        s.decision = FORWARD
        judge(s, p)
        if forward or (not s.terminated and forward_columns(s, p, s.die - 1) == 0):
            end_turn(s, p)
    end_ply(s, p, action)


@njit
def show_rows(out, first, p, rows):
    """Write a plane with a 1 for every bit of the words of its rows."""
    row = 0
    while row < p.height:
        # Combine rows into one word, which `show_bits` writes at once.
        bits = np.uint64(0)
        entries = 0
        while row < p.height and entries + p.width <= 64:
            bits |= np.uint64(rows[row]) << np.uint64(entries)
            entries += p.width
            row += 1
        show_bits(out, first, bits, entries)
        first += entries


@njit
def mark(out, first, size):
    """Mark `size` entries of an observation."""
    ones = np.uint64(0xFFFFFFFFFFFFFFFF)
    while size > 64:
        show_bits(out, first, ones, 64)
        first += 64
        size -= 64
    show_bits(out, first, ones, size)


@njit
def in_turn(k, n):
    """Return a number below `2 * n` as a place in the order of play."""
    return k if k < n else k - n


@njit
def observe_row(s, p, seat, out):
    """Write the planes of the README.md; players in the order of play, `seat` first."""
    n = len(s.returns)
    height, width = s.stacks.shape
    plane = np.int64(height * width)  # an int64, so that products with int8 do not overflow
    for k in range((n + 1) * plane, len(out)):
        out[np.uint64(k)] = 0
    first = 0
    for k in range(n):  # no early exit: its branch is hard to predict
        first += k if s.order[k] == seat else 0
    for k in range(n):
        player = s.order[in_turn(first + k, n)]
        if fits(s):
            show_bits(out, k * plane, tops_word(s, player), plane)
        else:
            show_rows(out, k * plane, p, s.tops[player])
        if player == s.to_move:
            mark(out, (n + 5 + k) * plane, plane)
    if fits(s):
        show_bits(out, n * plane, blocked_word(s), plane)
    else:
        show_rows(out, n * plane, p, s.blocked)
    if s.die > 0:
        mark(out, (n + 1) * plane + np.int64(s.die - 1) * width, width)
    mark(out, (n + 2 + np.int64(s.decision)) * plane, plane)
    if p.memory:
        for row in range(p.height):
            for column in range(width):
                stack = s.stacks[row, column] >> 3
                below_top = (2 * n + 5) * plane + row * width + column
                while stack != 0:
                    owner = (stack & 7) - 1
                    for k in range(n):
                        if s.order[in_turn(first + k, n)] == owner:
                            out[below_top + k * plane] = 1
                    stack >>= 3
                    below_top += n * plane


@njit
def sound(s, p):
    """Return whether seats, goats and decision are valid, and `tops` and `arrived` fit the stacks.

    During placement there are as many goats as plies.
    """
    n = len(s.returns)
    seats = 0
    for k in range(n):
        if s.order[k] < 0 or s.order[k] >= n:
            return False
        seats |= 1 << s.order[k]
    if seats != (1 << n) - 1:
        return False
    if s.die < 0 or s.die > p.height or s.last_die < 0 or s.last_die > p.height:
        return False
    goats = count_goats(s, p)
    if goats < 0 or goats > p.goats * n or s.decision < PLACE or s.decision > FORWARD:
        return False
    if is_over(s):
        return True
    if s.decision == PLACE:
        return goats == s.ply and goats < p.goats * n
    if s.die == 0:
        return False
    return s.decision == SIDEWAYS or forward_columns(s, p, s.die - 1) != 0


@njit
def count_goats(s, p):
    """Return the number of goats; -1 for an invalid stack, or if `tops` or `arrived` differ."""
    n = len(s.returns)
    goats = 0
    arrived = 0  # five bits for each seat
    for row in range(p.height):
        showing = 0
        extra = 0
        for seat in range(n):
            if s.tops[seat, row] < 0:
                return -1
            extra += s.tops[seat, row]
        for column in range(p.width):
            stack = s.stacks[row, column]
            if stack == 0:
                continue
            if stack < 0 or stack >> (3 * p.goats * n) != 0:
                return -1
            top = (stack & 7) - 1
            if top < 0 or top >= n or (s.tops[top, row] >> column) & 1 == 0:
                return -1
            showing |= 1 << column
            while stack != 0:
                seat = (stack & 7) - 1
                if seat < 0 or seat >= n:
                    return -1
                goats += 1
                if column == p.width - 1:
                    arrived += 1 << (5 * seat)
                stack >>= 3
        if extra != showing:  # `tops` has a goat on an empty cell, or two on one cell
            return -1
    for seat in range(n):
        if s.arrived[seat] != (arrived >> (5 * seat)) & 31:
            return -1
    return goats
