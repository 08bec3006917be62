"""`Game`: the contract of every game.

A position is one NumPy record, laid out by `boardenvs.core.records`: the fields that all games
have, then the game's own. Operations work on arrays of records, so copying a game is
`.copy()`, saving it is `.tobytes()` and comparing two is `==`; equal positions have the
same bytes.
"""

from __future__ import annotations

import copy
import functools
import math
import re
import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from boardenvs.core import checks, forms
from boardenvs.core.arrays import Arrays, States
from boardenvs.core.records import record_dtype
from boardenvs.show.presentation import Presentation

if TYPE_CHECKING:
    from boardenvs.core.loops import Kernels
    from boardenvs.core.symmetries import Symmetries

__all__ = ["Game", "Illegal", "States", "check_illegal"]

Illegal = Literal["lose", "raise"]


def check_illegal(illegal: str) -> None:
    """Raise `ValueError` unless `illegal` names a way to treat illegal actions."""
    checks.one_of("illegal", illegal, ("lose", "raise"))


class Game:
    """One game with its parameters. Stateless: positions are records handed in and out.

    A caller has these operations. Most of them take N records at once; seats are numbered from 0.

    - Play: `new`, `legal`, `play`.
    - A seat's view: `observe`, `observe_to_move`, `conceal`, `info`, `infos`.
    - State of play: `to_move`, `returns`, `terminated`, `truncated`, `over`.
    - Text and pictures: `to_text`, `from_text`, `action_to_text`, `action_from_text`, `picture`,
      `rgb_array`.
    - Dictionaries: `to_dict`, `from_dict`, `restore`.
    - `symmetries`, and the facts below.

    A subclass calls `__init__` with the facts. The functions `legal` and `play` in its file, or in
    a file `rules.py` beside it, are the rules; `boardenvs.core.hooks` describes these and others.
    The operations on text, pictures and dictionaries have defaults that a subclass may override.
    This package's own code also uses `arrays`, `kernels`, `constants`, `start`, `rules`, `packages`
    and `presentation`.

    Example:
        >>> import boardenvs
        >>> game = boardenvs.make("gekitai")
        >>> states = game.new(2, seed=0)
        >>> game.play(states, [game.action_from_text("A1"), game.action_from_text("C3")])
        >>> game.to_move(states).tolist(), game.legal(states).sum(1).tolist()
        ([1, 1], [35, 35])
    """

    name: ClassVar[str]
    """As `boardenvs.make` takes it."""
    title: ClassVar[str] = ""
    """What people call the game; by default the name of its class."""
    about: ClassVar[str] = ""
    """Description of the game: a sentence, then optionally a list of facts, such as `- Rules: ...`.

    The command and the pages show it. It is not a docstring, since `python -OO` removes those.
    """
    presentation_class: ClassVar[type[Presentation]] = Presentation
    """The class that presents the game to people, derived from this one."""
    seat_names: tuple[str, ...]
    """What the console calls each seat; by default `Player 1` and so on."""
    params: dict[str, Any]
    """What the game was made with, defaults included, as JSON gives it back."""
    has_chance: ClassVar[bool] = False
    """Whether anything is drawn at random during play or before it."""
    has_hidden: ClassVar[bool] = False
    """Whether some seat does not see everything."""
    observation_params: ClassVar[frozenset[str]] = frozenset()
    """The parameters that change only what observations show."""
    player_counts: ClassVar[tuple[int, int] | None] = None
    """Minimum and maximum number of players, if it is a parameter."""
    param_readers: ClassVar[Mapping[str, Callable[[str], Any]]] = {}
    """Functions that read parameters from text, if they are not numbers, truth values or text.

    A function raises `ValueError` for text that it cannot read.
    """
    info_is_fixed: ClassVar[bool] = False
    """Whether `info` stays the same from the deal to the end.

    If it does, the environments of one game call `info` once a game.
    """

    file_formats: ClassVar[Mapping[str, tuple[Callable[..., Any], Callable[..., bytes]]]] = {}
    """File formats of other programs: for each suffix the two functions `read` and `write`.

    `read(data: bytes, game: Game | None) -> Episode` raises `ValueError` if the data are damaged or
    of another game. `write(episode: Episode) -> bytes` raises `ValueError` if the format cannot
    hold the episode. See `Episode.load` and `Episode.save`.
    """

    num_players: int
    num_actions: int
    observation_shape: tuple[int, ...]
    observation_high: int
    """Largest value in an observation; the smallest is 0, the dtype int8.

    By default 1, or 127 where the observation is the game's own fields.
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
    ) -> None:
        """Set the facts.

        Args:
            params: the arguments of the subclass, `max_plies` among them.
            num_players: number of seats.
            num_actions: size of the action space.
            fields: the game's own record fields, after those common to all.
            observation_shape: shape of one seat's observation. By default one row with an entry for
                each number in the fields, from 0 to 127.
            constants: what the rules read as `p.NAME`: name to (dtype, value).
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
        """Entries of one observation."""
        if not hasattr(self, "seat_names"):
            self.seat_names = tuple(f"Player {k + 1}" for k in range(num_players))
        self.max_plies = checks.whole_number(
            "max_plies", params.get("max_plies"), num_players, 2**31 - 1
        )
        self.params = {**params, "max_plies": self.max_plies}
        constants = dict(constants or {})
        for key in [*constants, *(field[0] for field in fields)]:
            # Such a name would mean the field to Numba, but the attribute to plain Python.
            if hasattr(np.record, key):
                raise ValueError(f"{key!r} is an attribute of every NumPy record: use another name")
        self.state_dtype = record_dtype(num_players, fields)
        constants["max_plies"] = np.int64, self.max_plies
        shape = observation_shape
        constants["observation_shape"] = (np.int64, (len(shape),)), shape
        parameters = np.dtype([(k, t) for k, (t, _) in constants.items()], align=True)
        self.constants = np.zeros(1, np.dtype((np.record, parameters)))
        """The rules' parameters `p`, shape (1,)."""
        for key, (_, value) in constants.items():
            self.constants[key] = value
        self.start = np.zeros(1, self.state_dtype)
        """A record before the deal, shape (1,)."""
        self.start["last_action"] = -1
        self.start["offender"] = -1

    # A game is determined by its parameters, so copies and unpickled games are made from them.
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
        """How the game looks to people, beyond its text and its picture."""
        return self.presentation_class(self)

    @functools.cached_property
    def arrays(self) -> Arrays:
        """What this package's own code does with records of the game."""
        return Arrays(self)

    @functools.cached_property
    def kernels(self) -> Kernels:
        """The compiled loops over this game's rules."""
        return _kernels(self.rules)

    @functools.cached_property
    def rules(self) -> types.ModuleType:
        """The module of the rules, see `boardenvs.core.rules.find_rules`."""
        from boardenvs.core.rules import find_rules

        return find_rules(type(self))[0]

    @functools.cached_property
    def packages(self) -> tuple[str, ...]:
        """The packages of the game's class and its bases, up to the package of its rules."""
        from boardenvs.core.rules import find_rules

        return find_rules(type(self))[1]

    @property
    def most_chance_outcomes(self) -> int:
        """Maximum number of outcomes of one random draw; 0 for a game without chance.

        A game with chance must override this property.
        """
        if self.has_chance:
            raise ValueError(
                f"{self.name} has chance: its most_chance_outcomes must say how many outcomes a "
                f"draw has at most"
            )
        return 0

    def symmetries(self) -> Symmetries:
        """Return ways to turn the board that change nothing about the game; by default none.

        What is learned about a position holds in every view. In a game that overrides this
        method, an action and then a turn of the board must lead to the same position as the turn
        and then the action, for the same random stream.
        """
        from boardenvs.core.symmetries import Symmetries

        return Symmetries.none(self.num_actions, self.observation_size)

    # -- Operations on arrays of records; a single record counts as an array of one. ----

    def new(self, num: int, seed: int | None = None) -> States:
        """Return start positions.

        Args:
            num: how many, at least 0.
            seed: of the records' random streams; `None` for a fresh one. Record i is
                the same for every `num`.

        Returns:
            Array of shape (num,), dtype `state_dtype`.

        Raises:
            ValueError: for a bad `num` or `seed`.
        """
        from boardenvs.core.chance import make_streams, seed_word

        num = checks.whole_number("num", num, 0)
        return self.arrays.new(make_streams(seed_word(seed), num))

    def legal(self, states: States | np.void) -> npt.NDArray[np.bool_]:
        """Return the legal actions: bool of shape (N, num_actions), all False after the end."""
        return self.arrays.legal(self.arrays.batch(states))

    def play(self, states: States, actions: npt.ArrayLike, *, illegal: Illegal = "lose") -> None:
        """Play one action in each game, in place.

        Args:
            states: shape (N,), none of them over.
            actions: N whole numbers.
            illegal: "lose" ends the game with a loss for the offender; "raise" raises
                before anything is played.

        Raises:
            ValueError: an action outside of the action space, a game that is over, or
                with `illegal="raise"` an illegal action.
        """
        check_illegal(illegal)
        target, given = np.asarray(states), states
        states = self.arrays.batch(target)
        if len(states) and not np.shares_memory(target, np.asarray(given)):
            raise ValueError(
                f"play works in place: it takes an array of {self.name} records or one out of "
                f"such an array, got a {type(given).__name__} that NumPy copies"
            )
        numbers = self.arrays.action_numbers(actions, len(states))
        over = states["terminated"] | states["truncated"]
        if over.any():
            raise ValueError(
                f"game {int(over.argmax())} of the batch is over; play takes live games"
            )
        masks = self.arrays.legal(states)
        if illegal == "raise":
            self.arrays.require_legal(masks, numbers)
        self.kernels.play_games(states, self.constants, numbers, masks)
        if not np.shares_memory(target, states):
            target[...] = states.reshape(target.shape)

    def observe(self, states: States, seat: npt.ArrayLike) -> npt.NDArray[np.int8]:
        """Return what a seat sees: int8 array of shape `(N, *observation_shape)`.

        Args:
            states: shape (N,).
            seat: one seat, or one for each state.

        Raises:
            ValueError: the states or the seats are not valid.
        """
        states = self.arrays.batch(states)
        seats = self.arrays.seats(seat, len(states))
        out = np.empty((len(states), self.observation_size), np.int8)
        self.kernels.observe_games(states, self.constants, seats, out)
        return out.reshape(len(states), *self.observation_shape)

    def observe_to_move(self, states: States) -> npt.NDArray[np.int8]:
        """Return what the seat to move sees in each state; this is faster than `observe`.

        Args:
            states: shape (N,).

        Raises:
            ValueError: the states are not valid.
        """
        states = self.arrays.records(states)
        out = np.empty((len(states), self.observation_size), np.int8)
        found = self.kernels.observe_movers(states, self.constants, self.num_actions, out)
        self.arrays.check_fault(states, *found)
        return out.reshape(len(states), *self.observation_shape)

    def conceal(self, states: States, seat: npt.ArrayLike, rng: np.random.Generator) -> States:
        """Return copies that hold only what a seat may know.

        Hidden parts and the random stream are resampled. The stream is resampled in every
        game, so that no search foresees the dice.

        Args:
            states: shape (N,).
            seat: one seat, or one for each state.
            rng: what the fresh parts are drawn from.

        Raises:
            ValueError: the states, the seats or the generator are not valid.
        """
        states = self.arrays.batch(states)
        if not isinstance(rng, np.random.Generator):
            raise ValueError(f"rng must be a numpy.random.Generator, got {checks.shown(rng)}")
        streams = rng.integers(0, 2**64, len(states), np.uint64)
        return self.arrays.conceal(states, seat, streams)

    def to_move(self, states: States) -> npt.NDArray[np.int8]:
        """Return the seat whose turn it is, shape (N,); after the end, who would be next."""
        return self.arrays.batch(states)["to_move"].copy()

    def returns(self, states: States) -> npt.NDArray[np.float32]:
        """Return each seat's result: shape (N, num_players), all 0 until the end."""
        return self.arrays.batch(states)["returns"].copy()

    def terminated(self, states: States) -> npt.NDArray[np.bool_]:
        """Return whether the rules have ended the game, shape (N,)."""
        return self.arrays.batch(states)["terminated"].copy()

    def truncated(self, states: States) -> npt.NDArray[np.bool_]:
        """Return whether `max_plies` has ended the game, shape (N,)."""
        return self.arrays.batch(states)["truncated"].copy()

    def over(self, states: States | np.void) -> npt.NDArray[np.bool_]:
        """Return whether each game has ended, by the rules or by `max_plies`, shape (N,).

        Environments call this before every ply, so the contents of the records are not checked.
        """
        records = self.arrays.records(states)
        over: npt.NDArray[np.bool_] = records["terminated"] | records["truncated"]
        return over

    def info(self, state: np.void | States) -> dict[str, Any]:
        """Return the game's own entries of the environments' `info` for one position.

        Every position has the same keys, and each key has one dtype and one shape. A value such as
        -1 marks a thing that the position lacks. The environments call this at every ply, so the
        contents of the record are not checked.

        Args:
            state: a record, or an array of shape () that holds one. Fields of such an array are
                read faster.

        Returns:
            For each key a NumPy scalar or a fresh NumPy array.
        """
        return {}

    def infos(self, states: States) -> dict[str, npt.NDArray[Any]]:
        """Return `info` of N positions: for each key an array of N rows, for vector environments.

        The default calls `info` N times. A game that adds to `info` overrides this method with
        array code, which takes a small part of the time.

        Args:
            states: records, shape (N,).
        """
        rows = [self.info(state) for state in self.arrays.records(states)]
        return {key: np.array([row[key] for row in rows]) for key in (rows[0] if rows else ())}

    @property
    def has_info(self) -> bool:
        """Whether the game adds anything to `info`."""
        return type(self).info is not Game.info

    # -- Text and picture of a position ---------------------------------------------------

    def to_text(self, state: np.void) -> str:
        """Return one position in the console format, each line ended by a newline.

        By default a line for each of the game's own fields, with its name and its values.
        """
        return forms.fields_to_text(self.arrays.one(state))

    def from_text(
        self, text: str, *, to_move: int | None = None, ply: int | None = None
    ) -> np.void:
        """Return the position that a text shows.

        Args:
            text: as `to_text` writes it.
            to_move: whose turn it is. Required if neither the text nor the position implies it.
            ply: how many plies were played; by default the fewest possible.

        Raises:
            ValueError: the text shows no valid position, or `to_move` is missing.
        """
        data = forms.fields_from_text(text, self.state_dtype)
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
        """Return what `from_dict` does for the game's own fields and two values of `from_text`."""
        given = {"to_move": to_move, "ply": ply}
        return self.from_dict({**fields, **{k: v for k, v in given.items() if v is not None}})

    def action_to_text(self, action: int, state: np.void | None = None) -> str:
        """Return an action as a player types it; by default its number.

        Args:
            action: its number.
            state: the position it is played in, for games whose notation depends on it.

        Raises:
            ValueError: the action is not in the action space.
        """
        return str(checks.whole_number("action", action, 0, self.num_actions - 1))

    def action_from_text(self, text: str, state: np.void | None = None) -> int:
        """Return the number of an action that a player typed.

        Raises:
            ValueError: it is malformed or not in the action space.
        """
        word = checks.text_value("text", text).strip()
        if not re.fullmatch("[0-9]{1,9}", word):
            raise ValueError(f"expected the number of an action, got {checks.shown(text)}")
        return checks.whole_number("action", int(word), 0, self.num_actions - 1)

    def picture(self, state: np.void) -> str:
        """Return one position as an SVG image; by default an image of its text.

        It shows what lies open on the table: the last move and the winning line marked,
        what nobody has turned over yet face down. At the end of a notebook's cell,
        `game.picture(state)` shows itself, if it comes from `boardenvs.show.svg.svg`.

        A game's pictures should all have the same size, whatever the position: else
        `rgb_array` shrinks those that are larger than the first.
        """
        from boardenvs.show.svg import text_picture

        return text_picture(self.to_text(state), f"{self.name}: a position")

    def rgb_array(self, state: np.void, size: int = 640) -> npt.NDArray[np.uint8]:
        """Return the `picture` of one position as pixels, for videos and whatever else reads them.

        Args:
            state: a record.
            size: about how many pixels the longer side gets, 64 to 4096. Both sides are
                rounded to multiples of 16, as video encoders want them.

        Returns:
            uint8 array of shape (H, W, 3), the same H and W for every position.

        Raises:
            ValueError: for a bad `size`, or where the extra `[render]` is not installed.
        """
        from boardenvs.show.pixels import frame_shape, rasterize

        picture = self.picture(state)
        return rasterize(picture, frame_shape(self._first_picture, size))

    @functools.cached_property
    def _first_picture(self) -> str:
        """The picture whose size all frames have."""
        return self.picture(self.new(1, 0)[0])

    # -- JSON ---------------------------------------------------------------------------

    def _position_to_dict(self, state: np.void) -> dict[str, Any]:
        """Return the game's own fields as JSON values, by the keys of `_position_from_dict`.

        `state` may hold any bytes; `_position_from_dict` refuses what is no position.
        """
        return forms.fields_to_dict(state)

    def _position_from_dict(self, fields: dict[str, Any], state: np.void) -> None:
        """Write the game's own fields into a start record, and `to_move` and `ply`.

        `fields` has the keys of `_position_to_dict`, and `to_move` and `ply` where the
        user gave them (as ints of at least 0). `state` holds `last_action` already, -1
        where the user gave none.

        Raises:
            ValueError: they describe no valid position.
        """
        forms.write_fields(fields, state)

    def to_dict(self, state: np.void) -> dict[str, Any]:
        """Return one position as JSON values; `from_dict` gives the same record back."""
        return self._to_dict(self.arrays.one(state))

    def _to_dict(self, record: np.void) -> dict[str, Any]:
        """Return what `to_dict` does, for a record of any bytes."""
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
        """Return the record of a position given as `to_dict` writes it, or by hand.

        Only the game's own fields are required. If the rules have a function `judge`, it finds the
        outcome, and an outcome in the dictionary must agree. Otherwise the dictionary gives the
        outcome.

        Raises:
            ValueError: a field is missing, unknown or impossible.
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
                raise ValueError(f"a {self.name} position has no field {key!r}; its own are {own}")
        for key in own:
            if key not in data:
                raise ValueError(f"a {self.name} position needs the field {key!r}")
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
                raise ValueError(f"offender {offender} was not to move in a live game")
            nothing_legal = np.zeros((1, self.num_actions), np.bool_)
            self.kernels.play_games(states, self.constants, np.zeros(1, np.int64), nothing_legal)
        if not derived_outcome:
            self._check_open(states)
        for key in derived:
            says = record[key].tolist()
            if key in data and data[key] != says:
                raise ValueError(f"{key} is given as {data[key]!r}, but the position says {says}")
        return record

    def _check_open(self, states: States) -> None:
        """Raise `ValueError` unless a position is sound, and over if no action is legal.

        For rules with `judge` this is not needed.
        """
        found = self.kernels.first_fault(states, self.constants, self.num_actions)
        self.arrays.check_fault(states, *found)
        if not self.over(states)[0] and not self.arrays.legal(states).any():
            raise ValueError("terminated must be True, since no action is legal, got False")

    def restore(self, state: Any) -> States:
        """Return a valid position, given as a record, an array of one, or a dictionary.

        Returns:
            A fresh array of shape (1,).

        Raises:
            ValueError: `state` is no valid position of the game.
        """
        if isinstance(state, Mapping):
            return np.array([self.from_dict(state)], self.state_dtype)
        records = self.arrays.records(state)
        if len(records) != 1:
            raise ValueError(f"expected one {self.name} record, got {len(records)}")
        # Not checked before, since `from_dict` has better error messages.
        record = records[0]
        again = self.from_dict(self._to_dict(record))
        if again != record:
            raise ValueError(f"the record is no valid {self.name} position")
        return np.array([again], self.state_dtype)  # not the one given, which may hold a -0.0


@functools.cache
def _kernels(rules: types.ModuleType) -> Kernels:
    from boardenvs.core.loops import Kernels

    return Kernels(rules)
