"""`Game`: the base class of all games.

A position is one NumPy record: the fields of all games (see `boardenvs.core.records`), then the
game's own fields. Operations work on arrays of records. Positions can be copied with `.copy()`,
saved with `.tobytes()` and compared with `==`. Equal positions have the same bytes.
"""

from __future__ import annotations

import copy
import functools
import math
import re
import types
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from boardenvs.core import checks, forms
from boardenvs.core.arrays import Arrays, States
from boardenvs.core.records import record_dtype
from boardenvs.show.fields import (
    check_board,
    fields_from_text,
    fields_picture,
    fields_to_text,
)
from boardenvs.show.presentation import Presentation

if TYPE_CHECKING:
    from boardenvs.core.loops import Kernels
    from boardenvs.core.symmetries import Symmetries

__all__ = ["Game", "Illegal", "States", "check_illegal"]

Illegal = Literal["lose", "raise"]


def check_illegal(illegal: str) -> None:
    """Raise `ValueError` unless `illegal` is "lose" or "raise"."""
    checks.one_of("illegal", illegal, ("lose", "raise"))


class Game:
    """A game with its parameters. It is stateless: positions are records that methods take.

    Most methods take N records at once. Seats are numbered from 0.

    - Play: `new`, `legal`, `play`.
    - View of a seat: `observe`, `observe_to_move`, `conceal`, `info`, `infos`.
    - Status: `to_move`, `seats_in_turn`, `returns`, `terminated`, `truncated`, `over`.
    - Text and pictures: `to_text`, `from_text`, `action_to_text`, `action_from_text`, `picture`,
      `rgb_array`.
    - Dictionaries: `to_dict`, `from_dict`, `restore`.
    - `symmetries`, and the attributes below.

    A subclass passes the attributes to `__init__`. The functions `legal` and `play` in its file,
    or in a file `rules.py` beside it, are the rules; see `boardenvs.core.hooks`. Subclasses may
    override the methods for text, pictures and dictionaries. `arrays`, `kernels`, `constants`,
    `start`, `rules`, `packages` and `presentation` are for this package's own code.

    Example:
        >>> import boardenvs
        >>> game = boardenvs.make("gekitai")
        >>> states = game.new(2, seed=0)
        >>> game.play(states, [game.action_from_text("A1"), game.action_from_text("C3")])
        >>> game.to_move(states).tolist(), game.legal(states).sum(1).tolist()
        ([1, 1], [35, 35])
    """

    name: ClassVar[str]
    """Name for `boardenvs.make`."""
    title: ClassVar[str] = ""
    """Name of the game for people, by default the name of its class."""
    about: ClassVar[str] = ""
    """Description: a sentence, then optionally a list such as `- Rules: ...`.

    The command and the pages print it. It is not a docstring, since `python -OO` removes those.
    """
    presentation_class: ClassVar[type[Presentation]] = Presentation
    """Subclass of `Presentation` for terminals and pages."""
    seat_names: tuple[str, ...]
    """Name of each seat in the console, by default `Player 1` and so on."""
    cell_symbols: ClassVar[Sequence[str]] = ""
    """Symbols of the values 0, 1, 2, ... of a board's cells in the default text and picture.

    By default, 0 is blank and other values are numbers. With one symbol more than seats, value
    k + 1 is a piece of seat k. An example is " XO".
    """
    board_shape: tuple[int, int] | None = None
    """Rows and columns of the fields with as many entries, in the default text and picture.

    Fields of two dimensions are boards without it.
    """
    params: dict[str, Any]
    """Parameters of the game, including defaults, as JSON values."""
    has_chance: ClassVar[bool] = False
    """Whether the game has random events before or during play."""
    has_hidden: ClassVar[bool] = False
    """Whether the game has information that is hidden from a seat."""
    observation_params: ClassVar[frozenset[str]] = frozenset()
    """Parameters that change only the observations."""
    player_counts: ClassVar[tuple[int, int] | None] = None
    """Minimum and maximum number of players, if that is a parameter."""
    param_readers: ClassVar[Mapping[str, Callable[[str], Any]]] = {}
    """Functions that parse parameters other than numbers, truth values and text.

    They raise `ValueError` for invalid text.
    """
    info_is_fixed: ClassVar[bool] = False
    """Whether `info` is constant during a game.

    If so, environments for one game call `info` once per game.
    """

    file_formats: ClassVar[Mapping[str, tuple[Callable[..., Any], Callable[..., bytes]]]] = {}
    """File formats of other programs: two functions `read` and `write` by suffix.

    `read(data: bytes, game: Game | None) -> list[Episode]` returns all games of a file. It raises
    `ValueError` if the data are damaged or of another game. `write(episode: Episode) -> bytes`
    raises `ValueError` if the format cannot store the episode. See `Episode.load_all` and
    `Episode.save`.
    """

    num_players: int
    num_actions: int
    observation_shape: tuple[int, ...]
    observation_high: int
    """Largest value in an observation. The smallest is 0, and the dtype is int8.

    The default is 1, or 127 if the observation consists of the game's own fields.
    """
    max_plies: int
    """Number of plies after which an unfinished game is truncated."""
    state_dtype: np.dtype[np.void]

    def __init__(
        self,
        *,
        params: dict[str, Any],
        num_players: int,
        num_actions: int,
        fields: list[tuple[Any, ...]],
        observation_shape: tuple[int, ...] | None = None,
        constants: Mapping[str, tuple[Any, Any]] | None = None,
        board_shape: tuple[int, int] | None = None,
    ) -> None:
        """Set the attributes.

        Args:
            params: parameters of the subclass, including `max_plies`.
            num_players: number of seats.
            num_actions: size of the action space.
            fields: the game's own record fields.
            observation_shape: shape of a seat's observation. By default one row with an entry for
                each number in the fields, from 0 to 127.
            constants: pairs (dtype, value) by name, which the rules read as `p.NAME`.
            board_shape: rows and columns of the fields that are boards but have one dimension.

        Raises:
            ValueError: an argument or `cell_symbols` is not valid.
        """
        self.num_players = num_players
        self.num_actions = num_actions
        if observation_shape is None:
            shapes = [np.dtype([field])[0].shape for field in fields]
            observation_shape = (sum(map(math.prod, shapes)),)
            high = 127
        else:
            high = 1
        if not hasattr(self, "observation_high"):
            self.observation_high = high
        self.observation_shape = observation_shape
        self.observation_size = math.prod(observation_shape)
        """Number of entries of an observation."""
        if not hasattr(self, "seat_names"):
            self.seat_names = tuple(f"Player {k + 1}" for k in range(num_players))
        self.max_plies = checks.whole_number(
            "max_plies", params.get("max_plies"), num_players, 2**31 - 1
        )
        self.params = {**params, "max_plies": self.max_plies}
        constants = dict(constants or {})
        for key in [*constants, *(field[0] for field in fields)]:
            # Numba would read the field, but plain Python the attribute.
            if hasattr(np.record, key):
                raise ValueError(
                    f"names of fields and constants must not be attributes of NumPy records, "
                    f"got {key!r}"
                )
        self.state_dtype = record_dtype(num_players, fields)
        if board_shape is not None:
            self.board_shape = board_shape
        check_board(self)
        constants["max_plies"] = np.int64, self.max_plies
        shape = observation_shape
        constants["observation_shape"] = (np.int64, (len(shape),)), shape
        parameters = np.dtype([(k, t) for k, (t, _) in constants.items()], align=True)
        self.constants = np.zeros(1, np.dtype((np.record, parameters)))
        """Parameters `p` of the rules, shape (1,)."""
        for key, (_, value) in constants.items():
            self.constants[key] = value
        self.start = np.zeros(1, self.state_dtype)
        """Record before the deal, shape (1,)."""
        self.start["last_action"] = -1
        self.start["offender"] = -1

    # Parameters determine a game, so copies and unpickled games are made from them.
    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(type(self), **self.params), ()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.params == other.params

    def __hash__(self) -> int:
        return hash((type(self), repr(self.params)))

    def __repr__(self) -> str:
        arguments = ", ".join(f"{k}={v!r}" for k, v in self.params.items())
        return f"{type(self).__name__}({arguments})"

    @functools.cached_property
    def presentation(self) -> Presentation:
        """Appearance of the game in terminals and on pages."""
        return self.presentation_class(self)

    @functools.cached_property
    def arrays(self) -> Arrays:
        """Operations on records for this package's own code."""
        return Arrays(self)

    @functools.cached_property
    def kernels(self) -> Kernels:
        """Compiled loops over the game's rules."""
        return _kernels(self.rules)

    @functools.cached_property
    def rules(self) -> types.ModuleType:
        """Module of the rules, see `boardenvs.core.rules.find_rules`."""
        from boardenvs.core.rules import find_rules

        return find_rules(type(self))[0]

    @functools.cached_property
    def packages(self) -> tuple[str, ...]:
        """Packages of the game's class and its bases, up to the package of its rules."""
        from boardenvs.core.rules import find_rules

        return find_rules(type(self))[1]

    @property
    def most_chance_outcomes(self) -> int | None:
        """Maximum number of outcomes of one random draw, or `None`.

        For `None`, `boardenvs.explicit_chance` counts the outcomes in random games.
        """
        return None

    def symmetries(self) -> Symmetries:
        """Return the symmetries of the board, by default none.

        If a game overrides this method, an action followed by a symmetry must lead to the same
        position as the symmetry followed by the transformed action, for the same random stream.
        """
        from boardenvs.core.symmetries import Symmetries

        return Symmetries.none(self.num_actions, self.observation_size)

    # -- Operations on arrays of records; a single record counts as an array of one. ----

    def new(self, num: int, seed: int | None = None) -> States:
        """Return start positions.

        Args:
            num: number of games, at least 0.
            seed: seed of the random streams, `None` for a random one. Record i is the same for
                every `num`.

        Returns:
            Array of shape (num,), dtype `state_dtype`.

        Raises:
            ValueError: `num` or `seed` is not valid.
        """
        from boardenvs.core.chance import make_streams, seed_word

        num = checks.whole_number("num", num, 0)
        return self.arrays.new(make_streams(seed_word(seed), num))

    def legal(self, states: States | np.void) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool of shape (N, num_actions), all False after the end."""
        return self.arrays.legal(self.arrays.batch(states))

    def play(self, states: States, actions: npt.ArrayLike, *, illegal: Illegal = "lose") -> None:
        """Play one action in each game, in place.

        Args:
            states: records of games that are not over, shape (N,).
            actions: N integers.
            illegal: treatment of illegal actions. "lose" ends the game with a loss for the
                offender. "raise" raises an error before any action is played.

        Raises:
            OutOfBoundsError: an action is not in the action space.
            ValueError: a game is over, or an action is illegal with `illegal="raise"`.
        """
        check_illegal(illegal)
        target, given = np.asarray(states), states
        states = self.arrays.batch(target)
        if len(states) and not np.shares_memory(target, np.asarray(given)):
            raise ValueError(
                f"states must be an array of {self.name} records or an element of it, since play "
                f"changes it in place, got {type(given).__name__}"
            )
        numbers = self.arrays.action_numbers(actions, len(states))
        over = states["terminated"] | states["truncated"]
        if over.any():
            raise ValueError(
                f"states must be games that are not over, but game {int(over.argmax())} is over"
            )
        masks = self.arrays.legal(states)
        if illegal == "raise":
            self.arrays.require_legal(masks, numbers)
        self.kernels.play_games(states, self.constants, numbers, masks)
        if not np.shares_memory(target, states):
            target[...] = states.reshape(target.shape)

    def observe(self, states: States, seat: npt.ArrayLike) -> npt.NDArray[np.int8]:
        """Return a seat's observations, int8 of shape `(N, *observation_shape)`.

        Args:
            states: records, shape (N,).
            seat: one seat for all states, or one for each.

        Raises:
            ValueError: the states or the seats are not valid.
        """
        states = self.arrays.batch(states)
        seats = self.arrays.seats(seat, len(states))
        out = np.empty((len(states), self.observation_size), np.int8)
        self.kernels.observe_games(states, self.constants, seats, out)
        return out.reshape(len(states), *self.observation_shape)

    def observe_to_move(self, states: States) -> npt.NDArray[np.int8]:
        """Return the observation of the seat to move in each state. This is faster than `observe`.

        Args:
            states: records, shape (N,).

        Raises:
            ValueError: the states are not valid.
        """
        states = self.arrays.records(states)
        out = np.empty((len(states), self.observation_size), np.int8)
        found = self.kernels.observe_movers(states, self.constants, self.num_actions, out)
        self.arrays.check_fault(states, *found)
        return out.reshape(len(states), *self.observation_shape)

    def conceal(self, states: States, seat: npt.ArrayLike, rng: np.random.Generator) -> States:
        """Return copies with hidden information and the random stream resampled.

        The stream is resampled in every game, so that a search cannot predict random events.

        Args:
            states: records, shape (N,).
            seat: the seat that sees the copies: one for all states, or one for each.
            rng: source of random numbers.

        Raises:
            ValueError: the states, the seats or the generator are not valid.
        """
        states = self.arrays.batch(states)
        if not isinstance(rng, np.random.Generator):
            raise ValueError(f"rng must be a numpy.random.Generator, got {checks.shown(rng)}")
        streams = rng.integers(0, 2**64, len(states), np.uint64)
        return self.arrays.conceal(states, seat, streams)

    def to_move(self, states: States) -> npt.NDArray[np.int8]:
        """Return the seat to move, shape (N,). After the end this is the next seat in turn."""
        return self.arrays.batch(states)["to_move"].copy()

    def seats_in_turn(self, states: States) -> npt.NDArray[np.int64]:
        """Return the seats in the order of play, the seat to move first, shape (N, num_players).

        Observations must list players in this order if they do not list them by seat. By default
        seat k + 1 plays after seat k; a game with another order overrides this method.
        """
        first = self.arrays.batch(states)["to_move"].astype(np.int64)
        return (first[:, None] + np.arange(self.num_players)) % self.num_players

    def returns(self, states: States) -> npt.NDArray[np.float32]:
        """Return the result of each seat, shape (N, num_players), all 0 until the end."""
        return self.arrays.batch(states)["returns"].copy()

    def terminated(self, states: States) -> npt.NDArray[np.bool_]:
        """Return whether each game has ended by its rules, shape (N,)."""
        return self.arrays.batch(states)["terminated"].copy()

    def truncated(self, states: States) -> npt.NDArray[np.bool_]:
        """Return whether each game has ended by `max_plies`, shape (N,)."""
        return self.arrays.batch(states)["truncated"].copy()

    def over(self, states: States | np.void) -> npt.NDArray[np.bool_]:
        """Return whether each game has ended by its rules or by `max_plies`, shape (N,).

        The contents of the records are not checked, since environments call this at every ply.
        """
        records = self.arrays.records(states)
        over: npt.NDArray[np.bool_] = records["terminated"] | records["truncated"]
        return over

    def info(self, state: np.void | States) -> dict[str, Any]:
        """Return the game's own entries of the environments' `info` for one position.

        Keys, dtypes and shapes are the same for every position. A value such as -1 marks missing
        information. The contents of the record are not checked, since environments call this at
        every ply.

        Args:
            state: a record, or an array of shape () that contains one. Fields of such an array are
                read faster.

        Returns:
            A NumPy scalar or a new NumPy array for each key.
        """
        return {}

    def infos(self, states: States) -> dict[str, npt.NDArray[Any]]:
        """Return `info` of N positions: an array of N rows for each key.

        The default calls `info` N times. Games that override `info` should override this method
        with faster array code.

        Args:
            states: records, shape (N,).
        """
        rows = [self.info(state) for state in self.arrays.records(states)]
        return {key: np.array([row[key] for row in rows]) for key in (rows[0] if rows else ())}

    @property
    def has_info(self) -> bool:
        """Whether the game has entries of its own in `info`."""
        return type(self).info is not Game.info

    # -- Text and picture of a position ---------------------------------------------------

    def to_text(self, state: np.void) -> str:
        """Return a position in the console format. Each line ends with a newline.

        The default has the game's own fields by name: a grid for each board, see `board_shape`,
        and a line of values for each other field.
        """
        return fields_to_text(self, self.arrays.one(state))

    def from_text(
        self, text: str, *, to_move: int | None = None, ply: int | None = None
    ) -> np.void:
        """Parse a position in the console format.

        Args:
            text: text of `to_text`.
            to_move: seat to move. Required if neither the text nor the position implies it.
            ply: number of plies so far, by default the fewest possible.

        Raises:
            ValueError: the text is not a valid position, or `to_move` is missing.
        """
        data = fields_from_text(self, text)
        for key, value in (("to_move", to_move), ("ply", ply)):
            if value is not None and not (checks.is_whole(value) and value == data[key]):
                raise ValueError(f"{key} must be {data[key]}, got {checks.shown(value)}")
        record = self.from_dict(data)
        lines = [line.rstrip(" ") for line in text.rstrip("\n").split("\n")]
        checks.require_lines(lines, self.to_text(record).rstrip("\n").split("\n"))
        return record

    def _from_fields(
        self, fields: Mapping[str, Any], to_move: int | None, ply: int | None
    ) -> np.void:
        """Return the record for the game's own fields and the arguments of `from_text`."""
        given = {"to_move": to_move, "ply": ply}
        return self.from_dict({**fields, **{k: v for k, v in given.items() if v is not None}})

    def action_to_text(self, action: int, state: np.void | None = None) -> str:
        """Return an action as a player types it, by default its number.

        Args:
            action: number of the action.
            state: position before the action, for games whose notation depends on it.

        Raises:
            ValueError: the action is not in the action space.
        """
        return str(checks.whole_number("action", action, 0, self.num_actions - 1))

    def action_from_text(self, text: str, state: np.void | None = None) -> int:
        """Return the number of an action that a player typed.

        Raises:
            ValueError: the text is malformed, or the action is not in the action space.
        """
        word = checks.text_value("text", text).strip()
        if not re.fullmatch("[0-9]{1,9}", word):
            raise ValueError(f"action must be a whole number, got {checks.shown(text)}")
        return checks.whole_number("action", int(word), 0, self.num_actions - 1)

    def picture(self, state: np.void) -> str:
        """Return a position as an SVG image.

        The default shows the boards as grids, and the other fields as text. It is an image of
        `to_text` if the game has no board, or if it overrides `to_text` without a `board_shape`.

        The picture contains only what all players see, and marks the last move and the winning
        line. Notebooks display it if it comes from `boardenvs.show.svg.svg`.

        All pictures of a game should have the same size. Otherwise `rgb_array` shrinks those that
        are larger than the first.
        """
        from boardenvs.show.svg import text_picture

        if self.board_shape is not None or type(self).to_text is Game.to_text:
            return fields_picture(self, self.arrays.one(state))
        return text_picture(self.to_text(state), f"{self.name}: a position")

    def rgb_array(self, state: np.void, size: int = 640) -> npt.NDArray[np.uint8]:
        """Return the `picture` of a position as pixels.

        Args:
            state: a record.
            size: approximate pixels of the longer side, 64 to 4096. Both sides are rounded to
                multiples of 16, as video encoders require.

        Returns:
            uint8 array of shape (H, W, 3), with the same H and W for every position.

        Raises:
            ValueError: `size` is not valid, or the extra `[render]` is not installed.
        """
        from boardenvs.show.pixels import frame_shape, rasterize

        picture = self.picture(state)
        return rasterize(picture, frame_shape(self._first_picture, size))

    @functools.cached_property
    def _first_picture(self) -> str:
        """Picture whose size determines the size of all frames."""
        return self.picture(self.new(1, 0)[0])

    # -- JSON ---------------------------------------------------------------------------

    def _position_to_dict(self, state: np.void) -> dict[str, Any]:
        """Return the game's own fields as JSON values, by the keys of `_position_from_dict`.

        `state` may have any bytes. `_position_from_dict` rejects invalid positions.
        """
        return forms.fields_to_dict(state)

    def _position_from_dict(self, fields: dict[str, Any], state: np.void) -> None:
        """Write the game's own fields, `to_move` and `ply` into a start record.

        Args:
            fields: values by the keys of `_position_to_dict`, and `to_move` and `ply` if the user
                gave them, as ints of at least 0.
            state: start record, whose `last_action` is set, or -1 by default.

        Raises:
            ValueError: the fields are not a valid position.
        """
        forms.write_fields(fields, state)

    def to_dict(self, state: np.void) -> dict[str, Any]:
        """Return a position as JSON values, from which `from_dict` returns the same record."""
        return self._to_dict(self.arrays.one(state))

    def _to_dict(self, record: np.void) -> dict[str, Any]:
        """Return the dictionary of `to_dict`, for a record of any bytes."""
        return {
            "game": self.name,
            "params": copy.deepcopy(self.params),
            **self._position_to_dict(record),
            "to_move": int(record["to_move"]),
            "ply": int(record["ply"]),
            "last_action": int(record["last_action"]),
            "offender": int(record["offender"]),
            "terminated": bool(record["terminated"]),
            "truncated": bool(record["truncated"]),
            "returns": record["returns"].tolist(),
            "rng": int(record["rng"]),
        }

    def from_dict(self, data: Mapping[str, Any]) -> np.void:
        """Return the record of a position that `to_dict` or a user wrote.

        Only the game's own fields are required. If the rules have a function `judge`, it sets the
        outcome, and an outcome in the dictionary must agree. Otherwise the dictionary sets the
        outcome.

        Raises:
            ValueError: a field is missing, unknown or not valid.
        """
        from boardenvs.core.hooks import judge

        if not isinstance(data, Mapping):
            raise ValueError(
                f"a {self.name} position must be a dictionary, got {checks.shown(data)}"
            )
        own = list(self._position_to_dict(self.start[0]))
        known = {"game", "params", "to_move", "ply", "last_action", "offender", "rng"}
        derived = ("terminated", "truncated", "returns")
        for key in data:
            if key not in own and key not in known and key not in derived:
                raise ValueError(
                    f"a {self.name} position has no field {key!r}; its own fields are {own}"
                )
        for key in own:
            if key not in data:
                raise ValueError(f"a {self.name} position requires the field {key!r}")
        for key, expected in (("game", self.name), ("params", self.params)):
            if data.get(key, expected) != expected:
                raise ValueError(f"{key} must be {expected!r}, got {data[key]!r}")

        states = self.start.copy()
        record = states[0]
        offender = checks.whole_number(
            "offender", data.get("offender", -1), -1, self.num_players - 1
        )
        given = {key: data[key] for key in own}
        if "to_move" in data:
            given["to_move"] = checks.whole_number(
                "to_move", data["to_move"], 0, self.num_players - 1
            )
        if "ply" in data:
            given["ply"] = checks.whole_number("ply", data["ply"], 0, self.max_plies)
        last_action = checks.whole_number(
            "last_action", data.get("last_action", -1), -1, self.num_actions - 1
        )
        record["last_action"] = last_action
        self._position_from_dict(given, record)
        record["rng"] = checks.whole_number("rng", data.get("rng", 0), 0, 2**64 - 1)
        derived_outcome = judge.is_in(self.rules)
        if derived_outcome:
            self.kernels.judge_games(states, self.constants)
        elif offender < 0:
            forms.write_outcome(data, record, self.max_plies)
        if offender >= 0:
            if offender != record["to_move"] or self.over(record)[0]:
                raise ValueError(
                    f"offender must be the seat to move in a game that is not over, got {offender}"
                )
            nothing_legal = np.zeros((1, self.num_actions), np.bool_)
            self.kernels.play_games(states, self.constants, np.zeros(1, np.int64), nothing_legal)
        if not derived_outcome:
            self._check_open(states)
        for key in derived:
            right = record[key].tolist()
            if key in data and data[key] != right:
                raise ValueError(f"{key} must be {right} in this position, got {data[key]!r}")
        return record

    def _check_open(self, states: States) -> None:
        """Raise `ValueError` unless a position is valid, and over if no action is legal.

        Rules with `judge` do not need this check.
        """
        found = self.kernels.first_fault(states, self.constants, self.num_actions)
        self.arrays.check_fault(states, *found)
        if not self.over(states)[0] and not self.arrays.legal(states).any():
            raise ValueError("terminated must be True, since no action is legal, got False")

    def restore(self, state: Any) -> States:
        """Check a position and return it as a new array of shape (1,).

        Args:
            state: a record, an array of one record, or a dictionary for `from_dict`.

        Raises:
            ValueError: `state` is not a valid position of the game.
        """
        if isinstance(state, Mapping):
            return np.array([self.from_dict(state)], self.state_dtype)
        records = self.arrays.records(state)
        if len(records) != 1:
            raise ValueError(f"state must be one {self.name} record, got {len(records)} records")
        # Checked here only, since `from_dict` has better error messages.
        record = records[0]
        again = self.from_dict(self._to_dict(record))
        if again != record:
            raise ValueError(f"state must be a valid {self.name} position, got another record")
        return np.array([again], self.state_dtype)  # the given record may contain -0.0


@functools.cache
def _kernels(rules: types.ModuleType) -> Kernels:
    from boardenvs.core.loops import Kernels

    return Kernels(rules)
