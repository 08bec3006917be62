"""`Dialogue`: one game as a conversation with a player that reads and writes."""

from __future__ import annotations

from typing import Literal

from agents.making import make_builtin
from agents.players.text.answers import MoveError, read_move
from agents.players.text.prompts import opening, turn
from boardenvs.core.chance import make_streams, next_bits, one_way, seed_word
from boardenvs.core.checks import truth_value, whole_number
from boardenvs.envs.opponents import Opponent, ask
from boardenvs.game import Game

__all__ = ["Dialogue"]


class Dialogue:
    """One seat is the writer's, agents of one spec have the others.

    `message` is what the writer is told next; `answer` takes what it writes, until `over`. The
    rules are told once, with the first message. The same arguments give the same game.
    """

    def __init__(
        self,
        game: Game,
        opponent: str = "random",
        seat: int = 0,
        seed: int = 0,
        *,
        tries: int = 3,
        list_moves: bool = False,
    ) -> None:
        """Begin a game, up to the writer's first move.

        Args:
            game: what is played.
            opponent: spec of the agent in every other seat; none of the user's own, since specs
                may come from files, unless `agents.allow` has named it.
            seat: the writer's.
            seed: of everything random.
            tries: how often it may answer for one move; then it forfeits.
            list_moves: whether the legal moves are listed.

        Raises:
            ValueError: for an argument that is no such thing.
        """
        self.game = game
        self.seat = whole_number("seat", seat, 0, game.num_players - 1)
        self.tries = whole_number("tries", tries, 1)
        self.list_moves = truth_value("list_moves", list_moves)
        stream = make_streams(seed_word(whole_number("seed", seed, 0)), 1)
        self._stream = one_way(stream, "players")
        self._states = game.arrays.new(stream)
        self._opponent: Literal["random"] | Opponent = "random"
        if opponent != "random" and game.num_players > 1:
            self._opponent = make_builtin(opponent, game)
        self.wrong = 0
        """How many of its answers were no legal move."""
        self.forfeited = False
        """Whether its last answers used up all tries."""
        self._failed = 0
        self.message = opening(game, self.seat) + "\n" + self._go_on()
        """What the writer is told next, "" after the end."""

    @property
    def over(self) -> bool:
        """Whether the game has ended, for the writer at least."""
        return self.forfeited or bool(self.game.over(self._states)[0])

    @property
    def plies(self) -> int:
        """How many moves were played."""
        return int(self._states["ply"][0])

    @property
    def result(self) -> float:
        """The writer's result: as the game has it, -1 for a forfeit, 0 until the end."""
        return -1.0 if self.forfeited else float(self.game.returns(self._states)[0, self.seat])

    def answer(self, text: str) -> None:
        """Take an answer of the writer's: a move, or a wrong one.

        Raises:
            ValueError: the game is over.
        """
        if self.over:
            raise ValueError("the game is over: there is nothing to answer")
        try:
            action = read_move(self.game, self._states[0], text)
        except MoveError as error:
            self.wrong += 1
            self._failed += 1
            self.forfeited = self._failed >= self.tries
            again = f"Your answer was refused: {error}.\n\nAnswer again.\n"
            self.message = "" if self.forfeited else again
            return
        self._failed = 0
        self.game.play(self._states, [action])
        self.message = self._go_on()

    def _go_on(self) -> str:
        """Play until the writer is to move; what it is told then."""
        game, states = self.game, self._states
        lines = []
        while not self.over and states["to_move"][0] != self.seat:
            mover = int(states["to_move"][0])
            action = int(ask(self._opponent, game, states, self._stream)[0])
            if not game.has_hidden:
                move = game.action_to_text(action, states[0])
                lines.append(f"{game.seat_names[mover]} played {move}.\n")
            game.play(states, [action])
        if self.over:
            return ""
        known = game.arrays.conceal(states, self.seat, next_bits(self._stream))
        moves = "".join([*lines, "\n"]) if lines else ""
        return moves + turn(game, known[0], list_moves=self.list_moves)
