"""Dominoes 175, a game of stacking dominoes for one player. The README.md here has its rules."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from boardenvs.core.checks import counted, require_implied, shown, whole_number
from boardenvs.dominoes175 import rules
from boardenvs.dominoes175 import text as notation
from boardenvs.dominoes175.picture import table_picture
from boardenvs.dominoes175.presentation import Dominoes175Presentation
from boardenvs.dominoes175.rules import CELLS, GOAL, STACKS
from boardenvs.game import Game, States

__all__ = ["Dominoes175"]

_TILES = [(int(low), int(high)) for low, high in zip(rules.LOW, rules.HIGH, strict=True)]
"""Ends of each tile, smaller first, indexed by its number."""
_HELD = np.full((256, 2), -1, np.int8)  # -1 for no tile and for invalid values of records
_HELD[:CELLS] = _TILES
_NUMBERS = {ends: number for number, ends in enumerate(_TILES)}

# A turn is two plies. The sixteenth tile completes a stack of six, if no earlier tile does.
_LONGEST = 2 * (STACKS * (GOAL - 1) + 1)


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _pair(what: str, value: Any) -> tuple[int, int]:
    """Return two numbers of dots, or raise `ValueError`."""
    pair = _plain(value)
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise ValueError(f"{what} must have pairs of dots such as [0, 6], got {shown(value)}")
    try:
        return whole_number("", pair[0], 0, 6), whole_number("", pair[1], 0, 6)
    except ValueError:
        raise ValueError(f"{what} must have dots from 0 to 6, got {shown(value)}") from None


def _tile(what: str, value: Any) -> int:
    """Return the number of a tile given by its ends, or raise `ValueError`."""
    ends = _pair(what, value)
    return _NUMBERS[min(ends), max(ends)]


def _full_set(what: str, value: Any) -> list[int]:
    """Return the numbers of 28 tiles given as pairs. Raises `ValueError` if one is missing."""
    pairs = _plain(value)
    if not isinstance(pairs, list | tuple) or len(pairs) != CELLS:
        raise ValueError(f"{what} must be {CELLS} pairs, a full set, got {shown(pairs)}")
    tiles: list[int] = []
    for pair in pairs:
        tile = _tile(what, pair)
        if tile in tiles:
            raise ValueError(f"{what} must be a full set, got {list(_TILES[tile])} twice")
        tiles.append(tile)
    return tiles


class Dominoes175(Game):  # noqa: D101 its docstring begins with `about`
    about = """
    One player turns over the tiles of a double-six set and builds three stacks.

    - Rules: a tile that was turned over is played on an empty stack, either end up, or on a
      stack whose top it matches. A stack of six tiles wins. A tile that fits on no stack loses.
    - Arguments: `deck=None` (shuffled, or 28 pairs in the order of the cells),
      `max_plies=32` (no game is longer).
    - Observation: int8 (109,): cells left, unseen tiles, ends in hand, tops and heights.
    - Actions: Discrete(34): 28 cells to turn over (`0,3`), then `28 + 2 * stack`, plus 1
      with the smaller end on top (`0 6`).
    - Rewards: +1 for a win, -1 for a loss; 0 when truncated.
    - Start and end: all tiles face down; a win or a loss.
    - Hidden and random: the tiles not turned over, which are shuffled.
    """
    __doc__ = f"""{about}
    Version history: v0, first version.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> import boardenvs
        >>> game = boardenvs.make("dominoes175")
        >>> states = game.new(2, seed=0)
        >>> game.play(states, [game.action_from_text("0,0"), game.action_from_text("1,2")])
        >>> game.observe(states, seat=0).shape, game.presentation.turn_line(states[0])
        ((2, 109), 'Tile in hand: [3|6]')
    """

    name = "dominoes175"
    title = "Dominoes 175"
    presentation_class = Dominoes175Presentation
    has_chance = True
    has_hidden = True
    param_readers: ClassVar = {"deck": notation.deck_from_text}
    seat_names = ("Player",)

    def __init__(self, deck: Any = None, max_plies: int | None = None) -> None:
        tiles = None if deck is None else _full_set("deck", deck)
        self.deck = tiles
        super().__init__(
            params={
                "deck": None if tiles is None else [list(_TILES[tile]) for tile in tiles],
                "max_plies": _LONGEST if max_plies is None else max_plies,
            },
            num_players=1,
            num_actions=CELLS + 2 * STACKS,
            observation_shape=(rules.OBSERVED,),
            fields=[
                ("grid", np.int8, (CELLS,)),
                ("taken", np.int8, (CELLS,)),  # Numba supports no nested bools
                ("hand", np.int8),
                ("heights", np.int8, (STACKS,)),
                ("dots", np.int8, (STACKS, GOAL + 1)),
            ],
            constants={
                "shuffled": (np.bool_, tiles is None),
                "deck": ((np.int8, (CELLS,)), np.arange(CELLS) if tiles is None else tiles),
            },
        )
        self.start["hand"] = -1
        self.start["dots"] = -1

    @property
    def most_chance_outcomes(self) -> int:
        return CELLS if self.deck is None else 0

    def info(self, state: np.void | States) -> dict[str, Any]:
        """Return `hand`: the ends of the tile in hand, smaller first, or -1, -1; int8 (2,)."""
        return {"hand": _HELD[state["hand"].item()].copy()}

    def infos(self, states: States) -> dict[str, npt.NDArray[Any]]:
        return {"hand": _HELD.take(self.arrays.records(states)["hand"], 0, mode="wrap")}

    def to_text(self, state: np.void) -> str:
        record = self.arrays.one(state)
        cells = [notation.TAKEN if taken else notation.HIDDEN for taken in record["taken"]]
        stacks = [[notation.tile_to_text(*t) for t in stack] for stack in self._stacks(record)]
        return notation.table_to_text(cells, stacks)

    def from_text(
        self,
        text: str,
        *,
        to_move: int | None = None,
        ply: int | None = None,
        hand: Any = None,
    ) -> np.void:
        """Return the position that a text shows.

        The text does not show which cell each tile is from. Without a `deck`, the tiles on the
        stacks and in hand are put on the taken cells in order. The unseen tiles are put on the
        other cells in ascending order, until `conceal` shuffles them.

        Args:
            text: a text from `to_text`; blanks at the ends of lines are ignored.
            to_move: 0 or `None`.
            ply: number of plies played, which must match the text; `None` to derive it.
            hand: tile in hand as a pair; `None` or -1, -1 without one.

        Raises:
            ValueError: if the text is not a valid position, or does not match the tile in hand.
        """
        taken, stacks = notation.table_from_text(text)
        held = None if hand is None or np.array_equal(hand, (-1, -1)) else _tile("hand", hand)
        grid = self.deck
        if grid is None:
            used = [_tile("stacks", pair) for stack in stacks for pair in stack]
            used += [] if held is None else [held]
            if len(set(used)) < len(used):
                raise ValueError("stacks and hand must have each tile once, got a tile twice")
            if len(taken) != len(used):
                raise ValueError(
                    f"stacks and hand must have as many tiles as cells are taken, {len(taken)}, "
                    f"got {len(used)}: pass the tile in hand as hand"
                )
            unseen = [tile for tile in range(CELLS) if tile not in used]
            grid = [used.pop(0) if cell in taken else unseen.pop(0) for cell in range(CELLS)]
        fields = {"grid": [_TILES[tile] for tile in grid], "taken": taken, "stacks": stacks}
        record = self._from_fields(fields, to_move, ply)
        if held is not None and held != record["hand"]:
            raise ValueError(
                f"hand must be {self.hand_of(record)} with this deck, got {_TILES[held]}"
            )
        return record

    def action_to_text(self, action: int, state: np.void | None = None) -> str:
        action = whole_number("action", action, 0, self.num_actions - 1)
        return notation.action_to_text(
            action, None if state is None else self.hand_of(self.arrays.one(state))
        )

    def action_from_text(self, text: str, state: np.void | None = None) -> int:
        return notation.action_from_text(
            text, None if state is None else self.hand_of(self.arrays.one(state))
        )

    def picture(self, state: np.void) -> str:
        record = self.arrays.one(state)
        if record["truncated"]:
            status = "over, neither won nor lost"
        elif not record["terminated"]:
            status = "play the tile" if record["hand"] >= 0 else "turn over a tile"
        elif record["offender"] >= 0:
            status = "lost by an illegal action"
        else:
            status = "won" if record["returns"][0] > 0 else "lost"
        return table_picture(
            [bool(taken) for taken in record["taken"]],
            self.hand_of(record),
            self._stacks(record),
            last=int(record["last_action"]),
            status=status,
        )

    def hand_of(self, state: np.void | States) -> tuple[int, int] | None:
        """Return the ends of the tile in hand, smaller first, or `None`."""
        hand = state["hand"].item()
        return _TILES[hand] if 0 <= hand < CELLS else None

    def _stacks(self, state: np.void) -> list[list[tuple[int, int]]]:
        """Return the tiles of each stack from the bottom up, each as bottom and top."""
        return [
            [(int(dots[i]), int(dots[i + 1])) for i in range(min(height, GOAL))]
            for dots, height in zip(state["dots"], state["heights"], strict=True)
        ]

    def _position_to_dict(self, state: np.void) -> dict[str, Any]:
        return {
            "grid": [list(_TILES[t]) if 0 <= t < CELLS else int(t) for t in state["grid"]],
            "taken": [int(cell) for cell in np.flatnonzero(state["taken"])],
            "stacks": [[list(tile) for tile in stack] for stack in self._stacks(state)],
        }

    def _position_from_dict(self, fields: dict[str, Any], state: np.void) -> None:
        state["grid"] = grid = _full_set("grid", fields["grid"])
        taken = fields["taken"]
        if not isinstance(taken, list):
            raise ValueError(f"taken must be a list of cells, got {shown(taken)}")
        taken = [whole_number("taken", cell, 0, CELLS - 1) for cell in taken]
        if sorted(set(taken)) != taken:
            raise ValueError(f"taken must be different cells in ascending order, got {taken}")
        state["taken"][taken] = 1
        if self.deck is not None and any(grid[cell] != self.deck[cell] for cell in taken):
            raise ValueError("grid must have the tiles of the deck in the taken cells, got others")

        left = [grid[cell] for cell in taken]
        self._stacks_from_list(fields["stacks"], left, state)
        if len(left) > 1:
            raise ValueError(
                f"stacks must have all tiles of taken except one in hand, got "
                f"{len(taken) - len(left)} of {len(taken)}"
            )
        if left:
            state["hand"] = left[0]
        if (state["heights"] >= GOAL).sum() + len(left) > 1 and state["heights"].max() >= GOAL:
            raise ValueError(
                f"stacks must have at most one stack of {GOAL} and then no tile in hand, since "
                f"that stack wins, got more"
            )

        ply = 2 * (len(taken) - len(left)) + len(left)
        require_implied(fields, f"after {counted(len(taken), 'tile')}", ply=ply)
        if ply > self.max_plies:
            raise ValueError(f"ply must be at most {self.max_plies} (max_plies), got {ply}")
        state["ply"] = ply
        last = int(state["last_action"])
        if last >= 0 and not self._may_be_last(last, state):
            raise ValueError(f"last_action must lead to this position, got {last}")

    def _stacks_from_list(self, stacks: Any, left: list[int], state: np.void) -> None:
        """Write stacks of [bottom, top] pairs, and remove their tiles from `left`."""
        if not isinstance(stacks, list | tuple) or len(stacks) != STACKS:
            raise ValueError(f"stacks must be {STACKS} lists of [bottom, top], got {shown(stacks)}")
        for k, stack in enumerate(stacks):
            if not isinstance(stack, list | tuple) or len(stack) > GOAL:
                raise ValueError(
                    f"stacks must be lists of at most {GOAL} tiles [bottom, top], "
                    f"got {shown(stack)}"
                )
            state["heights"][k] = len(stack)
            for height, value in enumerate(stack):
                bottom, top = _pair("stacks", value)
                tile = _tile("stacks", value)
                if tile not in left:
                    raise ValueError(
                        f"stacks must have tiles that were turned over, each once, got "
                        f"[{bottom}, {top}]"
                    )
                left.remove(tile)
                if height and bottom != state["dots"][k, height]:
                    raise ValueError(
                        f"stacks must have matching ends, got [{bottom}, {top}] on "
                        f"{counted(state['dots'][k, height], 'dot')}"
                    )
                state["dots"][k, height : height + 2] = bottom, top

    def _may_be_last(self, action: int, state: np.void) -> bool:
        """Return whether an action can lead to a position."""
        if state["hand"] >= 0 or action < CELLS:
            return bool(
                state["hand"] >= 0 and action < CELLS and state["grid"][action] == state["hand"]
            )
        k, small_up = divmod(action - CELLS, 2)
        if not state["heights"][k] or state["heights"][k] < state["heights"].max() == GOAL:
            return False
        bottom, top = self._stacks(state)[k][-1]
        return bool(small_up == (top < bottom))
