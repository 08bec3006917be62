"""The program side of Gomocup's protocol, which lets an agent play for a tournament manager."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from agents.games.gomoku.protocol.messages import OTHER, OWN, RULES, UNLIMITED, cell_of, text_of
from agents.games.gomoku.protocol.quick import quick_move
from boardenvs.core.checks import printable, shown
from boardenvs.envs.opponents import Opponent
from boardenvs.game import Game, States
from boardenvs.gomoku import Gomoku
from boardenvs.inbox import Inbox, about

__all__ = ["Brain", "MakeAgent"]

MakeAgent = Callable[[Game, float | None, int | None], Opponent]
"""Makes an agent from the game, seconds for a move, and bytes that the program may use (0 for
no limit). The last two are `None` if the manager has not sent them."""
_COMMANDS = frozenset(
    {"START", "RECTSTART", "RESTART", "BEGIN", "TURN", "BOARD", "DONE"}
    | {"TAKEBACK", "INFO", "ABOUT"}
)
_BETWEEN = frozenset({"INFO", "ABOUT", "DONE"})
"""Commands that do not cancel an incomplete BOARD request."""
_SIZE = re.compile(r"([0-9]{1,3})(?:[\s,]+([0-9]{1,3}))?")
_NUMBER = re.compile(r"-?[0-9]{1,15}")
_SHARE = 10
"""A move takes at most the remaining time of the match divided by this."""
_MARGIN = 0.02
"""Share of a move's time reserved for the work after the search."""
_LONGEST_MARGIN = 0.03  # seconds
_AT_ONCE = 0.01
"""Seconds for a move if the manager asks for the fastest possible move."""
_READY_BY = 0.75
"""Share of a move's time after which the program stops waiting for its agent."""


