"""A game between people and agents in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.naming.spec import Spec
from agents.play.human_game import Hint, HumanGame
from agents.play.person import result_line, typed_move
from agents.play.screen import Screen, signed
from boardenvs.core.checks import printable
from boardenvs.core.suggestion import did_you_mean
from boardenvs.game import Game

__all__ = ["play"]

_COMMANDS = {
    "?": "the rules in short, and this list",
    "moves": "all moves that are legal now",
    "hint": "what a strong player would do",
    "undo": "take back your last move, and what followed",
    "board": "show the position again",
    "quit": "leave the game",
}
_ALSO = {"help": "?", "q": "quit", "exit": "quit"}
_TOLD = 3  # moves of a hint
_LONGEST = 300  # characters of an error about a typed line


def play(game: Game, opponents: Sequence[Spec], seats: Sequence[int], seed: int | None) -> None:
    """Let people at the keyboard play against agents in the other seats.

    Moves are typed in the game's notation, commands as words. A word that is both counts as a move.
    The end of input leaves the game.

    Args:
        game: the game.
        opponents: the agents, one for all other seats or one for each of them in order.
        seats: seats of people.
        seed: seed of everything random; `None` for a random one.

    Raises:
        ValueError: an opponent or a seat does not exist, or an opponent cannot play the game.
    """
    _TerminalGame(HumanGame(game, opponents, seats, seed)).play()


class _TerminalGame:
    """A game played at the keyboard."""

    def __init__(self, human_game: HumanGame) -> None:
        self._human_game = human_game
        self._game = human_game.game
        self._screen = Screen()

    def play(self) -> None:
        game, human_game = self._game, self._human_game
        self._screen.say(self._who(), "faint")
        self._warn_if_narrow()
        self._show()
        while not human_game.over:
            if human_game.is_persons_turn:
                if not self._asked():
                    self._screen.say("Game left.")
                    return
            else:
                before, turn = human_game.view, human_game.turn
                action = human_game.advance()
                text = game.action_to_text(action, before)
                self._screen.say(f"{game.seat_names[turn]}'s turn: {text}", "bold")
            if human_game.over:
                self._screen.say("Game over:", "bold")
            self._show()
        self._screen.say(result_line(game, human_game.state), "bold")

    def _who(self) -> str:
        """Return the line with the players and the help command."""
        names = self._game.seat_names
        persons = " and ".join(names[seat] for seat in self._human_game.seats)
        others = [name for k, name in enumerate(names) if k not in self._human_game.seats]
        theirs = ""
        for spec in dict.fromkeys(self._human_game.opponents):
            # If people have all seats, `opponents` still has an entry, without a seat.
            pairs = zip(self._human_game.opponents, others, strict=False)
            if has := [name for one, name in pairs if one == spec]:
                theirs += f", {spec} is {' and '.join(has)}"
        you = "you play alone" if len(names) == 1 else f"you are {persons}{theirs}"
        return f"{type(self._game).__name__}: {you}. Type ? for help."

    def _warn_if_narrow(self) -> None:
        wide = max(map(len, self._game.to_text(self._human_game.view).splitlines()))
        if wide > self._screen.width:
            self._screen.say(
                f"The board is {wide} columns wide, this window {self._screen.width}: it reads "
                "better in a wider one."
            )

    def _show(self) -> None:
        view = self._human_game.view
        self._screen.board(self._game.to_text(view), self._game.presentation.spans(view))

    # -- Commands and moves ------------------------------------------------------------------

    def _asked(self) -> bool:
        """Ask until a person moves; return False if they leave."""
        game, human_game = self._game, self._human_game
        while True:
            view = human_game.view
            if turn_line := game.presentation.turn_line(view):
                self._screen.say(turn_line)
            self._prompt(view)
            try:
                text = input()
            except EOFError:
                print()
                return False
            word = text.strip().lower()
            command = _ALSO.get(word, word)
            try:
                action = typed_move(game, view, text)
            except ValueError as error:
                if command == "quit":
                    return False
                if command in _COMMANDS:
                    self._obey(command)
                else:
                    near = did_you_mean(word, _COMMANDS) if len(word) > 2 else ""
                    self._refuse(f"Invalid move! {error}{near}")
            else:
                human_game.play(action)
                return True

    def _prompt(self, view: np.void) -> None:
        who = f"{self._game.seat_names[self._human_game.turn]}'s turn"
        first, *more = self._screen.wrapped(
            f"{who}: {self._game.presentation.what_to_type(view)} (? for help)", "  "
        )
        print(self._screen.styled(who, "bold") + first.removeprefix(who))
        for line in more:
            print(line)
        print("> ", end="", flush=True)

    def _refuse(self, message: str) -> None:
        message = printable(message)
        if len(message) > _LONGEST:
            message = f"{message[:_LONGEST]} ..."
        self._screen.say(message, "red")

    def _obey(self, command: str) -> None:
        if command == "?":
            self._help()
        elif command == "moves":
            self._moves()
        elif command == "board":
            self._show()
        else:
            try:
                if command == "hint":
                    self._screen.say(self._hint_line(self._human_game.hint()), "green", "  ")
                else:
                    self._human_game.undo()
                    self._show()
            except ValueError as error:
                self._refuse(f"No {command}: {error}.")

    def _help(self) -> None:
        for number, rule in enumerate(self._game.presentation.rules_in_short(), 1):
            self._screen.say(f"{number}. {rule}", indent="   ")
        wide = 2 + max(map(len, _COMMANDS))
        typed = self._game.presentation.what_to_type(self._human_game.view)
        self._screen.say(f"Type {typed}; or", indent="  ")
        for name, does in _COMMANDS.items():
            self._screen.say(f"  {name:{wide}}{does}", indent=" " * (wide + 2))

    def _moves(self) -> None:
        game, view = self._game, self._human_game.view
        legal = np.flatnonzero(game.legal(view)[0])
        self._screen.columns([game.action_to_text(int(action), view) for action in legal])

    def _hint_line(self, hint: Hint) -> str:
        """Return the adviser's move, alternatives and expected result."""
        game, view = self._game, self._human_game.view

        def named(action: int) -> str:
            return game.action_to_text(action, view)

        line = f"Hint: {named(hint.action)}"
        if hint.analysis is None:
            return f"{line} ({hint.spec})"
        ranked = sorted(hint.analysis.shares.items(), key=lambda one: one[0] != hint.action)
        shares = [f"{named(action)} {share:.0%}" for action, share in ranked[:_TOLD]]
        line += f" ({hint.spec}: {', '.join(shares)}"
        value = hint.analysis.values[self._human_game.turn]
        return f"{line})" if value is None else f"{line}; it expects {signed(value)})"
