"""`Table`: N games in which one seat each is the caller's and opponents play the rest."""

from __future__ import annotations

from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from boardenvs.chance import next_words
from boardenvs.game import Game, Illegal, States, check_illegal

__all__ = ["Opponent", "OpponentSpec", "Table", "ask"]

_SEAT_STREAM = np.uint64(0xA0761D6478BD642F)  # tells the host's streams from the games'


class Opponent(Protocol):
    """What plays the other seats.

    An opponent may also have `choose(states, words) -> actions`, `words` being one
    random stream word for each state; then its moves do not depend on how many games
    are played side by side.
    """

    def act(self, states: States) -> npt.ArrayLike:
        """One action for each state, given as far as the seat to move may know it."""


def ask(
    player: Literal["random"] | Opponent, game: Game, states: States, words: npt.NDArray[np.uint64]
) -> npt.NDArray[np.int64]:
    """What a player does in each state, told no more than the seat to move may know.

    Args:
        player: "random", or an object with `act` (or `choose`, which then goes first).
        game: the game that is played.
        states: shape (N,), none over, the player to move in all.
        words: a random stream word for each state, uint64 of shape (N,); stepped in place.

    Returns:
        Actions, int64 of shape (N,), within the action space but not always legal.

    Raises:
        ValueError: the player answered anything else.
    """
    bits = next_words(words)
    if isinstance(player, str):
        actions = np.empty(len(states), np.int64)
        game.kernels.random_actions(game.legal(states), bits, actions)
        return actions
    known = game.conceal_with_words(states, states["to_move"], bits)
    if hasattr(player, "choose"):
        return game.action_numbers(player.choose(known, next_words(words)), len(states))
    return game.action_numbers(player.act(known), len(states))


OpponentSpec = Literal["random"] | Opponent | list[Any]


