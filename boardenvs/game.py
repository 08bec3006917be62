"""`Game`: what every game must say about itself. The one contract of the package.

A position is one NumPy record, laid out by `boardenvs.core.records`: the fields that all games
have, then the game's own. Operations work on arrays of records, so copying a game is
`.copy()`, saving it is `.tobytes()` and comparing two is `==`; equal positions have the
same bytes.
"""

from __future__ import annotations

import abc
import copy
import functools
import importlib
import importlib.util
import math
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from boardenvs.core import checks
from boardenvs.core.records import fault_message, is_over, record_dtype
from boardenvs.show.presentation import Presentation

if TYPE_CHECKING:
    from boardenvs.core.loops import Kernels
    from boardenvs.core.symmetries import Symmetries

__all__ = ["Game", "Illegal", "States", "check_illegal"]

States = npt.NDArray[np.void]
Illegal = Literal["lose", "raise"]


def check_illegal(illegal: str) -> None:
    """Raise `ValueError` unless `illegal` names a way to treat illegal actions."""
    checks.one_of("illegal", illegal, ("lose", "raise"))


class Game(Presentation):
    """One game with its parameters. Stateless: positions are records handed in and out.

    A subclass sets the facts below, names its module of rules (see
    `boardenvs.core.hooks` for what that supplies), and writes the text and dictionary
    forms of a position. Seats are numbered from 0.

    Example:
        >>> import boardenvs
        >>> game = boardenvs.make("gekitai")
        >>> states = game.new(2, seed=0)
        >>> game.play(states, [game.action_from_text("A1"), game.action_from_text("C3")])
        >>> game.to_move(states).tolist(), game.legal(states).sum(1).tolist()
        ([1, 1], [35, 35])
    """

    has_chance: ClassVar[bool] = False
    """Whether anything is drawn at random during play or before it."""
    has_hidden: ClassVar[bool] = False
    """Whether some seat does not see everything."""
    observation_params: ClassVar[frozenset[str]] = frozenset()
    """Those of `params` that change what observations show and nothing else."""
    player_counts: ClassVar[tuple[int, int] | None] = None
    """The fewest and the most players, where an argument says how many."""
    param_readers: ClassVar[Mapping[str, Callable[[str], Any]]] = {}
    """What reads those of `params` from a text that are no numbers, truth values or texts.

    It raises `ValueError` for a text that stands for nothing.
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
    observation_high: int = 1
    """Largest value in an observation; the smallest is 0, the dtype int8."""
    max_plies: int
    """After so many plies an unfinished game is truncated."""
    state_dtype: np.dtype[np.void]

    def __init__(
        self,
        *,
        params: dict[str, Any],
        num_players: int,
        num_actions: int,
        observation_shape: tuple[int, ...],
        fields: list[tuple[Any, ...]],
        constants: Mapping[str, tuple[Any, Any]],
    ) -> None:
        """Set the facts.

        Args:
            params: the arguments of the subclass, `max_plies` among them.
            num_players: number of seats.
            num_actions: size of the action space.
            observation_shape: shape of one seat's observation.
            fields: the game's own record fields, after those common to all.
            constants: what the rules read as `p.NAME`: name to (dtype, value).
        """
        self.num_players = num_players
        self.num_actions = num_actions
        self.observation_shape = observation_shape
        self.observation_size = math.prod(observation_shape)
        """Entries of one observation."""
        self.max_plies = checks.whole_number(
            "max_plies", params["max_plies"], num_players, 2**31 - 1
        )
        self.params = {**params, "max_plies": self.max_plies}
        for key in [*constants, *(field[0] for field in fields)]:
            # Such a name would mean the field to Numba, but the attribute to plain Python.
            assert not hasattr(np.record, key), f"{key!r} is an attribute of every NumPy record"
        self.state_dtype = record_dtype(num_players, fields)
        constants = {**constants, "max_plies": (np.int64, self.max_plies)}
        parameters = np.dtype([(k, t) for k, (t, _) in constants.items()], align=True)
        self.constants = np.zeros(1, np.dtype((np.record, parameters)))
        """The rules' parameters `p`, shape (1,)."""
        for key, (_, value) in constants.items():
            self.constants[key] = value
        self.start = np.zeros(1, self.state_dtype)
        """A record before the deal, shape (1,)."""
        self.start["last_action"] = -1
        self.start["offender"] = -1

    # What it was made with is what it is: a copy, here or in another process, is made anew.
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
    def kernels(self) -> Kernels:
        """The compiled loops over this game's rules."""
        return _kernels(self.rules_name)

    @functools.cached_property
    def rules_name(self) -> str:
        """The module of the rules: `rules` in the package of the class, or of one it derives from.

        Raises:
            ValueError: there is no such module.
        """
        return f"{self.homes[-1]}.rules"

    @functools.cached_property
    def homes(self) -> tuple[str, ...]:
        """The packages that say what the game is: that of the class, those of its bases.

        The last one has the rules; what lies beyond it is of another game. A class defined in a
        module that is no package has none of its own.

        Raises:
            ValueError: none of them has rules.
        """
        modules = [cls.__module__ for cls in type(self).__mro__ if issubclass(cls, Game)]
        homes = []
        for home in modules[: modules.index(__name__)]:
            if hasattr(sys.modules.get(home), "__path__"):
                homes.append(home)
                if importlib.util.find_spec(f"{home}.rules") is not None:
                    return tuple(dict.fromkeys(homes))
        raise ValueError(
            f"{type(self).__name__} has no rules: expected a file rules.py in the package "
            f"that it is defined in, but that is {modules[0]!r}"
        )

    @property
    def most_chance_outcomes(self) -> int:
        """At most so many outcomes has a draw of the rules'; 0 where nothing is drawn.

        A game that has chance says it by a property of its own, or raises `ValueError` here.
        """
        if self.has_chance:
            raise ValueError(
                f"{self.name} has chance: its most_chance_outcomes must say how many outcomes a "
                f"draw has at most"
            )
        return 0

    def symmetries(self) -> Symmetries:
        """Ways to turn the board that change nothing about the game; by default there are none.

        Whatever is learned of a position holds for it in every view. A game that overrides this
        promises that to play in a view comes to the same as to see what was played in that view,
        for the same random streams.
        """
        from boardenvs.core.symmetries import Symmetries

        return Symmetries.none(self.num_actions, self.observation_size)

    # -- Operations on arrays of records; a single record counts as an array of one. ----

    def new(self, num: int, seed: int | None = None) -> States:
        """Start positions.

        Args:
            num: how many, at least 0.
            seed: of the records' random streams; `None` for a fresh one. Record i is
                the same for every `num`.

        Returns:
            Array of shape (num,), dtype `state_dtype`.

        Raises:
            ValueError: for a bad `num` or `seed`.
        """
        from boardenvs.core.chance import seed_word, stream_words

        num = checks.whole_number("num", num, 0)
        return self.new_from_words(stream_words(seed_word(seed), num))

    def new_from_words(self, words: npt.NDArray[np.uint64]) -> States:
        """Start positions whose random streams start at the given words, shape (N,)."""
        states = np.empty(len(words), self.state_dtype)
        self.kernels.start_games(states, self.constants, self.start, words)
        return states

    def legal(self, states: States) -> npt.NDArray[np.bool_]:
        """Legal actions: bool array of shape (N, num_actions), all False after the end."""
        return self.legal_unchecked(self.batch(states))

    def legal_unchecked(self, states: States) -> npt.NDArray[np.bool_]:
        """As `legal`, of an array as `records` gives it, which may show what no game leads to."""
        masks = np.empty((len(states), self.num_actions), np.bool_)
        self.kernels.legal_games(states, self.constants, masks)
        return masks

    def play(self, states: States, actions: npt.ArrayLike, *, illegal: Illegal = "lose") -> None:
        """One action in each game, in place.

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
        states = self.batch(target)
        if len(states) and not np.shares_memory(target, np.asarray(given)):
            raise ValueError(
                f"play works in place: it takes an array of {self.name} records or one out of "
                f"such an array, got a {type(given).__name__} that NumPy copies"
            )
        numbers = self.action_numbers(actions, len(states))
        over = is_over(states)
        if over.any():
            raise ValueError(
                f"game {int(over.argmax())} of the batch is over; play takes live games"
            )
        masks = self.legal_unchecked(states)
        if illegal == "raise":
            self.require_legal(masks, numbers)
        self.kernels.play_games(states, self.constants, numbers, masks)
        if not np.shares_memory(target, states):
            target[...] = states.reshape(target.shape)

    def observe(self, states: States, seat: npt.ArrayLike) -> npt.NDArray[np.int8]:
        """What a seat sees: int8 array of shape `(N, *observation_shape)`.

        Args:
            states: shape (N,).
            seat: one seat, or one for each state.

        Raises:
            ValueError: these are no such states or seats.
        """
        states = self.batch(states)
        seats = self._seats(seat, len(states))
        out = np.empty((len(states), self.observation_size), np.int8)
        self.kernels.observe_games(states, self.constants, seats, out)
        return out.reshape(len(states), *self.observation_shape)

    def observe_to_move(self, states: States) -> npt.NDArray[np.int8]:
        """What the seat to move sees in each state, as of `observe`, for less.

        Args:
            states: shape (N,).

        Raises:
            ValueError: these are no such states.
        """
        states = self.records(states)
        out = np.empty((len(states), self.observation_size), np.int8)
        found = self.kernels.observe_movers(states, self.constants, self.num_actions, out)
        self._check_fault(states, *found)
        return out.reshape(len(states), *self.observation_shape)

    def conceal(self, states: States, seat: npt.ArrayLike, rng: np.random.Generator) -> States:
        """Copies as far as a seat may know them.

        Hidden parts and the random stream are drawn afresh, the latter even where
        nothing is hidden, so that no search foresees the dice.

        Args:
            states: shape (N,).
            seat: one seat, or one for each state.
            rng: what the fresh parts are drawn from.

        Raises:
            ValueError: these are no such states or seats, or no generator.
        """
        states = self.batch(states)
        if not isinstance(rng, np.random.Generator):
            raise ValueError(f"rng must be a numpy.random.Generator, got {checks.shown(rng)}")
        words = rng.integers(0, 2**64, len(states), np.uint64)
        return self.conceal_with_words(states, seat, words)

    def conceal_with_words(
        self, states: States, seat: npt.ArrayLike, words: npt.NDArray[np.uint64]
    ) -> States:
        """As `conceal`, drawing record i from the stream word `words[i]`.

        It is asked before every ply of an opponent, so what the records hold is not checked.
        """
        copies = self.records(states).copy()
        seats = self._seats(seat, len(copies))
        self.kernels.redraw_games(copies, self.constants, seats, words)
        return copies

    def to_move(self, states: States) -> npt.NDArray[np.int8]:
        """The seat whose turn it is, shape (N,); after the end, who would be next."""
        return self.batch(states)["to_move"].copy()

    def returns(self, states: States) -> npt.NDArray[np.float32]:
        """Each seat's result: shape (N, num_players), all 0 until the end."""
        return self.batch(states)["returns"].copy()

    def terminated(self, states: States) -> npt.NDArray[np.bool_]:
        """Whether the rules have ended the game, shape (N,)."""
        return self.batch(states)["terminated"].copy()

    def truncated(self, states: States) -> npt.NDArray[np.bool_]:
        """Whether `max_plies` has ended the game, shape (N,)."""
        return self.batch(states)["truncated"].copy()

    def over(self, states: States | np.void) -> npt.NDArray[np.bool_]:
        """Whether each game has ended, by the rules or by `max_plies`, shape (N,).

        It is asked before every ply, so what the records hold is not checked.
        """
        over: npt.NDArray[np.bool_] = is_over(self.records(states))
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
        rows = [self.info(state) for state in self.records(states)]
        return {key: np.array([row[key] for row in rows]) for key in (rows[0] if rows else ())}

    @property
    def has_info(self) -> bool:
        """Whether the game adds anything to `info`."""
        return type(self).info is not Game.info

    # -- What a person is shown; the rest of it is `Presentation`'s --------------------------

    def example_move(self, state: np.void) -> str:
        """A legal move as a player types it.

        Raises:
            ValueError: the game is over.
        """
        state = self.one(state)
        legal = np.flatnonzero(self.legal(self.batch(state))[0])
        if not len(legal):
            raise ValueError("the game is over: there is no move")
        return self.action_to_text(int(legal[len(legal) // 2]), state)

    def rgb_array(self, state: np.void, size: int = 640) -> npt.NDArray[np.uint8]:
        """The `picture` of one position as pixels, for videos and whatever else reads them.

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

    @abc.abstractmethod
    def _position_to_dict(self, state: np.void) -> dict[str, Any]:
        """The game's own fields as JSON values, by the keys of `_position_from_dict`.

        `state` may hold any bytes: what is no position is for `_position_from_dict` to refuse.
        """

    @abc.abstractmethod
    def _position_from_dict(self, fields: dict[str, Any], state: np.void) -> None:
        """Write the game's own fields into a start record, and `to_move` and `ply`.

        `fields` has the keys of `_position_to_dict`, and `to_move` and `ply` where the
        user gave them (as ints of at least 0). `state` holds `last_action` already, -1
        where the user gave none.

        Raises:
            ValueError: they describe no valid position.
        """

    def to_dict(self, state: np.void) -> dict[str, Any]:
        """One position as JSON values; `from_dict` gives the same record back."""
        return self._to_dict(self.one(state))

    def _to_dict(self, record: np.void) -> dict[str, Any]:
        """As `to_dict`, of any bytes; `_position_to_dict` answers for those, too."""
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
        """The record of a position given as `to_dict` writes it, or by hand.

        Only the game's own fields are required. Who has won follows from the position;
        if the dictionary says it too, it must agree.

        Raises:
            ValueError: naming what is missing, unknown or impossible.
        """
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
        self.kernels.judge_games(states, self.constants)
        if offender >= 0:
            if offender != record["to_move"] or is_over(record):
                raise ValueError(f"offender {offender} was not to move in a live game")
            nothing_legal = np.zeros((1, self.num_actions), np.bool_)
            self.kernels.play_games(states, self.constants, np.zeros(1, np.int64), nothing_legal)
        for key in derived:
            says = record[key].tolist()
            if key in data and data[key] != says:
                raise ValueError(f"{key} is given as {data[key]!r}, but the position says {says}")
        return record

    def restore(self, state: Any) -> States:
        """A valid position, given as a record, an array of one, or a dictionary.

        Returns:
            A fresh array of shape (1,).

        Raises:
            ValueError: it is none of these, or no valid position.
        """
        if isinstance(state, Mapping):
            return np.array([self.from_dict(state)], self.state_dtype)
        records = self.records(state)
        if len(records) != 1:
            raise ValueError(f"expected one {self.name} record, got {len(records)}")
        # Unchecked, for `from_dict` tells better what is wrong.
        record = records[0]
        again = self.from_dict(self._to_dict(record))
        if again != record:
            raise ValueError(f"the record is no valid {self.name} position")
        return np.array([again], self.state_dtype)  # not the one given, which may hold a -0.0

    # -- Checks of what callers hand in -------------------------------------------------

    def batch(self, states: Any) -> States:
        """`states` as a writable contiguous array of shape (N,); a copy only if need be.

        Whatever bytes they hold, the rules can be asked about records that come back: an index
        outside of an array would end the process. That they are positions which a game leads
        to is another matter, see `restore`.

        Raises:
            ValueError: it is no array of this game's records, or one holds what no position does.
        """
        array = self.records(states)
        self._check_fault(array, *self.kernels.first_fault(array, self.constants, self.num_actions))
        return array

    def _check_fault(self, states: States, i: int, fault: int) -> None:
        """Raise `ValueError` for the fault of a record, if there is one."""
        if fault:
            what = fault_message(fault, states[i], self.num_actions, self.max_plies)
            raise ValueError(f"record {i} of {len(states)} is no {self.name} position: {what}")

    def records(self, states: Any) -> States:
        """As `batch`, but for what the records hold, which is not checked.

        Raises:
            ValueError: it is no array of this game's records.
        """
        array = np.asarray(states)
        if array.dtype != self.state_dtype or array.ndim > 1:
            raise ValueError(
                f"expected {self.name} records, shape (N,), got an array of "
                f"shape {array.shape} and dtype {array.dtype}"
            )
        if array.ndim == 0:
            array = array.reshape(1)
        if not (array.flags.c_contiguous and array.flags.writeable):
            array = array.copy()
        return array if array.dtype.type is np.record else array.view(self.state_dtype)

    def one(self, state: Any) -> np.void:
        """`state` as one record. Raises `ValueError` if it is none."""
        batch = self.batch(state)
        if len(batch) != 1:
            raise ValueError(f"expected one {self.name} record, got {len(batch)}")
        record: np.void = batch[0]
        return record

    def action_numbers(self, actions: npt.ArrayLike, num: int) -> npt.NDArray[np.int64]:
        """`actions` as int64 of shape (num,).

        Raises:
            ValueError: they are not whole numbers, not so many, or not in the action space.
        """
        num = checks.whole_number("num", num, 0)
        array = np.asarray(actions)
        if array.size == 0 == num:
            return np.zeros(0, np.int64)
        if array.dtype.kind not in "iu" or array.shape not in ((num,), () if num == 1 else (num,)):
            raise ValueError(
                f"expected {num} actions as whole numbers, got an array of "
                f"shape {array.shape} and dtype {array.dtype}"
            )
        array = array.reshape(num)
        numbers = np.ascontiguousarray(array, np.int64)
        if _any_outside(numbers, self.num_actions):
            outside = (array < 0) | (array >= self.num_actions)
            raise ValueError(
                f"action {array[outside.argmax()]} is outside of the action space, "
                f"0 to {self.num_actions - 1}"
            )
        return numbers

    def require_legal(self, masks: npt.NDArray[np.bool_], actions: npt.NDArray[np.int64]) -> None:
        """Raise `ValueError` for the first action that its mask does not allow."""
        refused = ~masks[np.arange(len(actions)), actions]
        if refused.any():
            i = int(refused.argmax())
            raise ValueError(f"action {actions[i]} is illegal in game {i} of the batch")

    def _seats(self, seat: npt.ArrayLike, num: int) -> npt.NDArray[np.int64]:
        given = np.asarray(seat)
        if given.dtype.kind not in "iu" or given.shape not in ((), (num,)):
            raise ValueError(
                f"seat must be a whole number or {num} of them, got {checks.shown(seat)}"
            )
        seats = np.ascontiguousarray(given, np.int64)  # of one number it makes an array
        if _any_outside(seats, self.num_players):
            raise ValueError(
                f"seat must be from 0 to {self.num_players - 1}, got {checks.shown(seat)}"
            )
        return seats if len(seats) == num else seats.repeat(num)


def _any_outside(numbers: npt.NDArray[np.int64], end: int) -> bool:
    """Whether any of them is below 0, or not below `end`."""
    # Taken for unsigned, those below 0 are large, too: one look at them instead of two.
    return bool(np.maximum.reduce(numbers.view(np.uint64), initial=0) >= end)


@functools.cache
def _kernels(rules: str) -> Kernels:
    from boardenvs.core.loops import Kernels

    return Kernels(importlib.import_module(rules))
