"""An agent as a program that a manager of Gomoku tournaments runs; see `.protocol`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

import boardenvs
from agents.games.gomoku.protocol import OTHER, OWN, RULES, UNLIMITED, cell_of, text_of
from boardenvs.game import Game, States
from boardenvs.gomoku import Gomoku
from boardenvs.opponents import Opponent

__all__ = ["Brain", "MakeAgent"]

MakeAgent = Callable[[Game, float | None], Opponent]
"""From the game, and the seconds for a move; `None` where nobody has told them."""
_SHARE = 10
"""A move takes no more than one part in so many of what is left of the match's time."""
_MARGIN = 0.02
"""How much of a move's time is kept for what comes after the search."""
_LONGEST_MARGIN = 0.03  # seconds
_AT_ONCE = 0.01
"""Seconds for a move where the manager wants it as fast as possible."""


class Brain:
    """What an agent answers to a manager, which sets the board's size, the rule and the times."""

    def __init__(self, name: str, make_agent: MakeAgent, game: Game) -> None:
        """Wait for the manager.

        Args:
            name: what the agent goes by.
            make_agent: makes it, whenever the game or the time of a move has changed.
            game: Gomoku as it is to be played, but for what the manager sets.
        """
        self._name, self._make_agent = name, make_agent
        self._params = {key: game.params[key] for key in ("win_length", "exact")}
        self._game: Gomoku | None = None
        self._agent: Opponent | None = None
        self._made_for: tuple[Gomoku, float | None] | None = None
        self._own_time: float | None = None
        """Seconds for a move that the agent itself thinks at most."""
        self._stones: dict[int, int] = {}
        """Whose stones stand where, in the order of the moves."""
        self._board: list[str] | None = None
        """What BOARD has told so far, while it tells."""
        self._rule: str | None = None
        self._turn: float | None = None
        """Seconds for a move, if the manager has told them."""
        self._left: float | None = None
        """Seconds left of the match, if there is a limit."""

    def answers(self, lines: Iterable[str]) -> Iterator[str]:
        """What to write after each line of the manager's, until it ends the program."""
        for line in lines:
            began = time.perf_counter()
            words = line.split(maxsplit=1)
            if self._board is not None and words[:1] != ["DONE"]:
                self._board.append(line)
            elif words[:1] == ["END"]:
                return
            elif words:
                try:
                    answer = self._answer(words[0], "".join(words[1:]).strip(), began)
                except ValueError as error:
                    answer = f"ERROR {' '.join(str(error).split())}"
                if answer is not None:
                    yield answer

    def _answer(self, command: str, rest: str, began: float) -> str | None:
        match command:
            case "START":
                return self._start(rest)
            case "RECTSTART":
                raise ValueError("only square boards are played: expected START SIZE")
            case "ABOUT":
                return f'name="boardenvs {self._name}", version="{boardenvs.__version__}"'
            case "INFO":
                self._info(*rest.partition(" ")[::2])
                return None
        if command not in ("RESTART", "BEGIN", "TURN", "BOARD", "DONE", "TAKEBACK"):
            return f"UNKNOWN command {command[:40]}"
        if self._game is None:
            raise ValueError(f"{command} before START")
        match command:
            case "RESTART":
                self._stones = {}
            case "TAKEBACK":
                if self._stones.pop(self._cell(rest), None) is None:
                    raise ValueError(f"there is no stone at {rest}")
            case "BEGIN":
                return self._move(dict(self._stones), began)
            case "TURN":
                cell = self._cell(rest)
                if cell in self._stones:
                    raise ValueError(f"there is a stone at {rest} already")
                return self._move({**self._stones, cell: OTHER}, began)
            case "BOARD":
                self._board = []
                return None
            case "DONE":
                told, self._board = self._board, None
                if told is None:
                    raise ValueError("DONE without BOARD")
                return self._move(self._position(told), began)
        return "OK"

    def _start(self, rest: str) -> str:
        self._game = self._agent = self._made_for = None
        self._stones = {}
        if not (rest.isascii() and rest.isdigit()):
            raise ValueError(f"expected START SIZE, got {rest!r}")
        self._game = Gomoku(board_size=int(rest), **self._params)
        # Whatever is slow the first time, compiling above all, comes before a move's time runs.
        self._make_agent(self._game, _AT_ONCE).act(self._state({}))
        self._prepare()
        return "OK"

    def _info(self, key: str, value: str) -> None:
        """Remember what the program can heed; the protocol has no answer to INFO."""
        if key == "rule":
            self._rule = value.strip()
            return
        try:
            number = int(value)
        except ValueError:
            return
        if key == "timeout_turn":
            self._turn = max(number, 0) / 1000 or _AT_ONCE
        elif key == "time_left":
            self._left = None if number >= UNLIMITED else max(number, 0) / 1000
        elif key == "timeout_match" and number > 0 and self._left is None:
            self._left = number / 1000

    def _cell(self, text: str) -> int:
        assert self._game is not None
        return cell_of(text, self._game.board_size)

    def _position(self, told: list[str]) -> dict[int, int]:
        """The stones that BOARD has told of."""
        stones: dict[int, int] = {}
        for line in told:
            cell_text, _, whose = line.rpartition(",")
            cell = self._cell(cell_text)
            if whose.strip() not in (str(OWN), str(OTHER)):
                raise ValueError(f"expected X,Y,{OWN} or X,Y,{OTHER}, got {line.strip()!r}")
            if cell in stones:
                raise ValueError(f"there are two stones at {cell_text}")
            stones[cell] = int(whose)
        return stones

    def _prepare(self) -> Opponent:
        """The agent for the game and times as they are."""
        game = self._game
        assert game is not None
        if self._rule is not None:
            if self._rule not in map(str, RULES):
                raise ValueError(
                    f"rule {self._rule} is not played here, but 0, five or more, and 1, just five"
                )
            game = self._game = Gomoku(**{**game.params, "exact": RULES[int(self._rule)]})
        if self._agent is None or self._made_for != (game, self._turn):
            self._agent = self._make_agent(game, self._turn)
            self._own_time = getattr(self._agent, "time_limit", None)
            self._made_for = (game, self._turn)
        return self._agent

    def _move(self, stones: dict[int, int], began: float) -> str:
        """What the agent plays where these stones stand; they and its own then stand."""
        agent = self._prepare()
        state = self._state(stones)
        assert self._game is not None
        self._limit(agent, began)
        cell = int(self._game.action_numbers(agent.act(state), 1)[0])
        self._stones = {**stones, cell: OWN}
        return text_of(cell, self._game.board_size)

    def _state(self, stones: dict[int, int]) -> States:
        """The record of a position in which the program is to move, of shape (1,)."""
        game = self._game
        assert game is not None
        own, other = (list(stones.values()).count(whose) for whose in (OWN, OTHER))
        if other - own not in (0, 1):
            raise ValueError(
                f"it is not the program's turn with {own} of its stones and {other} others"
            )
        mine = "XO"[other - own]  # who opens has as many stones as the other before a move
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

    def _limit(self, agent: Any, began: float) -> None:
        """Have an agent that thinks by the clock move in time."""
        if self._own_time is None:
            return
        allowed = self._own_time
        if self._turn is not None:
            allowed = min(allowed, self._turn)
        if self._left is not None:
            allowed = min(allowed, self._left / _SHARE)
        allowed -= min(_MARGIN * allowed, _LONGEST_MARGIN)
        agent.time_limit = max(allowed - (time.perf_counter() - began), 0.001)
