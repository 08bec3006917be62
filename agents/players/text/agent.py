"""`from_text`: a function from text to text as an agent."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from agents.agent import Actions, Agent, RandomBits, blamed, one_line
from agents.players.text.answers import MoveError, read_move
from agents.players.text.calls import call_each
from agents.players.text.prompts import request
from agents.user_code import file_sha256, import_object
from boardenvs.core.checks import finite_number, is_list, shown, truth_value, whole_number
from boardenvs.envs.interface import resolve_game
from boardenvs.game import Game, States
from boardenvs.show.analysis import Analysis, Try

__all__ = ["NamedTextAgent", "TextAgent", "from_text"]


class TextAgent(Agent):
    """Plays the moves that a function writes; see `from_text`."""

    repeatable = False

    def __init__(
        self,
        function: Callable[[Any], Any],
        game: Game,
        *,
        batched: bool = False,
        tries: int = 3,
        list_moves: bool = False,
        timeout: float | None = None,
        workers: int = 1,
        spec: str = "",
    ) -> None:
        """Wrap a function; see `from_text`."""
        if not callable(function):
            raise ValueError(f"function must be a function of a prompt, got {shown(function)}")
        super().__init__(game, spec=spec or f"text:{getattr(function, '__name__', 'function')}")
        self.function = function
        self.batched = truth_value("batched", batched)
        self.tries = whole_number("tries", tries, 1)
        self.list_moves = truth_value("list_moves", list_moves)
        self.timeout = None if timeout is None else finite_number("timeout", timeout, 0.001, 86400)
        self.workers = whole_number("workers", workers, 1, 1000)
        self._owed: list[set[bytes]] = []
        """Where games may stand that it forfeits at its second move, having failed at the first:
        for each the bytes of every such position."""

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        return self.consider(states, random_bits)[0]

    def consider(
        self, states: States, random_bits: RandomBits
    ) -> tuple[Actions, Sequence[Analysis | None]]:
        """As `Agent.consider`: every prompt and answer, and what was wrong with it."""
        game = self.game
        actions = np.full(len(states), -1, np.int64)
        tried: list[list[Try]] = [[] for _ in states]
        meant: dict[int, int] = {}
        owed = {k for k, state in enumerate(states) if self._owes(state)}
        for k in owed:
            actions[k] = game.legal(states[k : k + 1])[0].argmin()
            tried[k].append(Try("", "", "nothing legal was answered where everything was legal"))
        wanted = [k for k in range(len(states)) if k not in owed]
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
                    actions[k] = read_move(game, states[k], answer)
                except MoveError as refusal:
                    error = str(refusal)
                    if refusal.action is not None:
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
        """The function's answers, as many texts.

        Raises:
            ValueError: it failed, took too long or returned anything else.
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
                f"{self.spec} must return a list of {len(prompts)} texts for as many prompts, "
                f"got {shown(answers)}"
            )
        for answer in answers:
            if not isinstance(answer, str):
                raise ValueError(f"{self.spec} must return text, got {shown(answer)}")
        return list(answers)

    # -- Forfeits ---------------------------------------------------------------------------

    def _forfeit(self, state: States, meant: int | None, reason: str) -> int:
        """An illegal action, which loses the game; a legal one where there is no other.

        Raises:
            ValueError: every action is legal, in a game in which it cannot forfeit later.
        """
        legal = self.game.legal(state)[0]
        message = f"{self.spec} gave no legal move in {self.tries} tries ({reason})"
        if not legal.all():
            warnings.warn(f"{message}: it forfeits a game", RuntimeWarning, stacklevel=4)
            return int(legal.argmin()) if meant is None else meant
        if self.game.num_players != 2 or self.game.has_chance:
            raise ValueError(f"{message}, where every action is legal, so that it cannot forfeit")
        warnings.warn(
            f"{message}: it forfeits a game at its next move", RuntimeWarning, stacklevel=4
        )
        self._owed.append(self._next_positions(state))
        return 0

    def _next_positions(self, state: States) -> set[bytes]:
        """Where its next move may be asked for, if it plays action 0 here, as `_owes` compares."""
        after = state.copy()
        self.game.play(after, [0])
        replies = np.flatnonzero(self.game.legal(after)[0])
        positions = np.repeat(after, len(replies))
        self.game.play(positions, replies)
        positions["rng"] = 0
        return {position.tobytes() for position in positions}

    def _owes(self, state: np.void) -> bool:
        """Whether it forfeits the game that stands here, having failed at its first move."""
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
    """A `TextAgent` whose function is named, as in the spec `text:MODULE:FUNCTION`."""

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        module: str = "",
        function: str = "",
        batched: bool = False,
        tries: int = 3,
        list_moves: bool = False,
        timeout: float | None = None,
        workers: int = 1,
        spec: str = "text",
    ) -> None:
        """Import the function.

        Args:
            game: what is played.
            seed: of nothing: what is random is the function's own affair.
            module: where the function is; the current folder is searched, too.
            function: its name there.
            batched: as for `from_text`, like the rest.
            tries: see there.
            list_moves: see there.
            timeout: see there.
            workers: see there.
            spec: the name it goes by.

        Raises:
            ValueError: there is no such function, or an argument is out of range.
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
            timeout=timeout,
            workers=workers,
            spec=spec,
        )
        self._module = module

    @property
    def version(self) -> str:
        """The SHA-256 of the file that has the function."""
        return f"function of {file_sha256(self._module) or 'unknown'}"


def from_text(
    function: Callable[[Any], Any],
    game: Game | str,
    *,
    batched: bool = False,
    tries: int = 3,
    list_moves: bool = False,
    timeout: float | None = None,
    workers: int = 1,
) -> TextAgent:
    """A player that reads and writes, such as a language model, as an agent.

    It is told the rules in short, the position in the console format, whatever else its seat
    knows, and how a move is written. How its move is found in the answer,
    `agents.players.text.answers` says. It is told what was wrong with an answer and asked again;
    when all tries are used up it forfeits the game by an illegal action, and a `RuntimeWarning`
    says why. Where every action is legal, as on an empty board, it plays the first one and forfeits
    at its next move. `Episode.play(..., analysis=True)` keeps all prompts and answers.

    Args:
        function: takes a prompt and returns an answer, both `str`.
        game: what is played, or its name.
        batched: whether the function takes a list of prompts instead, and returns as many answers:
            for games that are played side by side.
        tries: how often it is asked for one move, at least 1.
        list_moves: whether the prompt lists the legal moves.
        timeout: seconds that a call may take; `None` for any time. The call itself cannot be
            ended, so a client's own timeout is better.
        workers: how many calls may be under way at once, unless it is batched.

    Raises:
        ValueError: for arguments out of range. The agent raises it when the function fails, takes
            too long or returns no text: that is no forfeit, it ends the match.

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
        timeout=timeout,
        workers=workers,
    )
