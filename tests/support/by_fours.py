"""A second implementation of victory by fours, in plain Python without derived state.

A board maps each cell (row, column) to "X", "O" or ".".
"""

import itertools

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def board_of(rows):
    """Return the board of a drawing, given as one string per row."""
    return {(r, c): stone for r, row in enumerate(rows) for c, stone in enumerate(row)}


def completes(board, cell, colour, game):
    """Return whether a stone on an empty cell would win."""
    for down, right in DIRECTIONS:
        length = 1
        for way in (1, -1):
            for k in itertools.count(1):
                if board.get((cell[0] + way * k * down, cell[1] + way * k * right)) != colour:
                    break
                length += 1
        if length == game.win_length or (length > game.win_length and not game.exact):
            return True
    return False


def fives(board, colour, game, around=None):
    """Return the empty cells on which a colour would win, or only those in line with `around`."""
    if around is None:
        cells = [cell for cell, stone in board.items() if stone == "."]
    else:
        steps = [k for k in range(-game.win_length, game.win_length + 1) if k]
        lines = itertools.product(DIRECTIONS, steps)
        cells = [(around[0] + k * down, around[1] + k * right) for (down, right), k in lines]
        cells = [cell for cell in cells if board.get(cell) == "."]
    return [cell for cell in cells if completes(board, cell, colour, game)]


def wins_by_fours(board, colour, game, seen=None, reply=None):
    """Return moves with which `colour`, to move, wins by fours; `None` if there are none.

    The moves of both colours are included, up to the five. `seen` contains positions without such a
    win. `reply` is the cell on which the other colour just stopped the only five.
    """
    seen = set() if seen is None else seen
    key = "".join(board.values())
    if key in seen:
        return None
    seen.add(key)
    other = "O" if colour == "X" else "X"
    own = fives(board, colour, game) if reply is None else []
    if own:
        return [own[0]]
    against = fives(board, other, game, reply)
    if len(against) > 1:
        return None
    for cell in against or [cell for cell, stone in board.items() if stone == "."]:
        board[cell] = colour
        made = fives(board, colour, game, cell)
        line = None
        if len(made) > 1:
            line = [cell, made[0], made[1]]
        elif made:
            board[made[0]] = other
            rest = wins_by_fours(board, colour, game, seen, made[0])
            board[made[0]] = "."
            if rest:
                line = [cell, made[0], *rest]
        board[cell] = "."
        if line:
            return line
    return None
