"""Agents that play by a function from prompts to answers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import Actions, Agent, RandomBits, blamed, one_line
from agents.naming.user_code import file_sha256, import_object
from agents.players.text.answers import MoveError, read_move
from agents.players.text.calls import call_each
from agents.players.text.prompts import PROMPT_VERSION, request
from boardenvs.core.checks import counted, finite_number, is_list, shown, truth_value, whole_number
from boardenvs.envs.interface import resolve_game
from boardenvs.game import Game, States
from boardenvs.show.analysis import Analysis, Try

__all__ = ["Answers", "NamedTextAgent", "TextAgent", "from_text"]


@dataclass
class Answers:
    """The numbers of moves, answers and tokens of a text player so far."""

    moves: int = 0
    """Number of moves for which the player was asked."""
    answers: int = 0
    """Number of answers."""
    unreadable: int = 0
    """Number of answers without a move."""
    illegal: int = 0
    """Number of answers with an illegal move."""
    tokens: int | None = None
    """Number of tokens of all answers; `None` if the function does not return them."""


class TextAgent(Agent):
    """An agent that plays the moves that a function writes; see `from_text`."""

    repeatable = False

    def __init__(
        self,
        function: Callable[[Any], Any],
        game: Game,
        *,
        batched: bool = False,
        tries: int = 3,
        list_moves: bool = False,
        strict: bool = False,
        timeout: float | None = None,
        workers: int = 1,
        spec: str = "",
    ) -> None:
        """Wrap a function; see `from_text`."""
        if not callable(function):
            raise ValueError(f"function must be callable, got {shown(function)}")
        super().__init__(game, spec=spec or f"text:{getattr(function, '__name__', 'function')}")
        self.function = function
        self.batched = truth_value("batched", batched)
        self.tries = whole_number("tries", tries, 1)
        self.list_moves = truth_value("list_moves", list_moves)
        self.strict = truth_value("strict", strict)
        self.timeout = None if timeout is None else finite_number("timeout", timeout, 0.001, 86400)
        self.workers = whole_number("workers", workers, 1, 1000)
        self.answers = Answers()
        self._owed: list[set[bytes]] = []
        """For each game to forfeit at the agent's next move, the bytes of its possible
        positions."""

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        return self.consider(states, random_bits)[0]

    def consider(
        self, states: States, random_bits: RandomBits
    ) -> tuple[Actions, Sequence[Analysis | None]]:
        """Return actions, and analyses with prompts, answers and errors; see `Agent.consider`."""
        game = self.game
        actions = np.full(len(states), -1, np.int64)
        tried: list[list[Try]] = [[] for _ in states]
        meant: dict[int, int] = {}
        owed = {k for k, state in enumerate(states) if self._owes(state)}
        for k in owed:
            actions[k] = game.legal(states[k : k + 1])[0].argmin()
            tried[k].append(Try("", "", "forfeit for the previous move, which had no legal answer"))
        wanted = [k for k in range(len(states)) if k not in owed]
        self.answers.moves += len(wanted)
        for _ in range(self.tries):
            prompts = [
                request(
                    game, states[k], [one.error for one in tried[k]], list_moves=self.list_moves
                )
                for k in wanted
            ]
            for k, prompt, answer in zip(wanted, prompts, self._answers(prompts), strict=True):
                error = ""
                try:
                    actions[k] = read_move(game, states[k], answer, strict=self.strict)
                except MoveError as refusal:
                    error = str(refusal)
                    if refusal.action is None:
                        self.answers.unreadable += 1
                    else:
                        self.answers.illegal += 1
                        meant[k] = refusal.action
                tried[k].append(Try(prompt, answer, error))
            wanted = [k for k in wanted if actions[k] < 0]
        for k in wanted:
            actions[k] = self._forfeit(states[k : k + 1], meant.get(k), tried[k][-1].error)
        lost = {*owed, *wanted}
        weights: list[dict[int, float]] = [
            {} if k in lost else {action: 1.0} for k, action in enumerate(actions.tolist())
        ]
        unknown = (None,) * game.num_players
        return actions, [
            Analysis("probabilities", weighed, unknown, tries=tuple(asked))
            for weighed, asked in zip(weights, tried, strict=True)
        ]

    def _answers(self, prompts: Sequence[str]) -> list[str]:
        """Return the function's answer to each prompt.

        Raises:
            ValueError: the function failed, took too long or did not return text.
        """
        if not prompts:
            return []
        with blamed(self.spec):
            if self.batched:
                calls = call_each(lambda _: self.function(list(prompts)), [""], 1, self.timeout)
                answers: Any = calls[0]
            else:
                answers = call_each(self.function, prompts, self.workers, self.timeout)
        if not is_list(answers) or len(answers) != len(prompts):
            raise ValueError(
                f"{self.spec} must return a list of {counted(len(prompts), 'text')}, one for each "
                f"prompt, got {shown(answers)}"
            )
        texts = [self._text_of(answer) for answer in answers]
        self.answers.answers += len(texts)
        return texts

    def _text_of(self, answer: object) -> str:
        """Return the text of an answer, and count its tokens.

        Raises:
            ValueError: the answer is no text, and no tuple of a text and a number of tokens.
        """
        if isinstance(answer, tuple) and len(answer) == 2:
            answer, tokens = answer
            tokens = whole_number(f"the number of tokens of {self.spec}", tokens, 0)
            self.answers.tokens = (self.answers.tokens or 0) + tokens
        if not isinstance(answer, str):
            raise ValueError(f"{self.spec} must return text, got {shown(answer)}")
        return answer

    # -- Forfeits ---------------------------------------------------------------------------

    def _forfeit(self, state: States, meant: int | None, reason: str) -> int:
        """Return an illegal action, which loses the game, or action 0 if every action is legal.

        In the second case the agent forfeits at its next move.

        Raises:
            ValueError: every action is legal, and the game has chance or more than two players.
        """
        legal = self.game.legal(state)[0]
        message = (
            f"{self.spec} gave no legal move in {counted(self.tries, 'try', 'tries')} ({reason})"
        )
        if not legal.all():
            warnings.warn(f"{message}; it forfeits a game", RuntimeWarning, stacklevel=4)
            return int(legal.argmin()) if meant is None else meant
        if self.game.num_players != 2 or self.game.has_chance:
            raise ValueError(f"{message}, and cannot forfeit because every action is legal")
        warnings.warn(
            f"{message}; it forfeits a game at its next move", RuntimeWarning, stacklevel=4
        )
        self._owed.append(self._next_positions(state))
        return 0

    def _next_positions(self, state: States) -> set[bytes]:
        """Return the possible positions at the agent's next move after action 0, as bytes."""
        after = state.copy()
        self.game.play(after, [0])
        replies = np.flatnonzero(self.game.legal(after)[0])
        positions = np.repeat(after, len(replies))
        self.game.play(positions, replies)
        positions["rng"] = 0
        return {position.tobytes() for position in positions}

    def _owes(self, state: np.void) -> bool:
        """Return whether the agent must forfeit the game of this position."""
        if not self._owed:
            return False
        bare = np.array([state], self.game.state_dtype)
        bare["rng"] = 0
        for number, positions in enumerate(self._owed):
            if bare.tobytes() in positions:
                del self._owed[number]
                return True
        return False


