"""`SeatBatch`: N games in which the caller plays one seat and opponents play the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from boardenvs.core.chance import make_streams, one_way
from boardenvs.core.checks import shown, whole_number
from boardenvs.core.loops import BEGIN, LEAVE, RANDOM_SEAT, RESTART
from boardenvs.envs import opponents
from boardenvs.envs.game_batch import GameBatch
from boardenvs.envs.named_players import agents_module
from boardenvs.game import Game, Illegal, States, check_illegal

__all__ = ["SeatBatch", "Stepped"]

_ATTEMPTS = 1000
"""Maximum number of restarts to find a game that lasts until the caller's first turn."""
_LABEL = "opponents"
_STATE = ("states", "seats", "streams", "masks", "seen")
"""Arrays of `GameArrays` that the next step reads."""
_NOWHERE = np.zeros(0, np.intp)
_ONE_RESTART = np.array([RESTART])


class Stepped(NamedTuple):
    """The results of `SeatBatch.play`, in new arrays."""

    seen: npt.NDArray[np.int8]
    """Observations of the caller's seats: shape (N, *observation_shape)."""
    masks: npt.NDArray[np.bool_]
    """Legal actions of the caller's seats: shape (N, num_actions)."""
    rewards: npt.NDArray[np.float64]
    """Rewards of the caller's seats: shape (N,)."""
    terminated: npt.NDArray[np.bool_]
    """Whether each game was terminated: shape (N,)."""
    truncated: npt.NDArray[np.bool_]
    """Whether each game was truncated: shape (N,)."""
    ended: npt.NDArray[np.intp]
    """Indices of the M games that ended and were restarted."""
    last: States
    """Last positions of these M games."""
    last_seats: npt.NDArray[np.int64]
    """Caller's seats in these M games."""


