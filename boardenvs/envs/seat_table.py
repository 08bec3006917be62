"""`SeatTable`: N games in which one seat each is the caller's and opponents play the rest."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from boardenvs.core.chance import make_streams, one_way
from boardenvs.core.checks import shown, whole_number
from boardenvs.core.loops import BEGIN, LEAVE, RANDOM_SEAT, RESTART
from boardenvs.envs import opponents
from boardenvs.envs.named_players import make_builtin
from boardenvs.envs.table import Table
from boardenvs.game import Game, Illegal, States, check_illegal

__all__ = ["SeatTable", "Stepped"]

_ATTEMPTS = 1000
"""At a game that lasts until the caller's first turn."""
_LABEL = "opponents"
_NOWHERE = np.zeros(0, np.intp)
_ONE_RESTART = np.array([RESTART])


class Stepped(NamedTuple):
    """What came of `SeatTable.play`, in fresh arrays."""

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


class SeatTable(Table):
    """The games, whose turn it is in each, and the opponents' moves.

    After `reset`, `act` and `play`, every game is over or at the caller's turn. If one
    of them fails half-way, `act` and `play` raise `ValueError` until the next `reset`.
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
        follow_on: bool = False,
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
            follow_on: whether each game that ends is followed by a new one in the same step.
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
        super().__init__(game, num, RANDOM_SEAT if seat == "random" else seat, threads=threads)
        self.illegal = illegal
        self._follow_on = follow_on
        self.played: list[int] | None = [] if record else None
        self.first: States | None = None
        """Where game 0 began, if it is recorded."""
        self._places = np.arange(num)
        self._torn = True
        self._lineups = [lineup]
        self._sitting = np.zeros(num, np.intp)  # which of them, in each game
        self._choose_loop()

    def set_opponent(self, opponent: opponents.OpponentSpec) -> None:
        """Have others play the other seats, in every game that begins from now on.

        Args:
            opponent: "random", the spec of an agent of this package, an object with `act`, or
                a list of those for the other seats in order.

        Raises:
            ValueError: it is no such thing, and nothing is changed.
        """
        self._lineups.append(_lineup(self.game, opponent))
        self._seat_lineup(np.zeros(len(self._places), np.bool_))

    def players(self) -> list[Any]:
        """Return the player of each seat of game 0, `None` for the caller."""
        players: list[Any] = list(self._lineups[self._sitting[0]])
        players.insert(self.games.seats.item(0), None)
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
        """Let compiled loops play the opponents if all of them are random.

        The loops play as `opponents.ask` does, so that this may change during a game.
        """
        random = all(isinstance(one, str) for lineup in self._lineups for one in lineup)
        self._in_one_loop = random and self.played is None
        self.games = self.games._replace(
            random_opponents=self._in_one_loop, restarts=self._in_one_loop and self._follow_on
        )
        self._make_views()

    def reset(
        self,
        states: States,
        streams: npt.NDArray[np.uint64],
        which: npt.NDArray[np.bool_],
        *,
        retry: bool,
    ) -> None:
        """Begin a game in each marked place, up to the caller's turn.

        Args:
            states: to begin with, shape (N,).
            streams: for each place, what the streams of opponents and seats come from.
            which: bool of shape (N,).
            retry: whether to begin another game where one ends before the caller's turn.

        Raises:
            ValueError: a game ends before the caller's turn, and `retry` is not set.
        """
        games = self.games
        if np.count_nonzero(which) == len(which):  # NumPy is slow at records that a mask selects
            games.streams[:] = one_way(streams, _LABEL)
            games.states[:] = states
        else:
            games.streams[which] = one_way(streams[which], _LABEL)
            games.states[which] = states[which]
        self._begin(np.where(which, BEGIN, LEAVE))
        over = self.over() & which
        if not retry and np.count_nonzero(over):
            self._torn = True
            raise ValueError("the state ends before the seat's first turn")
        self._restart(over)

    def reset_one(self, base: np.uint64) -> None:
        """Begin a new game in a table of one game.

        Args:
            base: word that all streams come from, as for `make_streams`.

        Raises:
            ValueError: the opponents end every game before the caller's turn.
        """
        self.games.streams[:] = one_way(make_streams(base, 1), _LABEL)
        self.position["rng"] = base  # a new game has the stream that comes next
        self._begin(_ONE_RESTART)
        if self.games.terminated.item() or self.games.truncated.item():
            self._restart(np.ones(1, np.bool_))

    def _restart(self, which: npt.NDArray[np.bool_]) -> None:
        """Begin a new game in each marked place, up to the caller's turn; all streams go on.

        Raises:
            ValueError: the opponents end every game before that.
        """
        for _ in range(_ATTEMPTS):
            if not np.count_nonzero(which):  # much faster than `any`
                return
            self._begin(np.where(which, RESTART, LEAVE))
            which = self.over() & which  # a game may end before the caller's first turn
        self._torn = True
        raise ValueError(f"{_ATTEMPTS} games in a row ended before the seat's first turn")

    def _begin(self, how: npt.NDArray[np.int64]) -> None:
        """Begin games, up to the caller's turn: `BEGIN`, `RESTART` or `LEAVE` for each place."""
        self._torn = True
        if len(self._lineups) > 1:
            self._seat_lineup(how != LEAVE)
        self.step(how)
        if self.played is not None and how[0] != LEAVE:
            self.played = []
            self.first = self.games.states[:1].copy()
        self._play_opponents()
        self._torn = False

    def over(self) -> npt.NDArray[np.bool_]:
        """Return which games have ended: bool of shape (N,)."""
        states = self.games.states
        over: npt.NDArray[np.bool_] = states["terminated"] | states["truncated"]
        return over

    def act(self, actions: npt.NDArray[np.int64]) -> None:
        """Play the caller's action in each game, then the opponents'.

        Args:
            actions: int64 of shape (N,); `LEAVE` for none.

        Raises:
            ValueError: with `illegal="raise"`, for an illegal action, before any is played;
                no game was started, or the last call failed half-way.
        """
        self._check(actions)
        self._torn = True
        self._play(actions)
        self._play_opponents()
        self._torn = False

    def act_one(self, action: int) -> None:
        """Play the caller's action in the only game, as `act` does."""
        if self._in_one_loop and self.illegal == "lose" and not self._torn:
            self.step_one(action)
        else:
            self.act(np.array([action]))

    def _check(self, actions: npt.NDArray[np.int64]) -> None:
        """Raise `ValueError` as `act` does before it plays."""
        if self._torn:
            raise ValueError("no game was started, or an opponent's turn failed: call reset")
        if self.illegal == "raise":
            refused = (actions != LEAVE) & ~self.games.masks[self._places, actions]
            if refused.any():
                i = int(refused.argmax())
                raise ValueError(f"action {actions[i]} is illegal in game {i}")

    def play(self, actions: npt.NDArray[np.int64]) -> Stepped:
        """Play as `act` does, begin new games in places of `LEAVE`, and return what came of it.

        Args:
            actions: int64 of shape (N,).

        Raises:
            ValueError: as `act`; the opponents end every new game before the caller's turn.
        """
        games = self.games
        seats = games.seats.copy()
        self.act(actions)
        if not self._follow_on:
            self._restart(actions == LEAVE)
        rewards = games.rewards[:, 0].astype(np.float64)
        terminated, truncated = games.terminated.copy(), games.truncated.copy()
        ended, last = _NOWHERE, games.last[:0]
        if self._follow_on:
            over = terminated | truncated
            ended = over.nonzero()[0]
            last = (games.last if games.restarts else games.states).take(ended)
            self._restart(over & self.over() if games.restarts else over)
        return Stepped(
            self.observations().copy(), games.masks.copy(), rewards, terminated, truncated, ended,
            last, seats.take(ended),
        )  # fmt: skip

    def _play_opponents(self) -> None:
        """Ask opponents for actions, and play these, until the caller's turn or the end."""
        if self._in_one_loop:
            return
        games = self.games
        while True:
            waiting = ~self.over() & (games.states["to_move"] != games.seats)
            if not waiting.any():
                return
            self._play(self._opponents_actions(np.flatnonzero(waiting)))

    def _play(self, actions: npt.NDArray[np.int64]) -> None:
        """Play an action, or `LEAVE`, in each game."""
        self.step(actions)
        if self.played is not None and actions[0] != LEAVE:
            self.played.append(int(actions[0]))

    def _opponents_actions(self, places: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
        """Return the opponent's action in each of these places, `LEAVE` elsewhere."""
        actions = np.full(len(self._places), LEAVE)
        turn = self.games.states["to_move"][places]
        # The list of opponents goes round the table and leaves the caller's seat out.
        rank = turn - (turn > self.games.seats[places])
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
        """Return one opponent's actions in these places, shape (len(where),)."""
        streams = self.games.streams[where]
        chosen = opponents.ask(opponent, self.game, self.games.states[where], streams)
        self.games.streams[where] = streams
        if self.illegal == "raise":
            refused = ~self.games.masks[where, chosen]
            if refused.any():
                i = int(refused.argmax())
                raise ValueError(
                    f"opponent {opponent!r} chose action {chosen[i]}, which is illegal in game "
                    f"{where[i]}"
                )
        return chosen


def _lineup(game: Game, opponent: Any) -> list[Literal["random"] | opponents.Opponent]:
    """Return the players of the other seats in order, as `SeatTable.set_opponent` takes them."""
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