class NamedTextAgent(TextAgent):
    """A `TextAgent` of a named function, as in the spec `text:MODULE:FUNCTION`."""

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        module: str = "",
        function: str = "",
        batched: bool = False,
        tries: int = 3,
        list_moves: bool = False,
        strict: bool = False,
        timeout: float | None = None,
        workers: int = 1,
        spec: str = "text",
    ) -> None:
        """Import the function.

        Args:
            game: the game to play.
            seed: unused; the function controls its own randomness.
            module: module of the function; may be in the current folder.
            function: name of the function in the module.
            batched: see `from_text`.
            tries: see `from_text`.
            list_moves: see `from_text`.
            strict: see `from_text`.
            timeout: see `from_text`.
            workers: see `from_text`.
            spec: name of the agent.

        Raises:
            ValueError: the function cannot be imported, or an argument is out of range.
        """
        try:
            found = import_object(module, function)
        except (Exception, SystemExit) as error:
            raise ValueError(f"agent {spec!r} cannot be made: {one_line(error)}") from error
        super().__init__(
            found,
            game,
            batched=batched,
            tries=tries,
            list_moves=list_moves,
            strict=strict,
            timeout=timeout,
            workers=workers,
            spec=spec,
        )
        self._module = module

    @property
    def version(self) -> str:
        """Version of prompts and reading, and SHA-256 of the file with the function."""
        return f"prompt {PROMPT_VERSION}, function of {file_sha256(self._module) or 'unknown'}"


def from_text(
    function: Callable[[Any], Any],
    game: Game | str,
    *,
    batched: bool = False,
    tries: int = 3,
    list_moves: bool = False,
    strict: bool = False,
    timeout: float | None = None,
    workers: int = 1,
) -> TextAgent:
    """Return an agent that plays by a text function, such as a call to a language model.

    The prompt has the rules in short, the position in the console format, other knowledge of the
    seat, and the format of a move. `agents.players.text.answers` describes how the move is found in
    the answer. After an answer without a legal move, the next prompt has the error. After `tries`
    such answers the agent forfeits the game by an illegal action, with a `RuntimeWarning`. If every
    action is legal, as on an empty board, the agent plays the first one and forfeits at its next
    move. `Episode.play(..., analysis=True)` keeps all prompts and answers.

    Args:
        function: function from a prompt to an answer, both `str`. It may return a tuple of the
            answer and its number of tokens, which a benchmark adds up.
        game: the game to play, or its name.
        batched: whether the function takes a list of prompts, from parallel games, and returns a
            list of answers.
        tries: maximum number of answers for one move, at least 1.
        list_moves: whether the prompt lists the legal moves.
        strict: whether the move must be the rest of the line after the last `Move:`, or the whole
            answer.
        timeout: time limit of a call, in seconds; `None` for no limit. A late call goes on in its
            thread, so a timeout in the client is better.
        workers: maximum number of parallel calls, unless `batched`.

    Raises:
        ValueError: an argument is out of range. The agent raises it if the function fails, takes
            too long or does not return text; this ends the match without a forfeit.

    Example:
        >>> import agents, boardenvs
        >>> game = boardenvs.make("game112")
        >>> player = agents.from_text(lambda prompt: "Move: 3 1", game)
        >>> game.action_to_text(player.act(game.new(1, seed=0))[0])
        '3 1'
    """
    return TextAgent(
        function,
        resolve_game(game),
        batched=batched,
        tries=tries,
        list_moves=list_moves,
        strict=strict,
        timeout=timeout,
        workers=workers,
    )
