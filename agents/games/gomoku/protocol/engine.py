"""An agent that plays the moves of a program with Gomocup's protocol; see `.messages`."""

from __future__ import annotations

import hashlib
import itertools
import shutil
import warnings
from pathlib import Path

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from agents.games.gomoku.protocol.engine_process import EngineError, EngineProcess, words_of
from agents.games.gomoku.protocol.messages import FREE, OTHER, OWN, UNLIMITED, cell_of, text_of
from agents.naming.grammar import seconds_of
from boardenvs.core.checks import finite_number
from boardenvs.game import Game, States
from boardenvs.gomoku import Gomoku

__all__ = ["EngineAgent"]

_SECONDS = 1.0
"""Default time for a move."""
_START = 120.0
"""Seconds for a program to start, since it may have to compile on a busy machine."""
_PATIENCE = (0.5, 1.5, 3.0)
"""Seconds to wait for the answer to each RESTART; the first two if a TURN has no answer."""
_MEMORY = 350 * 2**20
"""Memory limit in bytes, as in the tournament."""

Board = npt.NDArray[np.int8]
"""`OWN`, `OTHER` or 0 for an empty cell, for each cell."""


class EngineAgent(Agent):
    """An agent that plays the moves of a separate program; the program's faults lose the game.

    The agent sends each whole position by BOARD. If the game of the last position goes on, the
    agent sends only the other player's move, by TURN. A program may lose input that it reads right
    after its move, so the agent repeats RESTART until the program answers.

    If a TURN has no answer in time, the agent sends RESTART. A program that answers with its move,
    or not at all, is late. A program that answers OK receives the position by BOARD and has the
    time for a move once more.

    The agent forfeits a game if the program ends by itself, answers late, answers no empty cell, or
    writes too much without an answer. The agent then plays an illegal action, and a
    `RuntimeWarning` gives the reason. On an empty board every action is legal, so the agent plays
    the illegal action a move later. For the next position the agent starts the program again.
    """

    repeatable = False
    one_game_at_a_time = True

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        command: str = "",
        time_limit: float | None = None,
        grace: float = 0.5,
        spec: str = "engine",
    ) -> None:
        """Create the agent; the first request starts the program.

        Args:
            game: Gomoku with lines of five.
            seed: ignored; programs have no seeds.
            command: the program and its arguments, which `.engine_process.words_of` splits. A
                time and a colon may come before the program: `500ms:./pbrain-mine`.
            time_limit: seconds for a move; by default the time before the command, else 1.
            grace: seconds by which an answer may be late.
            spec: name of the agent.

        Raises:
            ValueError: the game is not supported, or an argument is out of range.
        """
        super().__init__(game, seed, spec)
        if not isinstance(game, Gomoku) or game.win_length != 5:
            raise ValueError(f"agent 'engine' supports only Gomoku with win_length=5, got {game!r}")
        time, _, rest = command.partition(":")
        if (seconds := seconds_of(time)) is not None:
            if time_limit is not None:
                raise ValueError(
                    f"time_limit must not be given, since {spec!r} contains a time, "
                    f"got {time_limit!r}"
                )
            time_limit, command = seconds, rest
        if not command.strip():
            raise ValueError(
                f"command must name a program, such as engine:./pbrain-mine, got {command!r}"
            )
        self.command = command
        self.time_limit = finite_number(
            "time_limit", _SECONDS if time_limit is None else time_limit
        )
        self.grace = finite_number("grace", grace)
        self._board_size = game.board_size
        self._rule = int(game.exact)
        self._process: EngineProcess | None = None
        self._known: Board | None = None
        """The board that the program knows, after its own move."""
        self._fresh = False
        """Whether the program has just started and needs no RESTART."""
        self._owed = 0
        """Number of games to forfeit at the second move, since the first move failed."""

    @property
    def version(self) -> str:
        """The SHA-256 of the command's files, and the time for a move."""
        digest = hashlib.sha256()
        for word in words_of(self.command):
            path = Path(shutil.which(word) or word)
            if path.is_file():
                digest.update(path.read_bytes())
        return f"engine {digest.hexdigest()} with {self.time_limit:g} s"

    def check_can_play(self, states: States) -> None:
        """Check also that the program starts and supports the size of the board."""
        super().check_can_play(states)
        try:
            self._running()
        except EngineError as fault:
            raise ValueError(f"engine {self.command!r} {fault}") from None

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        cells = states["cells"][:, : self.game.num_actions]
        movers = states["to_move"]
        return np.array(
            [self._one(*one) for one in zip(cells, movers.tolist(), strict=True)], np.int64
        ).reshape(len(states))

    def _one(self, cells: npt.NDArray[np.int8], mover: int) -> int:
        board = np.where(cells == 0, 0, np.where(cells == mover + 1, OWN, OTHER)).astype(np.int8)
        centre = self._board_size // 2 * (self._board_size + 1)
        if self._owed and (board == OWN).sum() == 1 and board[centre] == OWN:
            self._owed -= 1
            return centre
        try:
            return self._answer(board)
        except EngineError as fault:
            self._stop()
            warnings.warn(
                f"engine {self.command!r} {fault}; the engine forfeits the game",
                RuntimeWarning,
                stacklevel=2,
            )
            if board.any():
                return int(board.argmax())  # a cell that is taken
            self._owed += 1
            return centre

    def _answer(self, board: Board) -> int:
        """Return the program's move.

        Raises:
            EngineError: the program fails.
        """
        size = self._board_size
        followed = self._followed(board)
        self._known = None
        turn, answer = "", None
        if followed is not None:
            turn = f"TURN {text_of(followed, size)}"
            answer = self._move(turn)
        if answer is None:
            self._clear(turn)
            position = self._told(board)
            answer = self._move(*position)
            if answer is None:
                raise self._late(position[0])
        try:
            cell = cell_of(answer, size)
        except ValueError:
            raise EngineError(f"answered {answer[:80]!r} instead of a move") from None
        if board[cell]:
            raise EngineError(f"played the occupied cell {text_of(cell, size)}")
        self._known = board.copy()
        self._known[cell] = OWN
        return cell

    def _move(self, *request: str) -> str | None:
        """Return the program's answer to a request for a move; `None` if none came in time."""
        process = self._running()
        self._fresh = False
        # A separate write, since a program may lose input that it reads right after its last move.
        process.tell(f"INFO time_left {UNLIMITED}")
        seconds = self.time_limit + self.grace
        return process.ask(*request, seconds=seconds, passed_over=("OK", "ERROR", "UNKNOWN"))

    def _clear(self, turn: str) -> None:
        """Make the program forget its current game.

        RESTART also finds out why a TURN has no answer. A program that lost the TURN answers OK,
        and can receive the position. A program that still thinks answers with its move, which is
        late.

        Args:
            turn: the request that has no answer, if there is one.

        Raises:
            EngineError: the program does not answer, or its move was late.
        """
        process = self._running()
        if self._fresh:
            return
        answers = (
            process.ask("RESTART", seconds=seconds, passed_over=["ERROR"])
            for seconds in (_PATIENCE[:2] if turn else _PATIENCE)
        )
        answer = next(filter(None, answers), "")
        word = answer.partition(" ")[0].upper()
        if word == "OK":
            return
        if turn and word != "UNKNOWN":
            raise self._late(turn)
        if not answer:
            raise _no_answer(process, "RESTART", sum(_PATIENCE))
        self._stop()  # the program does not know RESTART, so a new process must start

    def _late(self, request: str) -> EngineError:
        return _no_answer(self._running(), request, self.time_limit + self.grace)

    def _followed(self, board: Board) -> int | None:
        """Return the cell of the opponent's reply to the program's last move.

        The result is `None` if the board is not the last one after one reply.
        """
        if self._known is None:
            return None
        (changed,) = np.nonzero(self._known != board)
        one = len(changed) == 1 and self._known[changed[0]] == 0 and board[changed[0]] == OTHER
        return int(changed[0]) if one else None

    def _told(self, board: Board) -> list[str]:
        """Return the lines that send a position and ask for a move."""
        if not board.any():
            return ["BEGIN"]
        stones = [
            [(cell, whose) for cell in np.flatnonzero(board == whose).tolist()]
            for whose in (OWN, OTHER)
        ]
        if len(stones[0]) < len(stones[1]):  # the opponent moved first
            stones.reverse()
        # Some programs require alternating stones, as in a game.
        turns = [stone for turn in itertools.zip_longest(*stones) for stone in turn if stone]
        lines = [f"{text_of(cell, self._board_size)},{whose}" for cell, whose in turns]
        return ["BOARD", *lines, "DONE"]

    def _running(self) -> EngineProcess:
        """Return the program, started and ready for a game.

        Raises:
            EngineError: the program does not answer START with OK.
            ValueError: the program cannot be started.
        """
        if self._process is None:
            process = EngineProcess(self.command)
            try:
                self._start(process)
            except BaseException:
                process.close()
                raise
            self._process = process
            self._fresh = True
        return self._process

    def _start(self, process: EngineProcess) -> None:
        start = f"START {self._board_size}"
        answer = process.ask(start, seconds=_START)
        if answer is None:
            raise _no_answer(process, start, _START)
        if answer.split()[0].upper() != "OK":
            raise EngineError(f"must answer {start} with OK, got {answer[:80]!r}")
        process.tell(
            f"INFO timeout_turn {round(1000 * self.time_limit)}",
            f"INFO timeout_match {FREE}",
            f"INFO time_left {UNLIMITED}",
            f"INFO max_memory {_MEMORY}",
            "INFO game_type 1",
            f"INFO rule {self._rule}",
        )

    def _stop(self) -> None:
        self._known = None
        if self._process is not None:
            self._process.close()
            self._process = None


def _no_answer(process: EngineProcess, request: str, seconds: float) -> EngineError:
    complaint = f": {process.complaint[:80]}" if process.complaint else ""
    return EngineError(f"did not answer {request} within {seconds:g} s{complaint}")
