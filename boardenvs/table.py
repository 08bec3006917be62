"""`Table`: N games in which one seat each is the caller's and opponents play the rest."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from boardenvs import opponents
from boardenvs.chance import one_way, stream_words
from boardenvs.checks import shown, whole_number
from boardenvs.game import Game, Illegal, States, check_illegal
from boardenvs.loops import ATTEMPTS
from boardenvs.named_players import make_builtin

__all__ = ["Stepped", "Table"]

_LABEL = "opponents"
_INT8 = np.dtype(np.int8)  # NumPy knows it sooner than by `np.int8`
_NOWHERE = np.zeros(0, np.intp)
_WORTH_THREADS = 512  # games with something to do


class Stepped(NamedTuple):
    """What came of `Table.step`, in fresh arrays."""

    seen: npt.NDArray[np.int8]
    """What the caller's seats see: shape (N, *observation_shape)."""
    masks: npt.NDArray[np.bool_]
    """Their legal actions: shape (N, num_actions)."""
    rewards: npt.NDArray[np.float64]
    """Each seat's result, shape (N,), as those that follow."""
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    ended: npt.NDArray[np.intp]
    """The places in which a game ended and was followed by another; of those games:"""
    last: States
    """The last positions."""
    last_seats: npt.NDArray[np.int64]
    """The caller's seats."""