class SeatBatch(GameBatch):
    """N games with opponents, each stepped from one turn of the caller to the next.

    After `reset`, `act` and `play`, every game is over or at the caller's turn. If one of these
    methods raises half-way, `act` and `play` raise `ValueError` until the next `reset`.
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
        """Allocate N games; `reset` begins them.

        Args:
            game: the game to play.
            num: number of games N.
            opponent: players of the other seats, as for `set_opponent`.
            seat: the caller's seat, or "random" for a random seat in each game.
            illegal: effect of an illegal action.
            threads: number of threads of a step; `None` for the number measured to be fastest.
            follow_on: whether a game that ends restarts in the same step.
            record: whether to keep every action of game 0 in `played`.

        Raises:
            ValueError: if `opponent`, `seat` or `illegal` is invalid.
        """
        check_illegal(illegal)
        lineup = _lineup(game, opponent)
        if not isinstance(seat, str) or seat != "random":
            last = game.num_players - 1
            try:
                seat = whole_number("seat", seat, 0, last)
            except ValueError:
                expected = f"an integer from 0 to {last}" if last else "0"
                raise ValueError(
                    f"seat must be 'random' or {expected}, got {shown(seat)}"
                ) from None
        super().__init__(game, num, RANDOM_SEAT if seat == "random" else seat, threads=threads)
        self.illegal = illegal
        self._follow_on = follow_on
        self.played: list[int] | None = [] if record else None
        self.first: States | None = None
        """First position of game 0, if it is recorded."""
        self._places = np.arange(num)
        self._torn = True
        self._lineups = [lineup]
        self._sitting = np.zeros(num, np.intp)  # index of each game's lineup
        self._choose_loop()

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return copies of the arrays of the games in progress, for `load_state`."""
        return {name: getattr(self.games, name).copy() for name in _STATE}

    def load_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue the games of `state()` of a batch with the same arguments and opponents."""
        for name in _STATE:
            getattr(self.games, name)[:] = state[name]
        self._torn = False

    def set_opponent(self, opponent: opponents.OpponentSpec) -> None:
        """Set the opponents of the games that begin from now on.

        Args:
            opponent: "random", the spec of a built-in agent, an object with `act`, or a list of
                these for the other seats in order.

        Raises:
            ValueError: if `opponent` is invalid; the opponents do not change then.
        """
        self._lineups.append(_lineup(self.game, opponent))
        self._seat_lineup(np.zeros(len(self._places), np.bool_))

    def players(self) -> list[Any]:
        """Return the player of each seat of game 0, `None` for the caller."""
        players: list[Any] = list(self._lineups[self._sitting[0]])
        players.insert(self.games.seats.item(0), None)
        return players

    def _seat_lineup(self, which: npt.NDArray[np.bool_]) -> None:
        """Assign the latest lineup to the marked games, and drop lineups without a game."""
        latest = len(self._lineups) - 1
        self._sitting[which] = latest
        kept, sitting = np.unique(np.append(self._sitting, latest), return_inverse=True)
        self._lineups = [self._lineups[k] for k in kept]
        self._sitting = sitting[:-1]
        self._choose_loop()

    def _choose_loop(self) -> None:
        """Let compiled loops play the opponents if all opponents are random.

        The loops choose the same actions as `opponents.ask`, so this may change during a game.
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
        """Begin the marked games, up to the caller's turn.

        Args:
            states: first positions, shape (N,).
            streams: words that the streams of opponents and seats derive from, shape (N,).
            which: games to begin, bool of shape (N,).
            retry: whether to begin another game if one ends before the caller's turn.

        Raises:
            ValueError: if a game ends before the caller's turn and `retry` is False.
        """
        games = self.games
        if np.count_nonzero(which) == len(which):  # NumPy is slow to select records by a mask
            games.streams[:] = one_way(streams, _LABEL)
            games.states[:] = states
        else:
            games.streams[which] = one_way(streams[which], _LABEL)
            games.states[which] = states[which]
        self._begin(np.where(which, BEGIN, LEAVE))
        over = self.over() & which
        if not retry and np.count_nonzero(over):
            self._torn = True
            raise ValueError(
                "state must last until the seat's first turn, got one that ends before that turn"
            )
        self._restart(over)

    def reset_one(self, base: np.uint64) -> None:
        """Begin a new game in a batch of one game.

        Args:
            base: word that all streams derive from, as for `make_streams`.

        Raises:
            ValueError: if the opponents end every game before the caller's turn.
        """
        self.games.streams[:] = one_way(make_streams(base, 1), _LABEL)
        self.position["rng"] = base  # RESTART derives the new game's stream from it
        self._begin(_ONE_RESTART)
        if self.games.terminated.item() or self.games.truncated.item():
            self._restart(np.ones(1, np.bool_))

    def _restart(self, which: npt.NDArray[np.bool_]) -> None:
        """Restart the marked games, up to the caller's turn; all streams continue.

        Raises:
            ValueError: if the opponents end every game before the caller's turn.
        """
        for _ in range(_ATTEMPTS):
            if not np.count_nonzero(which):  # much faster than `any`
                return
            self._begin(np.where(which, RESTART, LEAVE))
            which = self.over() & which  # a game may end before the caller's first turn
        self._torn = True
        raise ValueError(f"{_ATTEMPTS} games in a row ended before the seat's first turn")

    def _begin(self, how: npt.NDArray[np.int64]) -> None:
        """Begin games up to the caller's turn; `how` is `BEGIN`, `RESTART` or `LEAVE` for each."""
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
        """Return a mask of the games that have ended: bool of shape (N,)."""
        states = self.games.states
        over: npt.NDArray[np.bool_] = states["terminated"] | states["truncated"]
        return over

    def act(self, actions: npt.NDArray[np.int64]) -> None:
        """Play the caller's action in each game, then the opponents' actions.

        Args:
            actions: int64 of shape (N,); `LEAVE` plays no action.

        Raises:
            ValueError: if an action is illegal with `illegal="raise"` (before any is played),
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
        """Raise `ValueError` for `act` before it plays."""
        if self._torn:
            raise ValueError("no game is under way, or an opponent's turn failed: call reset")
        if self.illegal == "raise":
            refused = (actions != LEAVE) & ~self.games.masks[self._places, actions]
            if refused.any():
                i = int(refused.argmax())
                raise ValueError(f"action {actions[i]} is illegal in game {i}")

    def play(self, actions: npt.NDArray[np.int64]) -> Stepped:
        """Play as `act` does, and return the results.

        A `LEAVE` restarts its game, unless games restart when they end.

        Args:
            actions: int64 of shape (N,).

        Raises:
            ValueError: as for `act`, or if the opponents end every new game before the
                caller's turn.
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
        """Play the opponents' actions until the caller's turn or the end."""
        if self._in_one_loop:
            return
        games = self.games
        while True:
            waiting = ~self.over() & (games.states["to_move"] != games.seats)
            if not waiting.any():
                return
            self._play(self._opponents_actions(np.flatnonzero(waiting)))

    def _play(self, actions: npt.NDArray[np.int64]) -> None:
        """Play an action or `LEAVE` in each game, and record it."""
        self.step(actions)
        if self.played is not None and actions[0] != LEAVE:
            self.played.append(int(actions[0]))

    def _opponents_actions(self, places: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
        """Return the opponents' actions in the games `places`, `LEAVE` in the others."""
        actions = np.full(len(self._places), LEAVE)
        turn = self.games.states["to_move"][places]
        # A lineup has the seats in order, without the caller's seat.
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
        """Return one opponent's actions in the games `where`."""
        streams = self.games.streams[where]
        chosen = opponents.ask(opponent, self.game, self.games.states[where], streams)
        self.games.streams[where] = streams
        if self.illegal == "raise":
            refused = ~self.games.masks[where, chosen]
            if refused.any():
                i = int(refused.argmax())
                raise ValueError(
                    f"opponent {shown(opponent)} must choose legal actions, got action "
                    f"{chosen[i]}, which is illegal in game {where[i]}"
                )
        return chosen


def _lineup(game: Game, opponent: Any) -> list[Literal["random"] | opponents.Opponent]:
    """Return the players of the other seats in order, for `SeatBatch.set_opponent`."""
    others = game.num_players - 1
    several = isinstance(opponent, list | tuple)
    if not others:
        opponents.check_absent(game, opponent)
    if several and len(opponent) != others:
        raise ValueError(
            f"opponent must be a list of {others} opponents for {game.name}, got {len(opponent)}"
        )
    made: dict[str, Any] = {"random": "random"}
    lineup = []
    for one in opponent if several else [opponent]:
        if isinstance(one, str):
            if one not in made:
                made[one] = agents_module("agents.naming.spec").make_builtin(one, game)
            lineup.append(made[one])
        elif not isinstance(one, type) and callable(getattr(one, "act", None)):
            lineup.append(one)
        else:
            raise ValueError(
                f"opponent must be an agent's spec such as 'random', an object with "
                f"act(states), or a list of these, got {shown(one)}"
            )
    return lineup if several else lineup * others
