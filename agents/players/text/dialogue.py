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

    With `seat="all"`, text players take every seat. Each message is for `seat`. It has only what
    this seat knows, so each seat needs a conversation of its own.
    """

    def __init__(
        self,
        game: Game,
        opponent: str = "random",
        seat: int | Literal["all"] = 0,
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
            seat: the text player's seat, or "all".
            seed: seed of all randomness, at least 0.
            tries: maximum number of answers for one move, at least 1; then the player forfeits.
            list_moves: whether messages list the legal moves.
            strict: see `agents.from_text`.

        Raises:
            ValueError: an argument is invalid.
        """
        self.game = game
        every = isinstance(seat, str) and seat == "all"
        self.seat = 0 if every else whole_number("seat", seat, 0, game.num_players - 1)
        """The text player's seat, or with `seat="all"` the seat that the message is for."""
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
        """Whether a text player used up all tries for a move."""
        self._failed = 0
        self.over = bool(game.over(self._states)[0])
        """Whether the game is over or forfeited."""
        seats = range(game.num_players) if every else (self.seat,)
        self._openings = {seat: opening(game, seat) + "\n" for seat in seats}
        self._news: dict[int, list[str]] = {seat: [] for seat in seats}
        """Moves of the others since the last message to each text player."""
        self.message = self._go_on()
        """Next message to the text player, "" after the end."""

    @property
    def plies(self) -> int:
        """Number of moves so far."""
        return int(self._states["ply"][0])

    @property
    def result(self) -> float:
        """The result of `seat`: the game's return, -1 for a forfeit, 0 until the end."""
        return self.results[self.seat]

    @property
    def results(self) -> list[float]:
        """The result of every seat. After a forfeit, the other seats share the win."""
        if not self.forfeited:
            return [float(result) for result in self.game.returns(self._states)[0]]
        others = self.game.num_players - 1
        return [
            -1.0 if seat == self.seat else 1.0 / others for seat in range(self.game.num_players)
        ]

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
            self.over = self.forfeited = self._failed >= self.tries
            again = f"Your answer was refused: {error}.\n\nAnswer again.\n"
            self.message = "" if self.forfeited else again
            return
        self._failed = 0
        self._play(action)
        self.message = self._go_on()

    def _play(self, action: int) -> None:
        """Play an action, which the messages of the other text players will have."""
        state = self._states[0]
        mover = int(state["to_move"])
        readers = [] if self.game.has_hidden else [seat for seat in self._news if seat != mover]
        if readers:
            move = self.game.action_to_text(action, state)
            for seat in readers:
                self._news[seat].append(f"{self.game.seat_names[mover]} played {move}.\n")
        self.game.play(self._states, [action])
        self.over = bool(self.game.over(self._states)[0])

    def _go_on(self) -> str:
        """Play until a text player is to move; return the next message."""
        game, states = self.game, self._states
        while not self.over and int(states["to_move"][0]) not in self._news:
            self._play(int(ask(self._opponent, game, states, self._stream)[0]))
        if self.over:
            return ""
        self.seat = int(states["to_move"][0])
        known = game.arrays.conceal(states, self.seat, next_bits(self._stream))
        lines, self._news[self.seat] = self._news[self.seat], []
        moves = "".join([*lines, "\n"]) if lines else ""
        start = self._openings.pop(self.seat, "")
        return start + moves + turn(game, known[0], list_moves=self.list_moves)