class Table:
    """The games, whose turn it is in each, and the opponents' moves.

    After `reset`, `step` and `act_alone`, every game is over or at the caller's turn. If one
    of them fails half-way, the others refuse until `reset` has put that right.
    """

    def __init__(
        self,
        game: Game,
        num: int,
        opponent: opponents.OpponentSpec,
        seat: int | Literal["random"],
        illegal: Illegal,
        threads: int | None = 1,
        *,
        record: bool = False,
    ) -> None:
        """Set the table; `reset` begins.

        Args:
            game: what is played.
            num: N.
            opponent: who plays the other seats, as `set_opponent` takes it.
            seat: the caller's, or "random" for a new one each game.
            illegal: what an illegal action does.
            threads: over how many to spread the work; `None` for as many as measured to pay.
            record: whether to keep every action of game 0 in `played`.

        Raises:
            ValueError: for a bad `opponent`, `seat` or `illegal`.
        """
        check_illegal(illegal)
        lineup = _lineup(game, opponent)
        if not isinstance(seat, str) or seat != "random":
            last = game.num_players - 1
            try:
                seat = whole_number("seat", seat, 0, last)
            except ValueError:
                raise ValueError(
                    f"seat must be 'random' or from 0 to {last}, got {shown(seat)}"
                ) from None
        self.game = game
        self.illegal = illegal
        self.threads = threads
        self._seat = -1 if seat == "random" else seat
        self.played: list[int] | None = [] if record else None
        self._lineups = [lineup]
        self._choose_loop()
        self._sitting = np.zeros(num, np.intp)  # which of them, in each game
        self.states = np.repeat(game.start, num)
        self.seats = np.zeros(num, np.int64)
        self.masks = np.zeros((num, game.num_actions), np.bool_)
        self._words = np.zeros(num, np.uint64)
        self._places = np.arange(num)
        self._shape = game.observation_shape
        self._size = game.observation_size
        self._last = np.zeros_like(self.states)  # where `step` keeps the ends of games
        self._torn = True
        self.first: States | None = None
        """Where game 0 began, if it is recorded."""
        self._look()

    def set_opponent(self, opponent: opponents.OpponentSpec) -> None:
        """Have others play the other seats, in every game that begins from now on.

        Args:
            opponent: "random", the spec of an agent of this package, an object with `act`, or
                a list of those for the other seats in order.

        Raises:
            ValueError: it is no such thing, and nothing is changed.
        """
        self._lineups.append(_lineup(self.game, opponent))
        self._seat_lineup(np.zeros(len(self.states), np.bool_))

    def players(self) -> list[Any]:
        """Return the player of each seat of game 0, `None` for the caller."""
        players: list[Any] = list(self._lineups[self._sitting[0]])
        players.insert(self.seats.item(0), None)
        return players

    def _seat_lineup(self, which: npt.NDArray[np.bool_]) -> None:
        """Have the latest opponents sit down in each marked place; forget who sits nowhere."""
        latest = len(self._lineups) - 1
        self._sitting[which] = latest
        kept, sitting = np.unique(np.append(self._sitting, latest), return_inverse=True)
        self._lineups = [self._lineups[k] for k in kept]
        self._sitting = sitting[:-1]
        self._choose_loop()

    def _choose_loop(self) -> None:
        """Choose whether compiled loops play the opponents, too: where all of them are random.

        There they do as when they are asked, so that a game may change over half-way.
        """
        random = all(isinstance(one, str) for lineup in self._lineups for one in lineup)
        self._in_one_loop = random and self.played is None
        self._at_once = self._in_one_loop and self.illegal == "lose"

    def _look(self) -> None:
        """Set views of what a step reads, since to index a record costs more than to play it."""
        self.position: States = self.states[0, ...]
        """Game 0, not a copy, as `Game.info` takes it: shape ()."""
        self._mask = self.masks[0].view(_INT8)
        self._terminated = self.states["terminated"]
        self._truncated = self.states["truncated"]
        self._to_move = self.states["to_move"]
        self._returns = self.states["returns"]
        self._last_bytes = self._last.view(np.dtype((np.void, self._last.itemsize)))
        self._reset_seat: Callable[..., bool] | None = None
        self._step_seat: Callable[..., tuple[float, bool, bool]] | None = None

    def __getstate__(self) -> dict[str, Any]:
        views = {"position", "_mask", "_terminated", "_truncated", "_to_move", "_returns"}
        made = views | {"_last_bytes", "_reset_seat", "_step_seat"}
        return {k: v for k, v in vars(self).items() if k not in made}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        self.__dict__.update(attributes)
        self._look()  # a copy has views of its own arrays, not copies of views

    def reset(
        self,
        states: States,
        words: npt.NDArray[np.uint64],
        which: npt.NDArray[np.bool_],
        *,
        retry: bool,
    ) -> None:
        """Begin a game in each marked place, up to the caller's turn.

        Args:
            states: to begin with, shape (N,).
            words: for each place, what the streams of opponents and seats come from.
            which: bool of shape (N,).
            retry: whether to begin another game where one ends before the caller's turn.

        Raises:
            ValueError: a game ends before the caller's turn, and `retry` is not set.
        """
        self._words[which] = one_way(words[which], _LABEL)
        self.states[which] = states[which]
        self._begin(which)
        over = self.over() & which
        if over.any():
            if not retry:
                self._torn = True
                raise ValueError("the state ends before the seat's first turn")
            self._restart(over)

    def reset_alone(
        self, base: np.uint64
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8], np.int64]:
        """`reset` where there is one game, to begin anew, for as little as can be.

        Args:
            base: word that all streams come from, as for `stream_words`.

        Returns:
            Observation and legal actions as of `act_alone`; the caller's seat.

        Raises:
            ValueError: the opponents end every game before the caller's turn.
        """
        if not self._in_one_loop:
            words = stream_words(base, 1)
            self.reset(self.game.new_from_words(words), words, np.ones(1, np.bool_), retry=True)
            return (
                self.game.observe(self.states, self.seats)[0],
                self._mask.copy(),
                self.seats[0],
            )
        reset = self._reset_seat or self._bind_kernels()[0]
        out = np.empty(self._shape, _INT8)
        if not reset(base, one_way(stream_words(base, 1), _LABEL)[0], out):
            self._refuse_stuck()
        self._torn = False
        return out, self._mask.copy(), self.seats[0]

    def _restart(self, which: npt.NDArray[np.bool_]) -> None:
        """Begin a new game in each marked place, up to the caller's turn; all streams go on.

        Raises:
            ValueError: the opponents end every game before that.
        """
        for _ in range(ATTEMPTS):
            if not which.any():
                return
            self.game.kernels.restart_games(
                self.states, self.game.constants, self.game.start, which
            )
            self._begin(which)
            which = self.over() & which  # a game may end before the caller's first turn
        self._refuse_stuck()

    def _refuse_stuck(self) -> NoReturn:
        self._torn = True
        raise ValueError(f"{ATTEMPTS} games in a row ended before the seat's first turn")

    def _begin(self, which: npt.NDArray[np.bool_]) -> None:
        """Seat the caller in games that just began, and let opponents ahead of it move."""
        self._torn = True
        if len(self._lineups) > 1:
            self._seat_lineup(which)
        # To wake threads for a few games costs more than they save.
        self.game.kernels.take_seats(
            self.threads if which.sum() >= _WORTH_THREADS else 1,
            self.states,
            self.game.constants,
            which,
            self._seat,
            self._in_one_loop,
            self.seats,
            self._words,
            self.masks,
        )
        if not self._in_one_loop:
            if self.played is not None and which[0]:
                self.played = []
                self.first = self.states[:1].copy()
            self._play_turns(np.full(len(self.states), -1, np.int64))
        self._torn = False

    def over(self) -> npt.NDArray[np.bool_]:
        """Which games have ended."""
        over: npt.NDArray[np.bool_] = self._terminated | self._truncated
        return over

    def step(self, actions: npt.NDArray[np.int64], *, restarting: bool) -> Stepped:
        """The caller's action in each game, then the opponents'.

        Args:
            actions: int64 of shape (N,); -1 begins a new game instead.
            restarting: whether each game that ends is followed by a new one.

        Raises:
            ValueError: with `illegal="raise"`, for an illegal action, before any is played;
                no game was started, or the last call failed half-way; the opponents end
                every new game before the caller's turn.
        """
        self._check(actions)
        seats = self.seats.copy()
        ended = _NOWHERE
        if self._in_one_loop:
            seen, masks, rewards, terminated, truncated = self._step_in_one_loop(
                actions, restarting
            )
            if restarting:
                ended = (terminated | truncated).nonzero()[0]
            # NumPy copies records field by field, but bare bytes at once.
            last = self._last_bytes.take(ended).view(self._last.dtype)
        else:
            self._play_turns(actions)
            self._restart(actions < 0)
            rewards = self._returns[self._places, self.seats].astype(np.float64)
            terminated, truncated = self._terminated.copy(), self._truncated.copy()
            over = terminated | truncated
            if restarting:
                ended = np.flatnonzero(over)
            last = self.states.take(ended)
            if restarting:
                self._restart(over)
            seen, masks = self.show()
        return Stepped(seen, masks, rewards, terminated, truncated, ended, last, seats.take(ended))

    def _check(self, actions: npt.NDArray[np.int64]) -> None:
        """Raise `ValueError` as `step` does, for what can be told before it."""
        if self._torn:
            raise ValueError("no game was started, or an opponent's turn failed: call reset")
        if self.illegal == "raise":
            refused = (actions >= 0) & ~self.masks[self._places, actions]
            if refused.any():
                i = int(refused.argmax())
                raise ValueError(f"action {actions[i]} is illegal in game {i}")

    def _step_in_one_loop(
        self, actions: npt.NDArray[np.int64], restarting: bool
    ) -> tuple[
        npt.NDArray[np.int8],
        npt.NDArray[np.bool_],
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
    ]:
        """The first five of `Stepped`; the ends of games go into `self._last`."""
        num = len(actions)
        seen, masks = np.empty((num, self._size), np.int8), np.empty_like(self.masks)
        rewards = np.empty(num)
        terminated, truncated = np.empty(num, np.bool_), np.empty(num, np.bool_)
        stuck = np.zeros(1, np.bool_)
        self.game.kernels.step_seats(
            self.threads,
            self.states,
            self.game.constants,
            self.game.start,
            actions,
            restarting,
            self._seat,
            self.seats,
            self._words,
            self.masks,
            seen,
            masks,
            rewards,
            terminated,
            truncated,
            self._last,
            stuck,
        )
        if stuck[0]:
            self._refuse_stuck()
        return seen.reshape(num, *self._shape), masks, rewards, terminated, truncated

    def act_alone(
        self, action: int
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8], float, bool, bool]:
        """Play the caller's action in the only game, then the opponents' actions.

        Returns:
            Observation, int8 of shape observation_shape; legal actions, int8 of shape
            (num_actions,); the seat's result; whether the game is terminated, and truncated.

        Raises:
            ValueError: as `step`.
        """
        if self._torn or not self._at_once:
            self._check(np.array([action]))
            if not self._in_one_loop:
                self._play_turns(np.array([action]))
                action = -1
        step = self._step_seat or self._bind_kernels()[1]
        out = np.empty(self._shape, _INT8)
        reward, terminated, truncated = step(action, out)
        return out, self._mask.copy(), reward, terminated, truncated

    def _bind_kernels(
        self,
    ) -> tuple[Callable[..., bool], Callable[..., tuple[float, bool, bool]]]:
        """Make `_reset_seat` and `_step_seat`, which know all their arguments but the last ones."""
        from boardenvs.numba_doors import entry_point

        kernels, constants, start = self.game.kernels, self.game.constants, self.game.start
        states, seats, words, masks = self.states, self.seats, self._words, self.masks
        word, action, out = np.uint64(0), 0, np.empty(self._shape, _INT8)
        reset = entry_point(
            kernels.reset_seat,
            states,
            constants,
            start,
            seats,
            words,
            masks,
            self._seat,
            word,
            word,
            out,
        )
        self._reset_seat = functools.partial(
            reset, states, constants, start, seats, words, masks, self._seat
        )
        step = entry_point(kernels.step_seat, states, constants, seats, words, masks, action, out)
        self._step_seat = functools.partial(step, states, constants, seats, words, masks)
        return self._reset_seat, self._step_seat

    def show(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.bool_]]:
        """What the caller's seats see, and their legal actions, in fresh arrays.

        Returns:
            int8 of shape (N, *observation_shape), bool of shape (N, num_actions).
        """
        return self.game.observe(self.states, self.seats), self.masks.copy()

    def _play_turns(self, actions: npt.NDArray[np.int64]) -> None:
        """The caller's actions, -1 for none, then the opponents', each asked by itself."""
        self._torn = True
        kernels, constants = self.game.kernels, self.game.constants
        while True:
            kernels.advance_games(self.states, constants, actions, self.masks)
            if self.played is not None and actions[0] >= 0:
                self.played.append(int(actions[0]))
            waiting = ~self.over() & (self._to_move != self.seats)
            if not waiting.any():
                break
            actions = self._opponents_actions(np.flatnonzero(waiting))
        self._torn = False

    def _opponents_actions(self, places: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
        """The action of the opponent to move in each of these places, -1 elsewhere."""
        actions = np.full(len(self.states), -1, np.int64)
        turn = self._to_move[places]
        # The list of opponents goes round the table and leaves the caller's seat out.
        rank = turn - (turn > self.seats[places])
        sitting = self._sitting[places]
        for number, lineup in enumerate(self._lineups):
            for k, opponent in enumerate(lineup):
                where = places[(rank == k) & (sitting == number)]
                if len(where):
                    actions[where] = self._opponent_actions(opponent, where)
        return actions

    def _opponent_actions(
        self, opponent: Literal["random"] | opponents.Opponent, where: npt.NDArray[np.intp]
    ) -> npt.NDArray[np.int64]:
        """What one opponent does in these places, shape (len(where),)."""
        words = self._words[where]
        chosen = opponents.ask(opponent, self.game, self.states[where], words)
        self._words[where] = words
        if self.illegal == "raise":
            refused = ~self.masks[where, chosen]
            if refused.any():
                i = int(refused.argmax())
                raise ValueError(
                    f"opponent {opponent!r} chose action {chosen[i]}, which is illegal in game "
                    f"{where[i]}"
                )
        return chosen


def _lineup(game: Game, opponent: Any) -> list[Literal["random"] | opponents.Opponent]:
    """Who plays the other seats of a game, in order; the rest as for `Table.set_opponent`."""
    others = game.num_players - 1
    several = isinstance(opponent, list | tuple)
    if several and len(opponent) != others:
        raise ValueError(f"{game.name} needs {others} opponents, got {len(opponent)}")
    made: dict[str, Any] = {"random": "random"}
    lineup = []
    for one in opponent if several else [opponent]:
        if isinstance(one, str):
            if one not in made:
                made[one] = make_builtin(one, game)
            lineup.append(made[one])
        elif not isinstance(one, type) and callable(getattr(one, "act", None)):
            lineup.append(one)
        else:
            raise ValueError(
                f"opponent must be an agent's spec such as 'random', an object with "
                f"act(states), or a list of those, got {shown(one)}"
            )
    return lineup if several else lineup * others
