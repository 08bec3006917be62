"""The classes and the console program of Goat Race's source document.

The classes hold goats and players as objects. `boardenvs.goat_race.rules` decides where a goat may
be placed or moved and how the race ends, on a record of the current board.
"""

from __future__ import annotations

import functools
import itertools
import random
import re
from collections.abc import Callable, Iterator, Sequence
from string import ascii_uppercase
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from boardenvs.core.checks import whole_number
from boardenvs.game import States
from boardenvs.goat_race import GoatRace
from boardenvs.goat_race.positions import ARRIVALS, GOATS
from boardenvs.goat_race.text import COLORS, position_to_text
from boardenvs.show.grid import grid_text

__all__ = ["Board", "Game", "Goat", "Player", "Quit", "Stack", "start"]

Cell = tuple[int, str]
"""A row and a column, such as `(1, "C")`."""
T = TypeVar("T")
_PLACE, _SIDEWAYS, _FORWARD = range(3)  # decisions of boardenvs.goat_race.rules


class Stack(Generic[T]):
    """A stack of items: only the last item pushed can be read or removed."""

    def __init__(self) -> None:
        self._items: list[T] = []

    def push(self, item: T) -> None:
        """Push an item on top."""
        self._items.append(item)

    def pop(self) -> T:
        """Remove and return the top item.

        Raises:
            IndexError: if the stack is empty.
        """
        top = self.peek()
        self._items.pop()
        return top

    def peek(self) -> T:
        """Return the top item.

        Raises:
            IndexError: if the stack is empty.
        """
        if not self._items:
            raise IndexError("the stack is empty")
        return self._items[-1]

    def is_empty(self) -> bool:
        """Return whether the stack is empty."""
        return not self._items

    def size(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        """Return the items from the bottom up."""
        return iter(self._items)


def _color(color: Any) -> str:
    if not isinstance(color, str) or color not in COLORS:
        raise ValueError(f"color must be one of {', '.join(COLORS)}, got {color!r}")
    return color


class Goat:
    """A goat and its cell, once it is placed.

    Raises:
        ValueError: if the colour is unknown.
    """

    def __init__(self, color: str) -> None:
        self._color = _color(color)
        self._row = -1
        self._column: str | int = -1

    def __str__(self) -> str:
        return f"{self._column}{self._row}"

    def __repr__(self) -> str:
        return f"<{self._color} goat at {self}>"

    def get_color(self) -> str:
        """Return the goat's colour."""
        return self._color

    def get_row(self) -> int:
        """Return the goat's row, counted from 1; -1 until it is placed."""
        return self._row

    def get_column(self) -> str | int:
        """Return the letter of the goat's column; -1 until it is placed."""
        return self._column

    def set_row(self, row: int) -> None:
        """Set the row. Raises `ValueError` if `row` is not an integer of at least 1."""
        self._row = whole_number("row", row, 1)

    def set_column(self, column: str) -> None:
        """Set the column. Raises `ValueError` if `column` is not a letter from A to Z."""
        if not isinstance(column, str) or len(column) != 1 or column not in ascii_uppercase:
            raise ValueError(f"column must be a letter from A to Z, got {column!r}")
        self._column = column


class Player:
    """A player and its goats.

    Raises:
        ValueError: if the colour is unknown.
    """

    def __init__(self, color: str) -> None:
        self._color = _color(color)
        self._goats: list[Goat] = []

    def __str__(self) -> str:
        goats = [f"{goat.get_color()} {goat}" for goat in self._goats]
        return "\n".join([self._color, "Goats:", *goats])

    def add_goat(self, goat: Goat) -> None:
        """Give the player a goat; a player has at most four.

        Raises:
            ValueError: if `goat` is not a goat of the player's colour, or the player already
                has it or four goats.
        """
        if not isinstance(goat, Goat) or goat.get_color() != self._color:
            raise ValueError(f"expected a {self._color} goat, got {goat!r}")
        if any(own is goat for own in self._goats):
            raise ValueError(f"{self._color} has the goat {goat!r} already")
        if len(self._goats) >= GOATS:
            raise ValueError(f"{self._color} has all its {GOATS} goats already")
        self._goats.append(goat)

    def remove_goat(self, goat: Goat) -> None:
        """Remove a goat of the player. Raises `ValueError` if the player does not have it."""
        if goat not in self._goats:
            raise ValueError(f"{self._color} has no goat {goat!r}")
        self._goats.remove(goat)

    def get_color(self) -> str:
        """Return the player's colour."""
        return self._color

    def get_goats(self) -> list[Goat]:
        """Return a new list of the player's goats."""
        return list(self._goats)

    def get_number_of_goats(self) -> int:
        """Return the number of the player's goats."""
        return len(self._goats)


class Board:
    """Stacks of goats on a grid, with obstacles.

    Raises:
        ValueError: if the board is not from 3 x 1 to 26 x 26 cells, or an obstacle is not
            between the first and last column.
    """

    def __init__(self, width: int, height: int, obstacle_positions: Sequence[Cell]) -> None:
        self._width = whole_number("width", width, 3, 26)
        self._height = whole_number("height", height, 1, 26)
        self.check_obstacle_positions(obstacle_positions)
        self._obstacles = {(row - 1, _index(column)) for row, column in obstacle_positions}
        self._stacks = [[Stack[Goat]() for _ in range(width)] for _ in range(height)]

    def check_row(self, row: int) -> None:
        """Raise `ValueError` unless `row` is an integer from 1 to the height."""
        whole_number("row", row, 1, self._height)

    def check_column(self, column: str) -> None:
        """Raise `ValueError` unless `column` is the letter of a column."""
        letters = ascii_uppercase[: self._width]
        if not isinstance(column, str) or len(column) != 1 or column not in letters:
            raise ValueError(f"column must be a letter from A to {letters[-1]}, got {column!r}")

    def check_obstacle_positions(self, obstacle_positions: Sequence[Cell]) -> None:
        """Raise `ValueError` unless these are cells between the first and last column."""
        if not isinstance(obstacle_positions, list | tuple):
            raise ValueError(
                f"obstacle_positions must be a list of (row, column), got {obstacle_positions!r}"
            )
        for position in obstacle_positions:
            self.check_cell(position)
            if _index(position[1]) in (0, self._width - 1):
                raise ValueError(f"an obstacle may not be in the first or last column: {position}")

    def check_cell(self, cell: Cell) -> None:
        """Raise `ValueError` unless `cell` is a pair of a row and a column of the board."""
        if not isinstance(cell, list | tuple) or len(cell) != 2:
            raise ValueError(f"expected a pair (row, column), got {cell!r}")
        self.check_row(cell[0])
        self.check_column(cell[1])

    def get_width(self) -> int:
        """Return the number of columns."""
        return self._width

    def get_height(self) -> int:
        """Return the number of rows."""
        return self._height

    def get_board(self) -> list[list[Stack[Goat]]]:
        """Return the stacks, row by row. The caller may change them."""
        return self._stacks

    def is_obstacle(self, row: int, column: str) -> bool:
        """Return whether a cell has an obstacle."""
        return (row - 1, _index(column)) in self._obstacles

    def get_stack(self, row: int, column: str) -> Stack[Goat]:
        """Return the stack on a cell."""
        return self._stacks[row - 1][_index(column)]

    def get_tops(self) -> list[str]:
        """Return a string for each row: the top goat's first letter, `X`, or a blank."""
        return [
            "".join(
                "X" if (r, c) in self._obstacles else _top(stack)[:1] or " "
                for c, stack in enumerate(row)
            )
            for r, row in enumerate(self._stacks)
        ]

    def __str__(self) -> str:
        return grid_text(self.get_tops()).rstrip("\n")


def _index(column: str) -> int:
    return ascii_uppercase.index(column)


def _top(stack: Stack[Goat]) -> str:
    """Return the colour of the top goat; "" for an empty stack."""
    return "" if stack.is_empty() else stack.peek().get_color()


class Game:
    """A game of Goat Race: a board, players, a phase (1, 2 or 3) and a turn.

    `turn` is an index into `players`, which are in the order in which they joined. Only
    `set_turn` and `set_phase` change the turn and the phase. A method that raises `ValueError`
    changes nothing.

    Raises:
        ValueError: as for `Board`.
    """

    def __init__(self, width: int, height: int, obstacle_positions: Sequence[Cell]) -> None:
        self.board = Board(width, height, obstacle_positions)
        self.players: list[Player] = []
        self.phase = 1
        self.turn = 0
        self._placing = False  # whether a goat was placed in phase 2
        self._rules = _rules(width, height)

    def __str__(self) -> str:
        colors = [player.get_color() for player in self.players]
        turn = colors[self.turn] if self.turn < len(colors) else ""
        return position_to_text(self.board.get_tops(), colors, self.phase, turn).rstrip()

    def get_phase(self) -> int:
        """Return the phase: 1 for the order of play, 2 for placement, 3 for the race."""
        return self.phase

    def get_turn(self) -> int:
        """Return the index of the player to move."""
        return self.turn

    def get_current_player(self) -> Player:
        """Return the player to move. Raises `ValueError` if there is no player."""
        if self.turn >= len(self.players):
            raise ValueError("there is no player yet whose turn it could be")
        return self.players[self.turn]

    def set_phase(self, phase: int) -> None:
        """Set the phase: 1, 2 or 3."""
        self.phase = whole_number("phase", phase, 1, 3)

    def set_turn(self, turn: int) -> None:
        """Set the player to move, an index into `players`."""
        if not self.players:
            raise ValueError("there is no player yet whose turn it could be")
        self.turn = whole_number("turn", turn, 0, len(self.players) - 1)

    def add_player(self, player: Player) -> None:
        """Add a player; at most five, each of another colour."""
        if not isinstance(player, Player):
            raise ValueError(f"expected a player, got {player!r}")
        if any(other.get_color() == player.get_color() for other in self.players):
            raise ValueError(f"there is a {player.get_color()} player already")
        self.players.append(player)

    # -- Moves ----------------------------------------------------------------------------

    def add_goat(self, row: int, column: str) -> None:
        """Place a goat of the current player on a cell.

        The goat is the player's first goat that is not on the board. A player without such a goat
        gets a new one.

        Raises:
            ValueError: if the cell is off the board or has an obstacle, in phase 2 if the rules
                do not allow a goat there, or if the player has placed four goats.
        """
        self.board.check_cell((row, column))
        player = self.get_current_player()
        if self.board.is_obstacle(row, column):
            raise ValueError(f"there is an obstacle on {column}{row}")
        if self.phase == 2 and column != "A":
            raise ValueError(f"a goat is placed in column A, not in {column}")
        if self.phase == 2 and not self.check_starting_goat_placement(row):
            raise ValueError(f"row {row} of the gate has a higher stack than another row")
        color = player.get_color()
        if self._count(color) >= GOATS:
            raise ValueError(f"{color} has placed all its {GOATS} goats already")
        placed = set(self._placed_goats())
        goat = next((own for own in player.get_goats() if own not in placed), None)
        if goat is None:
            goat = Goat(color)
            player.add_goat(goat)
        self._put(goat, row, column)
        self._placing |= self.phase == 2

    def move_sideways(self, move: Sequence[Cell]) -> None:
        """Move a goat of the current player one row up or down.

        Raises:
            ValueError: if the move is malformed, not one row up or down, or not allowed by the
                rules, for example before all goats are placed.
        """
        self.check_valid_move_format(move)
        self._check_placed()
        (row, column), (to_row, to_column) = move
        self._check_top(row, column)
        if column != to_column or abs(row - to_row) != 1:
            raise ValueError(f"{_typed(move)} is not one row up or down")
        color = self.get_current_player().get_color()
        if _top(self.board.get_stack(row, column)) != color:
            raise ValueError(f"the goat on top of {column}{row} is not {color}")
        if not self.get_sideways_moves(move):
            raise ValueError(f"there is an obstacle on {to_column}{to_row}")
        self._move(move)

    def move_forward(self, move: Sequence[Cell], dice_outcome: int) -> None:
        """Move a goat of any colour one column forward in the row of the throw.

        Raises:
            ValueError: if the move is malformed, not one column forward in that row, or not
                allowed by the rules, for example before all goats are placed.
        """
        self.check_valid_move_format(move)
        self._check_placed()
        whole_number("dice_outcome", dice_outcome, 1, self.board.get_height())
        (row, column), (to_row, to_column) = move
        if row != dice_outcome:
            raise ValueError(f"{_typed(move)} is not in row {dice_outcome}, which was thrown")
        self._check_top(row, column)
        if row != to_row or _index(to_column) != _index(column) + 1:
            raise ValueError(f"{_typed(move)} is not one column forward")
        if not self._movable_forward()[row - 1, _index(column)]:
            raise ValueError(f"there is an obstacle on {to_column}{to_row}")
        self._move(move)

    def _check_placed(self) -> None:
        """Raise `ValueError` unless the game is in phase 3 and all goats are placed."""
        if self.phase != 3:
            raise ValueError(f"goats move in phase 3, when all are placed; this is {self.phase}")
        if colors := self._colors_to_place():
            raise ValueError(f"{colors[0]} has not placed all its {GOATS} goats")

    def _colors_to_place(self) -> list[str]:
        """Return the colours of the players who have not placed all goats since phase 2 began.

        A board that was set up without phase 2 may have any number of goats.
        """
        colors = [player.get_color() for player in self.players]
        return [color for color in colors if self._placing and self._count(color) < GOATS]

    def _check_top(self, row: int, column: str) -> None:
        if self.board.get_stack(row, column).is_empty():
            raise ValueError(f"there is no goat on {column}{row}")

    def _move(self, move: Sequence[Cell]) -> None:
        begin, end = move
        self._put(self.board.get_stack(*begin).pop(), *end)

    def _put(self, goat: Goat, row: int, column: str) -> None:
        self.board.get_stack(row, column).push(goat)
        goat.set_row(row)
        goat.set_column(column)

    # -- Questions ------------------------------------------------------------------------

    def check_row(self, row: int) -> None:
        """Raise `ValueError` unless `row` is an integer from 1 to the board's height."""
        self.board.check_row(row)

    def check_valid_move_format(self, move: Sequence[Cell]) -> None:
        """Raise `ValueError` unless `move` is a list of two tuples `(row, column)` of the board."""
        if not isinstance(move, list) or len(move) != 2:
            raise ValueError(f"a move must be a list of two (row, column), got {move!r}")
        for cell in move:
            if not isinstance(cell, tuple):
                raise ValueError(f"expected a tuple (row, column), got {cell!r}")
            self.board.check_cell(cell)

    def check_nonempty_row(self, row: int) -> bool:
        """Return whether a goat of a row can move forward."""
        self.check_row(row)
        return bool(self._movable_forward()[row - 1].any())

    def check_starting_goat_placement(self, row: int) -> bool:
        """Return whether no stack of the gate is lower than the stack of a row."""
        self.check_row(row)
        states = self._position(_PLACE)
        heights = [stacks[0].size() for stacks in self.board.get_board()]
        for r, height in enumerate(heights):  # only the differences of the heights matter
            states["stacks"][0, r, 0] = 8 ** min(height - min(heights), 2) - 1
        return bool(self._rules.arrays.legal(states)[0, row - 1])

    def check_winner(self) -> bool:
        """Return whether a player has three goats in the Destination."""
        return bool(self._judged()["returns"].any())

    def check_tie(self) -> bool:
        """Return whether all goats are placed, none can move forward and no player has won."""
        states = self._judged()
        goats = any(states["tops"].flat) and not self._colors_to_place()
        return bool(goats and states["terminated"][0] and not states["returns"].any())

    def get_goats_blocked(self, player: Player) -> int:
        """Return the number of a player's goats that are covered, before an obstacle or arrived."""
        if not isinstance(player, Player):
            raise ValueError(f"expected a player, got {player!r}")
        free = self._movable_forward()
        mine = [
            (r, c)
            for r, row in enumerate(self.board.get_board())
            for c, stack in enumerate(row)
            if _top(stack) == player.get_color()
        ]
        return self._count(player.get_color()) - sum(bool(free[cell]) for cell in mine)

    def get_goats_per_player(self) -> list[int]:
        """Return each player's number of goats on the board."""
        return [self._count(player.get_color()) for player in self.players]

    def get_sideways_moves(self, move: Sequence[Cell] | None = None) -> list[str]:
        """Return the current player's sideways moves as typed, or only `move` if it is given."""
        states = self._position(_SIDEWAYS)
        states["to_move"] = COLORS.index(self.get_current_player().get_color())
        actions = np.flatnonzero(self._rules.arrays.legal(states)[0, : self._rules.stay]).tolist()
        moves = [self._rules.action_to_text(action) for action in actions]
        return [typed for typed in moves if move is None or typed == _typed(move)]

    def _count(self, color: str) -> int:
        """Return the number of goats of a colour on the board, including covered goats."""
        return sum(goat.get_color() == color for goat in self._placed_goats())

    def _placed_goats(self) -> Iterator[Goat]:
        """Return the goats on the board, including covered goats."""
        return (goat for row in self.board.get_board() for stack in row for goat in stack)

    def _movable_forward(self) -> npt.NDArray[np.bool_]:
        """Return the cells with a goat that can move forward: bool, shape (height, width)."""
        states = np.repeat(self._position(_FORWARD), self.board.get_height())
        states["die"] = np.arange(1, self.board.get_height() + 1)
        return self._rules.arrays.legal(states)[:, -self.board.get_width() :]

    def _judged(self) -> States:
        """Return the record of the position after the rules have ended it, if it is over."""
        states = self._position(_SIDEWAYS)
        for row in self.board.get_board():
            for goat in row[-1]:
                states["arrived"][0, COLORS.index(goat.get_color())] += 1
        self._rules.kernels.judge_games(states, self._rules.constants)
        return states

    def _position(self, decision: int) -> States:
        """Return a record of the board, with a seat for each colour; shape (1,).

        Each stack has only its top goat, since the rules used here ignore the other goats. If the
        heights of the gate matter, the caller adds them.
        """
        states = self._rules.start.copy()
        states["decision"] = decision
        for r, row in enumerate(self.board.get_board()):
            for c, stack in enumerate(row):
                if self.board.is_obstacle(r + 1, ascii_uppercase[c]):
                    states["blocked"][0, r] |= 1 << c
                elif not stack.is_empty():
                    seat = COLORS.index(stack.peek().get_color())
                    states["stacks"][0, r, c] = seat + 1
                    states["tops"][0, seat, r] |= 1 << c
        return states


def _typed(move: Sequence[Cell]) -> str:
    """Return a move as it is typed, such as `C4C5`."""
    return "".join(f"{column}{row}" for row, column in move)


@functools.cache
def _rules(width: int, height: int) -> GoatRace:
    """Return the game of a board, with a seat for every colour, since any colours may play."""
    return GoatRace(num_players=len(COLORS), width=width, height=height)


# -- The program --------------------------------------------------------------------------


class Quit(Exception):  # noqa: N818 not an error
    """Raised when a player types `q`."""


def start(width: int = 9, height: int = 6, seed: int | None = None) -> None:
    """Play all three phases at the keyboard, until the end or `q`.

    Args:
        width: number of columns of the board.
        height: number of rows of the board and of faces of the die.
        seed: seed of obstacles and dice; `None` for a random one.

    Raises:
        EOFError: if the input ends before the game.
    """
    chance = random.Random(seed)
    columns = ascii_uppercase[1 : width - 1]
    game = Game(width, height, [(row, chance.choice(columns)) for row in range(1, height + 1)])
    print("Goat Race: t throws the die, s skips a sideways move, q quits.")
    try:
        for color in COLORS[: _ask_number_of_players()]:
            game.add_player(Player(color))
        order = _find_order(game, chance)
        _place(game, order)
        _race(game, order, chance)
    except Quit:
        print("Goodbye.")


def _find_order(game: Game, chance: random.Random) -> list[int]:
    """Play phase 1, one throw for each player, and return the turns in the order of play."""
    throws = []
    for turn in range(len(game.players)):
        game.set_turn(turn)
        throws.append(_throw(game, chance))
    # Highest throw first; of equal throws, the later one first.
    order = sorted(range(len(throws)), key=lambda turn: (throws[turn], turn), reverse=True)
    print(f"Order of play: {', '.join(game.players[turn].get_color() for turn in order)}")
    return order


def _place(game: Game, order: Sequence[int]) -> None:
    """Play phase 2: one goat on the gate in each turn."""
    game.set_phase(2)
    for turn in list(order) * GOATS:
        game.set_turn(turn)
        print(game)
        while True:
            typed = _ask(game, f"row of the gate for a goat, 1 to {game.board.get_height()}")
            if not re.fullmatch("[0-9]{1,3}", typed):
                print("Please type a row, such as 1.")
                continue
            try:
                game.add_goat(int(typed), "A")
                break
            except ValueError as error:
                print(_sentence(error))


def _race(game: Game, order: Sequence[int], chance: random.Random) -> None:
    """Play phase 3: turns until the end."""
    game.set_phase(3)
    turns = itertools.cycle(order)
    while not _is_over(game):
        game.set_turn(next(turns))
        print(game)
        die = _throw(game, chance)
        if not game.get_sideways_moves():
            print("No goat of yours can move sideways.")
        elif _move(game, game.move_sideways, "sideways move such as C4C5, or s for none", "S"):
            if _is_over(game):
                break
            print(game)
        if not game.check_nonempty_row(die):
            print(f"No goat in row {die} can move forward.")
            continue
        ahead = functools.partial(game.move_forward, dice_outcome=die)
        _move(game, ahead, f"forward move in row {die}, such as B{die}C{die}")
    print(game)
    winner = next((p for p in game.players if _arrived(game, p) >= ARRIVALS), None)
    print(f"{winner.get_color()} wins!" if winner else "No goat can move forward: a draw.")


def _is_over(game: Game) -> bool:
    return game.check_winner() or game.check_tie()


def _arrived(game: Game, player: Player) -> int:
    last = ascii_uppercase[game.board.get_width() - 1]
    return sum(goat.get_column() == last for goat in player.get_goats())


def _move(
    game: Game, move: Callable[[list[Cell]], None], what: str, skip: str | None = None
) -> bool:
    """Ask until a move is made or skipped, and return whether it was made."""
    while True:
        typed = _ask(game, what)
        if typed == skip:
            return False
        found = re.fullmatch("([A-Z])([0-9]{1,3})([A-Z])([0-9]{1,3})", typed)
        if found is None:
            print("Please type the start and the end of a move, such as C4C5.")
            continue
        try:
            move([(int(found[2]), found[1]), (int(found[4]), found[3])])
        except ValueError as error:
            print(_sentence(error))
        else:
            return True


def _throw(game: Game, chance: random.Random) -> int:
    """Let the player to move throw the die."""
    while _ask(game, "t to throw the die") != "T":
        print("Please type t, or q to quit.")
    thrown = chance.randint(1, game.board.get_height())
    print(f"{game.get_current_player().get_color()} throws {thrown}.")
    return thrown


def _ask_number_of_players() -> int:
    while True:
        typed = _read("Number of players (2 to 5): ")
        if re.fullmatch("[2-5]", typed):
            return int(typed)
        print("Please type a number from 2 to 5.")


def _ask(game: Game, what: str) -> str:
    """Return the answer of the player to move."""
    return _read(f"{game.get_current_player().get_color()}, {what}: ")


def _read(prompt: str) -> str:
    """Return one line in upper case without blanks, or raise `Quit` for `q`."""
    typed = re.sub(r"\s", "", input(prompt)).upper()
    if typed == "Q":
        raise Quit
    return typed


def _sentence(error: ValueError) -> str:
    text = str(error)
    return f"{text[0].upper()}{text[1:]}."
