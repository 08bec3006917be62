"""Goat Race, a race of stacked goats for two to five players. The README.md here has its rules."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from boardenvs.core.checks import one_of, truth_value, whole_number
from boardenvs.game import Game, States
from boardenvs.goat_race import positions
from boardenvs.goat_race import text as notation
from boardenvs.goat_race.picture import board_picture
from boardenvs.goat_race.positions import ARRIVALS, GOATS
from boardenvs.goat_race.presentation import GoatRacePresentation
from boardenvs.goat_race.text import COLORS, DECISIONS

__all__ = ["GoatRace"]

_DRAW_RULES = ("forward", "jump")


class GoatRace(Game):  # noqa: D101 its docstring begins with `about`
    about = """
    Two to five players race four goats each across a board on which goats stack.

    - Rules: the players place their goats in the first column. Then in each turn the die is
      thrown. The player may move one own goat one row up or down, and must move any goat in
      the row of the throw one column forward. Only top goats move, and not onto obstacles.
    - Arguments: `num_players=3` (2 to 5), `width=9` (3 to 26), `height=6` (1 to 26),
      `obstacles=None` (random, or one `(row, column)` for each row), `memory=False` (or `True`),
      `draw_rule='forward'` (or `'jump'`), `max_plies=2000`.
    - Observation: int8 (2 * num_players + 5, height, width): top goats of each player,
      obstacles, row of the throw, decision, player to move; with `memory=True` also the
      goats below the tops.
    - Actions: Discrete(height + 2 * height * width + 1 + width): a row to place in; from a
      cell up or down; no sideways move; forward from a column. As text `1`, `C4C5`, `s`, `B3C3`.
    - Rewards: +1 to the winner, -1/(n-1) to each other; 0 for a draw or when truncated.
    - Start and end: empty board, random obstacles and order of play. Three goats of a player in
      the last column win. If no goat can move forward, the game is a draw. Truncation after
      `max_plies`.
    - Hidden and random: dice and obstacles are random. All moves are public, but without
      `memory` the observation has only the top goats.
    """
    __doc__ = f"""{about}
    Version history: v0, first version.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> import boardenvs
        >>> game = boardenvs.make("goat_race", num_players=2)
        >>> states = game.new(2, seed=0)
        >>> actions = game.legal(states).argmax(1)
        >>> game.action_to_text(actions[0], states[0]), game.observe(states, seat=0).shape
        ('1', (2, 9, 6, 9))
    """

    name = "goat_race"
    title = "Goat Race"
    presentation_class = GoatRacePresentation
    has_chance = True
    observation_params = frozenset({"memory"})
    player_counts = (2, 5)
    param_readers: ClassVar = {"obstacles": notation.obstacles_from_text}

    def __init__(
        self,
        num_players: int = 3,
        width: int = 9,
        height: int = 6,
        obstacles: list[tuple[int, str]] | None = None,
        memory: bool = False,
        draw_rule: str = "forward",
        max_plies: int = 2000,
    ) -> None:
        num_players = whole_number("num_players", num_players, *self.player_counts)
        width = self.width = whole_number("width", width, 3, 26)
        height = self.height = whole_number("height", height, 1, 26)
        memory = truth_value("memory", memory)
        one_of("draw_rule", draw_rule, _DRAW_RULES)
        walls = None if obstacles is None else notation.walls(obstacles, height, width)
        self.seat_names = COLORS[:num_players]
        self.stay = height + 2 * height * width
        """The action that moves no goat sideways."""
        memory_planes = (GOATS * num_players - 1) * num_players if memory else 0
        super().__init__(
            params={
                "num_players": num_players,
                "width": width,
                "height": height,
                "obstacles": walls and notation.obstacles(walls),
                "memory": memory,
                "draw_rule": str(draw_rule),
                "max_plies": max_plies,
            },
            num_players=num_players,
            num_actions=self.stay + 1 + width,
            observation_shape=(2 * num_players + 5 + memory_planes, height, width),
            fields=[
                ("stacks", np.int64, (height, width)),
                ("tops", np.int32, (num_players, height)),
                ("blocked", np.int32, (height,)),
                ("arrived", np.int8, (num_players,)),
                ("order", np.int8, (num_players,)),
                ("decision", np.int8),  # see DECISIONS
                ("die", np.int8),  # current throw; 0 without one
                ("last_die", np.int8),  # `die` at the last action
            ],
            constants={
                "width": (np.int64, width),
                "height": (np.int64, height),
                "walls": ((np.int32, (height,)), [0] * height if walls is None else walls),
                "fixed": (np.bool_, walls is not None),
                "goats": (np.int64, GOATS),
                "arrivals": (np.int64, ARRIVALS),
                "memory": (np.bool_, memory),
                "jump": (np.bool_, draw_rule == "jump"),
            },
        )

    @property
    def most_chance_outcomes(self) -> int:
        return max(self.height, self.width - 2)  # faces of the die; columns for an obstacle

    def info(self, state: np.void | States) -> dict[str, Any]:
        """Return `die`: the current throw, an int8; 0 without one."""
        return {"die": state["die"][()]}

    def seats_in_turn(self, states: States) -> npt.NDArray[np.int64]:
        states = self.arrays.batch(states)
        order = states["order"].astype(np.int64)
        first = np.argmax(order == states["to_move"][:, None], axis=1)
        turns = (first[:, None] + np.arange(self.num_players)) % self.num_players
        return np.take_along_axis(order, turns, axis=1)

    def infos(self, states: States) -> dict[str, npt.NDArray[Any]]:
        return {"die": self.arrays.records(states)["die"].copy()}

    # -- Text ---------------------------------------------------------------------------

    def to_text(self, state: np.void) -> str:
        record = self.arrays.one(state)
        return notation.position_to_text(
            positions.tops(record),
            self.seat_names,
            2 if record["decision"] == 0 else 3,
            self.seat_names[record["to_move"]],
        )

    def from_text(
        self,
        text: str,
        *,
        to_move: int | None = None,
        ply: int | None = None,
        stacks: dict[str, str] | None = None,
        order: list[int] | None = None,
        decision: str | None = None,
        die: int | None = None,
        last_die: int = 0,
    ) -> np.void:
        """Return the position that a text shows, completed by the arguments.

        Args:
            text: a text from `to_text`.
            to_move: seat to move, which must be the seat in the text.
            ply: number of plies played; by default the minimum for the position.
            stacks: whole stacks by address, from the bottom: `{"C4": "BW"}`. Other stacks have
                only the goat in the text. In phase 3, missing goats are put, WHITE's lowest, at
                the bottom of the first stack of the text (row by row) that is not in `stacks`.
            order: seats in the order of play; by default ascending, in phase 2 rotated to match
                the seat to move.
            decision: `"place"`, `"sideways"` or `"forward"`; by default the first decision with
                a choice.
            die: current throw; by default the lowest throw that allows the decision.
            last_die: throw at the last action.

        Raises:
            ValueError: if text and arguments are not a valid position.
        """
        shown = notation.position_from_text(text, self.height, self.width, self.seat_names)
        named = self.seat_names.index(shown.turn)
        if (
            to_move is not None
            and whole_number("to_move", to_move, 0, self.num_players - 1) != named
        ):
            raise ValueError(
                f"to_move must be {named}, the seat of {shown.turn} in the text, got {to_move}"
            )
        piles = positions.complete_stacks(
            shown.tops, {} if stacks is None else stacks, self.seat_names, shown.phase == 3
        )
        if order is None:
            goats = sum(map(len, piles.values())) if shown.phase == 2 else named
            order = [(seat + named - goats) % self.num_players for seat in range(self.num_players)]
        data: dict[str, Any] = {
            "obstacles": shown.obstacles,
            "stacks": piles,
            "order": order,
            "decision": "place" if shown.phase == 2 else decision,
            "die": die,
            "last_die": last_die,
            "to_move": named,
        }
        if ply is not None:
            data["ply"] = ply
        if shown.phase == 2:
            if decision not in (None, "place"):
                raise ValueError(f"decision must be 'place' in phase 2, got {decision!r}")
            return self.from_dict({**data, "die": 0 if die is None else die})
        # Return the first candidate that the rules allow, or raise the error of the first one.
        error: ValueError | None = None
        for decided in ("sideways", "forward") if decision is None else (decision,):
            for thrown in [*range(1, self.height + 1), 0] if die is None else [die]:
                try:
                    return self.from_dict({**data, "decision": decided, "die": thrown})
                except ValueError as refused:
                    error = error or refused
        assert error is not None
        raise error

    def action_to_text(self, action: int, state: np.void | None = None) -> str:
        action = whole_number("action", action, 0, self.num_actions - 1)
        return notation.action_to_text(action, self.height, self.width, self.die_of(state))

    def action_from_text(self, text: str, state: np.void | None = None) -> int:
        return notation.action_from_text(text, self.height, self.width, self.die_of(state))

    def die_of(self, state: np.void | None) -> int:
        """Return the current throw of a position, 0 without one."""
        return 0 if state is None else int(self.arrays.one(state)["die"])

    def picture(self, state: np.void) -> str:
        record = self.arrays.one(state)
        winner, over = None, self.over(record)[0]
        if record["returns"].any() and record["offender"] < 0:
            winner = self.seat_names[record["returns"].argmax()]
            status = f"{winner} has won"
        elif over:
            status = "over without a winner"
        else:
            status = f"{self.seat_names[record['to_move']]} to move"
        return board_picture(
            positions.tops(record),
            heights={key: len(pile) for key, pile in positions.stacks_of(record).items()},
            players=[self.seat_names[seat] for seat in record["order"]],
            arrived=[int(record["arrived"][seat]) for seat in record["order"]],
            to_move=None if over else self.seat_names[record["to_move"]],
            winner=winner,
            die=int(record["die"]),
            last=positions.last_cells(record),
            status=status,
        )

    # -- JSON ---------------------------------------------------------------------------

    def _position_to_dict(self, state: np.void) -> dict[str, Any]:
        return {
            "obstacles": notation.obstacles(state["blocked"].tolist()),
            "stacks": positions.stacks_of(state),
            "order": state["order"].tolist(),
            "decision": dict(enumerate(DECISIONS)).get(int(state["decision"])),
            "die": int(state["die"]),
            "last_die": int(state["last_die"]),
        }

    def _position_from_dict(self, fields: dict[str, Any], state: np.void) -> None:
        n = self.num_players
        blocked = notation.walls(fields["obstacles"], self.height, self.width)
        if self.params["obstacles"] not in (None, notation.obstacles(blocked)):
            raise ValueError(
                f"obstacles must be those of the game, {self.params['obstacles']}, "
                f"got {notation.obstacles(blocked)}"
            )
        state["blocked"] = blocked
        positions.put_stacks(fields["stacks"], self.seat_names, state)
        order = fields["order"]
        if (
            not isinstance(order, list)
            or not all(type(seat) is int for seat in order)
            or sorted(order) != list(range(n))
        ):
            raise ValueError(f"order must have each seat from 0 to {n - 1} once, got {order!r}")
        state["order"] = order
        if not isinstance(fields["decision"], str) or fields["decision"] not in DECISIONS:
            raise ValueError(f"decision must be one of {DECISIONS}, got {fields['decision']!r}")
        state["decision"] = DECISIONS.index(fields["decision"])
        state["die"] = whole_number("die", fields["die"], 0, self.height)
        state["last_die"] = whole_number("last_die", fields["last_die"], 0, self.height)
        if fields["decision"] == "place":
            positions.set_placement(fields, self.max_plies, state)
        else:
            positions.set_race(fields, self.max_plies, state)
            self._check_decision(fields["decision"], state)
        positions.check_last_action(state)

    def _check_decision(self, decision: str, state: np.void) -> None:
        """Raise `ValueError` unless the die matches the decision, and there is a choice."""
        after = np.array([state], self.state_dtype)
        self.kernels.judge_games(after, self.constants)
        forward = decision == "forward"
        if after["terminated"][0]:
            # After the last move the turn ended without a throw, or the move was sideways.
            if (state["die"] > 0) != forward or (forward and after["returns"].any()):
                raise ValueError(
                    f"die and decision must match a finished game, got die {state['die']} and "
                    f"decision {decision!r}"
                )
            return
        if state["die"] == 0:
            raise ValueError(f"die must be from 1 to {self.height} in an unfinished race, got 0")
        after["truncated"] = False
        choices = self.arrays.legal(after)[0]
        choices[self.stay] = False  # to stay must not be the only choice
        if not choices.any():
            raise ValueError(
                f"decision must be one with a choice for {self.seat_names[state['to_move']]} "
                f"with die {state['die']}, got {decision!r}"
            )