class Brain:
    """A program that answers a manager, which sets the board's size, the rule and the times."""

    def __init__(self, name: str, make_agent: MakeAgent, game: Game) -> None:
        """Create the program.

        Args:
            name: name of the agent.
            make_agent: function that makes the agent, called whenever the game or the time for a
                move has changed.
            game: Gomoku; the manager sets the board's size and may change the rule.
        """
        self._name, self._make_agent = name, make_agent
        self._params = {key: game.params[key] for key in ("win_length", "exact")}
        self._game: Gomoku | None = None
        self._agent: Opponent | None = None
        self._made_for: tuple[Gomoku, float | None, int | None] | None = None
        self._own_time: float | None = None
        """The agent's own time limit for a move in seconds."""
        self._stones: dict[int, int] = {}
        """Owner of the stone on each occupied cell, in the order of the moves."""
        self._board: dict[int, int] | None = None
        """The stones of the current BOARD request so far; `None` outside of such a request."""
        self._passes_over = False
        """Whether lines without a command belong to a refused request and are ignored."""
        self._starting = False
        """Whether START has no answer yet."""
        self._turn: float | None = None
        """Seconds for a move, if the manager has sent a limit."""
        self._left: float | None = None
        """Seconds left of the match, if there is a limit."""
        self._memory: int | None = None
        """Bytes that the program may use, if the manager has sent a number; 0 for no limit."""
        self._inbox: Inbox | None = None

    def answers(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield each answer to the manager, until the manager ends the program.

        Args:
            lines: the manager's lines. An `Inbox` reports when each line came and whether the
                program is ready. With any other iterable, the program counts as ready, and each
                line counts as new when it is read.
        """
        self._inbox = lines if isinstance(lines, Inbox) else None
        for line in lines:
            came = time.perf_counter() if self._inbox is None else self._inbox.came
            word, rest = [*line.removeprefix("\ufeff").split(maxsplit=1), "", ""][:2]
            command = word.upper()
            # A manager that sends another command is not waiting for the answer to START.
            if self._starting and (self._is_ready() or command not in ("", "INFO")):
                yield self._said(self._started)
            if command == "END":
                return
            if command and (answer := self._said(self._answer, word, rest.strip(), came)):
                yield answer
        if self._starting:
            yield self._said(self._started)

    def _said(self, answer: Callable[..., str], *line: Any) -> str:
        try:
            return answer(*line)
        except ValueError as error:
            return f"ERROR {' '.join(str(error).split())}"

    def _answer(self, word: str, rest: str, came: float) -> str:
        """Return the answer to a line; empty if the protocol has no answer."""
        command = word.upper()
        if command not in _COMMANDS:
            return self._no_command(word, rest)
        if command not in _BETWEEN:
            self._board, self._passes_over = None, False
        match command:
            case "START" | "RECTSTART":
                return self._start(rest)
            case "ABOUT":
                return about(self._name)
            case "INFO":
                self._info(*rest.partition(" ")[::2])
                return ""
            case "DONE" if self._passes_over:
                self._passes_over = False
                return ""
        if self._game is None:
            self._passes_over = command == "BOARD"
            raise ValueError(f"{command} before START")
        match command:
            case "RESTART":
                self._stones = {}
            case "TAKEBACK":
                if self._stones.pop(self._cell(rest), None) is None:
                    raise ValueError(f"there is no stone at {rest}")
            case "BEGIN":
                return self._move(dict(self._stones), came)
            case "TURN":
                cell = self._cell(rest)
                if cell in self._stones:
                    raise ValueError(f"there is a stone at {rest} already")
                return self._move({**self._stones, cell: OTHER}, came)
            case "BOARD":
                self._board = {}
                return ""
            case "DONE":
                board, self._board = self._board, None
                if board is None:
                    raise ValueError("DONE without BOARD")
                return self._move(board, came)
        return "OK"

    def _no_command(self, word: str, rest: str) -> str:
        """Return the answer to a line without a command, such as a line of BOARD.

        A bad request is refused once, and its other lines are ignored.
        """
        if self._board is not None:
            board, self._board, self._passes_over = self._board, None, True
            self._tell(board, f"{word} {rest}")
            self._board, self._passes_over = board, False
            return ""
        if self._passes_over and not word[0].isalpha():
            return ""
        self._passes_over = True
        return f"UNKNOWN command {printable(word[:40])}"

    def _tell(self, stones: dict[int, int], line: str) -> None:
        """Add the stone of a line of BOARD."""
        cell_text, _, whose = line.rpartition(",")
        if whose.strip() not in (str(OWN), str(OTHER)):
            raise ValueError(f"expected X,Y,{OWN} or X,Y,{OTHER}, got {shown(line.strip())}")
        cell = self._cell(cell_text)
        if cell in stones:
            raise ValueError(f"there are two stones at {cell_text}")
        stones[cell] = int(whose)

    def _start(self, rest: str) -> str:
        self._game, self._starting, self._stones = None, False, {}
        found = _SIZE.fullmatch(rest)
        if found is None:
            raise ValueError(f"expected START SIZE, got {shown(rest)}")
        if found[2] not in (None, found[1]):
            raise ValueError(f"only square boards are played: expected START SIZE, got {rest}")
        self._game = Gomoku(board_size=int(found[1]), **self._params)
        if self._is_ready():
            return self._started()
        self._starting = True
        return ""

    def _started(self) -> str:
        """Return the answer to START, and prepare the agent if the program is ready."""
        self._starting = False
        if self._is_ready():
            self._prepare()
        return "OK"

    def _is_ready(self) -> bool:
        return self._inbox is None or self._inbox.ready.is_set()

    def _info(self, key: str, value: str) -> None:
        """Store a setting if the program uses it.

        Raises:
            ValueError: the value is not a whole number, or the rule is not supported.
        """
        key, value = key.lower(), value.strip()
        if key not in ("rule", "timeout_turn", "timeout_match", "time_left", "max_memory"):
            return
        if not _NUMBER.fullmatch(value):
            raise ValueError(f"INFO {key} must be a whole number, got {shown(value)}")
        number = int(value)
        if key == "rule":
            if number not in RULES:
                raise ValueError(
                    f"rule {number} is not played here, but 0, five or more, and 1, just five"
                )
            self._params["exact"] = RULES[number]
            if self._game is not None:
                self._game = Gomoku(board_size=self._game.board_size, **self._params)
        elif key == "timeout_turn":
            self._turn = max(number, 0) / 1000 or _AT_ONCE
        elif key == "max_memory":
            self._memory = max(number, 0)
        elif key == "time_left":
            self._left = None if number >= UNLIMITED else max(number, 0) / 1000
        elif number > 0 and self._left is None:
            self._left = number / 1000

    def _cell(self, text: str) -> int:
        assert self._game is not None
        return cell_of(text, self._game.board_size)

    def _prepare(self) -> Opponent:
        """Return the agent for the current game and times."""
        game = self._game
        assert game is not None
        made_for = game, self._turn, self._memory
        if self._agent is None or self._made_for != made_for:
            self._agent = self._make_agent(*made_for)
            self._own_time = getattr(self._agent, "time_limit", None)
            self._made_for = made_for
        return self._agent

    def _move(self, stones: dict[int, int], came: float) -> str:
        """Return the agent's move in the position with these stones, and store the new position."""
        game = self._game
        assert game is not None
        first = self._symbol(stones)
        if self._is_ready_in_time(came):
            agent = self._prepare()
            state = self._state(stones, first)
            self._limit(agent, came)
            cell = int(game.arrays.action_numbers(agent.act(state), 1)[0])
        else:
            cell = quick_move(stones, game.board_size, game.win_length)
        self._stones = {**stones, cell: OWN}
        return text_of(cell, game.board_size)

    def _symbol(self, stones: dict[int, int]) -> str:
        """Return the program's symbol in a position in which the program is to move."""
        own, other = (list(stones.values()).count(whose) for whose in (OWN, OTHER))
        if other - own not in (0, 1):
            raise ValueError(
                f"it is not the program's turn with {own} of its stones and {other} others"
            )
        assert self._game is not None
        if len(stones) == self._game.num_actions:
            raise ValueError("the game is over")
        return "XO"[other - own]  # X has as many stones as O before its move

    def _state(self, stones: dict[int, int], mine: str) -> States:
        """Return a position in which the program is to move, as a record of shape (1,)."""
        game = self._game
        assert game is not None
        rows = np.full(game.num_actions, ".")
        for cell, whose in stones.items():
            rows[cell] = mine if whose == OWN else "XO"[mine == "X"]
        size = game.board_size
        fields: dict[str, Any] = {"board": ["".join(row) for row in rows.reshape(size, size)]}
        last = next(reversed(stones), None)
        if last is not None and stones[last] == OTHER:
            fields["last_action"] = last
        state = game.restore(fields)
        if game.over(state)[0]:
            raise ValueError("the game is over")
        return state

    def _allowed(self) -> float | None:
        """Return the seconds for a move; `None` if no limit is known."""
        share = None if self._left is None else self._left / _SHARE
        limits = [time for time in (self._own_time, self._turn, share) if time is not None]
        if not limits:
            return None
        return min(limits) - min(_MARGIN * min(limits), _LONGEST_MARGIN)

    def _is_ready_in_time(self, came: float) -> bool:
        """Return whether the agent is ready while there is time for it to move.

        The method waits until the agent is ready or only a quick move would be in time.
        """
        if self._inbox is None:
            return True
        allowed = self._allowed()
        if allowed is None:
            return self._inbox.ready.wait()
        return self._inbox.ready.wait(max(0.0, came + _READY_BY * allowed - time.perf_counter()))

    def _limit(self, agent: Any, came: float) -> None:
        """Set the time limit of an agent that has one, so that it moves in time."""
        if self._own_time is not None and (allowed := self._allowed()) is not None:
            agent.time_limit = max(allowed - (time.perf_counter() - came), 0.001)
