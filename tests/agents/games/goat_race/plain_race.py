"""Values of tiny Goat Races by plain expectimax, with rules of its own.

A board is a tuple of stacks by row and column, and a stack is a string of places in the order of
play, from the bottom. Each player maximises the own mean result over all throws, and plays each
best action equally often.
"""

import functools


class PlainRace:
    """A race with a given number of plies left."""

    def __init__(self, players, goats, arrivals, height, width, walls, *, jump):
        self.players = players
        self.goats = goats
        self.arrivals = arrivals
        self.height = height
        self.width = width
        self.walls = walls  # column of each row's obstacle
        self.jump = jump
        self.before_throw = functools.cache(self.before_throw)
        self.aside = functools.cache(self.aside)
        self.ahead = functools.cache(self.ahead)

    def free(self, row, column):
        inside = 0 <= row < self.height and 0 <= column < self.width
        return inside and self.walls[row] != column

    def moved(self, board, start, to):
        rows = [list(row) for row in board]
        goat = rows[start[0]][start[1]][-1]
        rows[start[0]][start[1]] = rows[start[0]][start[1]][:-1]
        rows[to[0]][to[1]] += goat
        return tuple(map(tuple, rows))

    def moves_ahead(self, board, row):
        return [
            ((row, c), (row, c + 1))
            for c in range(self.width - 1)
            if board[row][c] and self.free(row, c + 1)
        ]

    def moves_aside(self, board, place):
        return [
            ((r, c), (r + d, c))
            for r in range(self.height)
            for c in range(self.width)
            for d in (-1, 1)
            if board[r][c][-1:] == str(place) and self.free(r + d, c)
        ]

    def result(self, board):
        """Return the results of a board on which the race is over, else None."""
        there = "".join(row[-1] for row in board)
        for place in range(self.players):
            if there.count(str(place)) >= self.arrivals:
                loss = -1 / (self.players - 1)
                return tuple(1 if k == place else loss for k in range(self.players))
        ways = [self.moves_ahead(board, row) for row in range(self.height)]
        if self.jump:
            ways += [self.moves_aside(board, place) for place in range(self.players)]
        return None if any(ways) else (0,) * self.players

    def best(self, place, values):
        top = max(value[place] for value in values)
        equal = [value for value in values if value[place] >= top - 1e-9]
        return tuple(sum(parts) / len(equal) for parts in zip(*equal, strict=True))

    def before_throw(self, board, place, left):
        """Return the mean values over the throws of a player."""
        if (result := self.result(board)) is not None:
            return result
        if left == 0:
            return (0,) * self.players
        # Throws that skip players repeat, so the chance to come back here is divided out.
        totals, chance, at = [0] * self.players, 1.0, place
        while True:
            skipped = 0
            for row in range(self.height):
                if self.moves_aside(board, at):
                    value = self.aside(board, at, row, left)
                elif self.moves_ahead(board, row):
                    value = self.ahead(board, at, row, left)
                else:
                    skipped += 1
                    continue
                totals = [t + chance * v / self.height for t, v in zip(totals, value, strict=True)]
            chance *= skipped / self.height
            at = (at + 1) % self.players
            if at == place or chance == 0:
                return tuple(t / (1 - chance) for t in totals)

    def after_aside(self, board, place, row, left):
        if (result := self.result(board)) is not None:
            return result
        if left == 0:
            return (0,) * self.players
        if self.moves_ahead(board, row):
            return self.ahead(board, place, row, left)
        return self.before_throw(board, (place + 1) % self.players, left)

    def aside_values(self, board, place, row, left):
        """Return the values after each sideways move; the key None is to stay."""
        found = {None: self.after_aside(board, place, row, left - 1)}
        for move in self.moves_aside(board, place):
            found[move] = self.after_aside(self.moved(board, *move), place, row, left - 1)
        return found

    def aside(self, board, place, row, left):
        return self.best(place, list(self.aside_values(board, place, row, left).values()))

    def ahead_values(self, board, place, row, left):
        following = (place + 1) % self.players
        return {
            move: self.before_throw(self.moved(board, *move), following, left - 1)
            for move in self.moves_ahead(board, row)
        }

    def ahead(self, board, place, row, left):
        return self.best(place, list(self.ahead_values(board, place, row, left).values()))

    def place_values(self, board, placed, left):
        """Return the values after a goat is placed in each of the lowest rows."""
        place = placed % self.players
        gate = [len(row[0]) for row in board]
        found = {}
        for row in range(self.height):
            if gate[row] == min(gate):
                rows = [list(cells) for cells in board]
                rows[row][0] += str(place)
                after = tuple(map(tuple, rows))
                if left == 1 and placed + 1 < self.goats * self.players:
                    found[row] = (0,) * self.players
                elif placed + 1 == self.goats * self.players:
                    found[row] = self.before_throw(after, 0, left - 1)
                else:
                    values = list(self.place_values(after, placed + 1, left - 1).values())
                    found[row] = self.best((placed + 1) % self.players, values)
        return found
