"""One game as a conversation with a text player."""

from __future__ import annotations

from typing import Literal

from agents.naming.spec import make_builtin
from agents.players.text.answers import MoveError, read_move
from agents.players.text.prompts import opening, turn
from boardenvs.core.chance import make_streams, next_bits, one_way, seed_word
from boardenvs.core.checks import truth_value, whole_number
from boardenvs.envs.opponents import Opponent, ask, check_absent
from boardenvs.game import Game

__all__ = ["Dialogue"]


class Dialogue:
    """A game between a text player in one seat and agents of one spec in the others.

    Send `message` to the player and pass the reply to `answer`, until `over`. Only the first
    message has the rules. The same arguments and answers give the same game.
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
        strict: bool = False,
    ) -> None:
        """Start a game, up to the text player's first move.

        Args:
            game: the game to play.
            opponent: spec of the agent in every other seat. Because specs may come from files, it
                may name user code only after `agents.allow`.
            seat: the text player's seat.
            seed: seed of all randomness, at least 0.
            tries: maximum number of answers for one move, at least 1; then the player forfeits.
            list_moves: whether messages list the legal moves.
            strict: see `agents.from_text`.

        Raises:
            ValueError: an argument is invalid.
        """
        self.game = game
        self.seat = whole_number("seat", seat, 0, game.num_players - 1)
        self.tries = whole_number("tries", tries, 1)
        self.list_moves = truth_value("list_moves", list_moves)
        self.strict = truth_value("strict", strict)
        stream = make_streams(seed_word(whole_number("seed", seed, 0)), 1)
        self._stream = one_way(stream, "players")
        self._states = game.arrays.new(stream)
        self._opponent: Literal["random"] | Opponent = "random"
        if game.num_players == 1:
            check_absent(game, opponent)
        elif opponent != "random":
            self._opponent = make_builtin(opponent, game)
        self.wrong = 0
        """Number of answers without a legal move."""
        self.forfeited = False
        """Whether the text player used up all tries for a move."""
        self._failed = 0
        self.message = opening(game, self.seat) + "\n" + self._go_on()
        """Next message to the text player, "" after the end."""

    @property
    def over(self) -> bool:
        """Whether the game is over or forfeited."""
        return self.forfeited or bool(self.game.over(self._states)[0])

    @property
    def plies(self) -> int:
        """Number of moves so far."""
        return int(self._states["ply"][0])

    @property
    def result(self) -> float:
        """The text player's result: the game's return, -1 for a forfeit, 0 until the end."""
        return -1.0 if self.forfeited else float(self.game.returns(self._states)[0, self.seat])

    def answer(self, text: str) -> None:
        """Play the move of an answer, or count an answer without a legal move.

        Raises:
            ValueError: the game is over.
        """
        if self.over:
            raise ValueError("answer must not be called after the game is over")
        try:
            action = read_move(self.game, self._states[0], text, strict=self.strict)
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
        """Play until the text player is to move; return the next message."""
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
