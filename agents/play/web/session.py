"""`Session`: one person's game against agents, as the page is told of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.agent import blamed
from agents.making import make
from agents.play.person import result_line, typed_move
from agents.play.setup import Setup
from agents.seeds import agent_seed
from boardenvs.analysis import Analysis
from boardenvs.chance import one_way
from boardenvs.game import Game, States
from boardenvs.opponents import consult
from boardenvs.page import (
    Panel,
    packed,
    page_html,
    position_text,
    show_analysis,
    show_moves,
    show_players,
    show_thought,
)

__all__ = ["OutdatedError", "Session"]

_PANEL = Panel(
    *(
        Path(__file__).with_name(f"panel.{kind}").read_text(encoding="utf-8")
        for kind in ("html", "css", "js")
    )
)
"""Read once, as the page's other parts are."""


class OutdatedError(ValueError):
    """The page does not show how the game stands, as when it is open twice."""


class _Position(NamedTuple):
    state: States
    """Shape (1,)."""
    words: npt.NDArray[np.uint64]
    """The opponents' stream there, so that what is taken back comes again the same."""


class Session:
    """A game, of which a person has one seat and agents of one spec have the others.

    The page is told of the positions as far as the person's seat may know them, and of what the
    agents thought once the game is over. The same seed and moves give the same game.
    """

    def __init__(self, game: Game, opponent: str, seat: int, seed: int | None = None) -> None:
        """Begin a game.

        Args:
            game: what is played.
            opponent: spec of the agent in every other seat, and of the one that gives hints.
            seat: the person's.
            seed: of everything random; `None` for a fresh one.

        Raises:
            ValueError: there is no such opponent or seat, or it cannot play the game.
        """
        self._setup = Setup(game, opponent, seat, seed)
        self.game = game
        self.opponent = opponent
        self.seat = self._setup.seat
        self._adviser = make(opponent, game, agent_seed(self._setup.seed, 1))
        self.names = [
            f"{'you' if k == self.seat else opponent} ({name})"
            for k, name in enumerate(game.seat_names)
        ]
        self._games = 0
        self._begin()

    def _begin(self) -> None:
        """Deal; the first game is the one that `boardenvs play` begins with this seed."""
        deal = self._setup.deal(self._games)
        self._games += 1
        self._hint_words = one_way(deal.words, "hints")
        self._page_words = one_way(deal.words, "page")
        self._positions = [_Position(deal.start, deal.opponents)]
        self._actions: list[int] = []
        self._analysis: list[Analysis | None] = []

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.game.over(self._positions[-1].state)[0])

    @property
    def is_persons_turn(self) -> bool:
        """Whether the person is asked for a move."""
        return not self.over and self._mover(-1) == self.seat

    def _mover(self, k: int) -> int:
        return int(self._positions[k].state["to_move"][0])

    # -- What the person does; each gives what the page needs to know ---------------------------

    def move(self, text: str) -> dict[str, Any]:
        """Play the person's move, in the game's notation.

        Raises:
            ValueError: it is not the person's turn, or this is no legal move.
        """
        self._require_turn()
        self._play(typed_move(self.game, self._positions[-1].state[0], text), None)
        return self._news(len(self._positions) - 1)

    def advance(self) -> dict[str, Any]:
        """Let the agent whose turn it is play its move.

        Raises:
            ValueError: it is no agent's turn, or the agent fails; it is named.
        """
        if self.over or self.is_persons_turn:
            raise ValueError("no agent is to move")
        with blamed(f"agent {self.opponent}"):
            position = self._positions[-1]
            words = position.words.copy()
            actions, [analysis] = consult(self._setup.agent, self.game, position.state, words)
        self._play(int(actions[0]), analysis, words)
        return self._news(len(self._positions) - 1)

    def undo(self) -> dict[str, Any]:
        """Take back the person's last move and all that followed.

        What was drawn since is drawn the same again: the die, the tile.

        Raises:
            ValueError: the person has not moved yet.
        """
        keep = self._undone()
        if not keep:
            raise ValueError("there is no move of yours to take back")
        del self._positions[keep:], self._actions[keep - 1 :], self._analysis[keep - 1 :]
        return self._news(keep)

    def hint(self) -> dict[str, Any]:
        """What the adviser would play for the person, told no more than the person.

        Raises:
            ValueError: it is not the person's turn, or the adviser fails.
        """
        self._require_turn()
        state = self._positions[-1].state
        with blamed(f"agent {self.opponent}"):
            words = self._hint_words.copy()
            actions, [analysis] = consult(self._adviser, self.game, state, words)
            action = int(actions[0])
            if analysis is not None:
                analysis.check(self.game, self.game.legal(state)[0])
        known = self._known(-1)[0]
        thought = analysis and show_thought(self.game, known, analysis, action)
        return {
            "hint": self.game.action_to_text(action, known),
            "area": self.game.action_area(action, known),
            "thought": thought,
        }

    def restart(self) -> dict[str, Any]:
        """Begin another game, with chances of its own."""
        self._begin()
        return self._news(0)

    def require_positions(self, positions: int) -> None:
        """Raise `OutdatedError` unless the page shows so many positions as there are."""
        if positions != len(self._positions):
            raise OutdatedError(f"the game has {len(self._positions)} positions, not {positions}")

    def _require_turn(self) -> None:
        if not self.is_persons_turn:
            raise ValueError("the game is over" if self.over else "it is not your turn")

    def _undone(self) -> int:
        """How many positions an undo leaves: up to the person's last turn but this; 0 for none."""
        turns = [k for k in range(len(self._actions)) if self._mover(k) == self.seat]
        return turns[-1] + 1 if turns else 0

    def _play(
        self,
        action: int,
        analysis: Analysis | None,
        words: npt.NDArray[np.uint64] | None = None,
    ) -> None:
        before = self._positions[-1]
        if analysis is not None:
            with blamed(f"agent {self.opponent}"):
                analysis.check(self.game, self.game.legal(before.state)[0])
        state = before.state.copy()
        self.game.play(state, [action])
        self._positions.append(_Position(state, before.words if words is None else words))
        self._actions.append(action)
        self._analysis.append(analysis)

    # -- What the page is told ------------------------------------------------------------------

    def page(self) -> str:
        """The page of the game as it stands."""
        news = self._news(0)
        data = {**news, "texts": packed(news["texts"]), "pictures": packed(news["pictures"])}
        return page_html(self.game, self.names, data, _PANEL)

    def _known(self, first: int) -> States:
        """The positions from one on, as far as the person's seat may know them."""
        states = np.concatenate([position.state for position in self._positions[first:]])
        words = np.repeat(self._page_words, len(states))
        return self.game.conceal_with_words(states, self.seat, words)

    def _news(self, keep: int) -> dict[str, Any]:
        """What has changed for a page that keeps so many of its positions."""
        game = self.game
        last = self._known(-1)[0]
        first = max(0, keep - 1)
        states = self._known(first)
        moves = show_moves(game, states, self._actions[first:], self.names)
        fresh = states[keep - first :]
        analysis = None
        if self.over:
            analysis = show_analysis(game, self._known(0), self._actions, self._analysis)
        return {
            "keep": keep,
            "texts": [position_text(game, state) for state in fresh],
            "pictures": [game.picture(state) for state in fresh],
            "moves": moves,
            "players": show_players(self.names, last["returns"].tolist(), bool(last["terminated"])),
            "result": result_line(game, last) if self.over else "",
            "analysis": analysis,
            "turn": self._turn(last),
        }

    def _turn(self, state: np.void) -> dict[str, Any]:
        """Who is to move, and what the person may do."""
        game = self.game
        legal: list[int] = []
        if self.is_persons_turn:
            legal = np.flatnonzero(game.legal(game.batch(state))[0]).tolist()
        return {
            "mine": self.is_persons_turn,
            "over": self.over,
            "player": "" if self.over else self.names[self._mover(-1)],
            "undo": self._undone() > 0,
            "legal": [
                {
                    "text": game.action_to_text(action, state),
                    "area": game.action_area(action, state),
                }
                for action in legal
            ],
        }