class Table:
    """The games, whose turn it is in each, and the opponents' moves.

    After `reset`, `restart` and `act`, every game is over or at the caller's turn.
    """

    def __init__(
        self,
        game: Game,
        num: int,
        opponent: OpponentSpec,
        seat: int | Literal["random"],
        illegal: Illegal,
        threads: int = 1,
        *,
        record: bool = False,
    ) -> None:
        """Set the table; `reset` begins.

        Args:
            game: what is played.
            num: N.
            opponent: who plays the other seats.
            seat: the caller's, or "random" for a new one each game.
            illegal: what an illegal action does.
            threads: over how many to spread the work.
            record: whether to keep every action of game 0 in `played`.

        Raises:
            ValueError: for a bad `opponent`, `seat` or `illegal`.
        """
        check_illegal(illegal)
        others = game.num_players - 1
        if isinstance(opponent, list | tuple):
            if len(opponent) != others:
                raise ValueError(f"{game.name} needs {others} opponents, got {len(opponent)}")
            self._opponents = list(opponent)
        else:
            self._opponents = [opponent] * others
        for one in self._opponents:
            if one != "random" and not callable(getattr(one, "act", None)):
                raise ValueError(
                    f"opponent must be 'random', an object with act(states), or a list of "
                    f"those, got {one!r}; agents.make makes agents of other names"
                )
        if seat != "random" and (
            isinstance(seat, bool)
            or not isinstance(seat, int | np.integer)
            or not 0 <= seat < game.num_players
        ):
            raise ValueError(
                f"seat must be 'random' or from 0 to {game.num_players - 1}, got {seat!r}"
            )
        self.game = game
        self.illegal = illegal
        self.threads = threads
        self._seat = seat
        self._all_random = all(one == "random" for one in self._opponents)
        self.states = np.repeat(game.start, num)
        self.seats = np.zeros(num, np.int64)
        self.masks = np.zeros((num, game.num_actions), np.bool_)
        self._words = np.zeros(num, np.uint64)
        self.played: list[int] | None = [] if record else None
        self.first: States | None = None
        """Where game 0 began, if it is recorded."""

    def reset(
        self,
        bases: npt.NDArray[np.uint64],
        which: npt.NDArray[np.bool_],
        states: States | None = None,
    ) -> None:
        """Begin a game with new random streams in each marked place, up to the caller's turn.

        Args:
            bases: a word for each place, shape (N,). A game's own stream is as
                `Game.new_from_words` gets it; those of opponents and seats derive from it.
            which: bool of shape (N,).
            states: to start from these, shape (N,), with the streams that they hold,
                instead of the beginning.

        Raises:
            ValueError: a given state ends before the caller's turn.
        """
        places = np.flatnonzero(which)
        self._words[places] = bases[places] ^ _SEAT_STREAM
        if states is None:
            self.states[places] = self.game.new_from_words(bases[places])
        else:
            self.states[places] = states[places]
        self._begin(places)
        over = self.over() & which
        if over.any():
            if states is not None:
                raise ValueError("the state ends before the seat's first turn")
            self.restart(over)

    def restart(self, which: npt.NDArray[np.bool_]) -> None:
        """Begin a new game in each marked place, up to the caller's turn; all streams go on."""
        while which.any():
            self.game.kernels.restart_games(
                self.states, self.game.constants, self.game.start, which
            )
            self._begin(np.flatnonzero(which))
            which = self.over() & which  # a game may end before the caller's first turn

    def _begin(self, places: npt.NDArray[np.intp]) -> None:
        """Seat the caller in games that just began, and let opponents ahead of it move."""
        words = self._words[places]
        bits = next_words(words)
        self._words[places] = words
        if self._seat == "random":
            n = np.uint64(self.game.num_players)
            self.seats[places] = (bits >> np.uint64(32)) * n >> np.uint64(32)
        else:
            self.seats[places] = self._seat
        self.masks[places] = self.game.legal(self.states[places])
        if self.played is not None and len(places) and places[0] == 0:
            self.played = []
            self.first = self.states[:1].copy()
        self._turns(np.full(len(self.states), -1, np.int64))

    def over(self) -> npt.NDArray[np.bool_]:
        """Which games have ended."""
        over: npt.NDArray[np.bool_] = self.states["terminated"] | self.states["truncated"]
        return over

    def act(self, actions: npt.NDArray[np.int64]) -> None:
        """The caller's action in each game, then the opponents'; -1 leaves a game alone.

        Raises:
            ValueError: with `illegal="raise"`, for an illegal action, before any is played.
        """
        if self.illegal == "raise":
            played = actions >= 0
            refused = played & ~self.masks[np.arange(len(actions)), actions]
            if refused.any():
                i = int(refused.argmax())
                raise ValueError(f"action {actions[i]} is illegal in game {i}")
        self._turns(actions)

    def observe(self) -> npt.NDArray[np.int8]:
        """What the caller's seats see: a fresh int8 array of shape (N, *observation_shape)."""
        out = np.empty((len(self.states), *self.game.observation_shape), np.int8)
        self.game.kernels.observe_games(self.states, self.game.constants, self.seats, out)
        return out

    def _turns(self, actions: npt.NDArray[np.int64]) -> None:
        game = self.game
        if self._all_random and self.played is None:
            game.kernels.take_turns(
                self.threads,
                self.states,
                game.constants,
                actions,
                self.seats,
                self._words,
                self.masks,
            )
            return
        while True:
            game.kernels.advance_games(self.states, game.constants, actions, self.masks)
            if self.played is not None and actions[0] >= 0:
                self.played.append(int(actions[0]))
            waiting = ~self.over() & (self.states["to_move"] != self.seats)
            if not waiting.any():
                return
            actions = self._opponents_actions(np.flatnonzero(waiting))

    def _opponents_actions(self, places: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
        """The action of the opponent to move in each of these places, -1 elsewhere."""
        actions = np.full(len(self.states), -1, np.int64)
        turn = self.states["to_move"][places]
        # The list of opponents goes round the table and leaves the caller's seat out.
        rank = turn - (turn > self.seats[places])
        for k in np.unique(rank):
            where = places[rank == k]
            words = self._words[where]
            chosen = ask(self._opponents[k], self.game, self.states[where], words)
            self._words[where] = words
            if self.illegal == "raise":
                self.game.require_legal(self.masks[where], chosen)
            actions[where] = chosen
        return actions
