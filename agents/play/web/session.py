"""`Session`: one person's game against agents, as the page shows it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from types import MappingProxyType
from typing import Any

import numpy as np

from agents.naming.spec import Spec
from agents.play.choices import adviser_of, name_of
from agents.play.human_game import HumanGame
from agents.play.person import typed_move
from agents.play.web.adviser import Adviser
from agents.seeds import agent_seed
from boardenvs.episode import Episode
from boardenvs.game import Game
from boardenvs.show.page import (
    Panel,
    end_in_words,
    game_page_html,
    packed,
    position_text,
    show_analysis,
    show_moves,
    show_players,
    show_thought,
)

__all__ = ["YOU", "Session"]

YOU = "You"
"""Name of the person's seat on the page."""


@functools.cache
def _panel() -> Panel:
    """Return the page's controls for playing, read once like the page's other parts."""

    def read(*names: str) -> str:
        files = resources.files(__package__)
        return "".join((files / name).read_text("utf-8") for name in names)

    scripts = ("panel.js", "board.js", "advice.js", "next.js")
    return Panel(read("panel.html"), read("panel.css"), read(*scripts))


class Session:
    """A game with one person and agents in the other seats.

    The page gets the positions as the person sees them. It gets the agents' analyses when the game
    is over. The same seed and moves give the same game.

    Attributes, not to be changed:
        game: the game, a `Game`.
        opponents: the agents' names in the order of their seats, a tuple of `Spec`; the given names
            in a game for one player.
        seat: seat of the person, an int.
        names: names of the seats on the page, a list of str.
        adviser: the agent that gives hints, an `Adviser`.
    """

    def __init__(
        self,
        game: Game,
        opponents: Sequence[Spec],
        seat: int,
        seed: int | None = None,
        *,
        adviser: Spec | None = None,
    ) -> None:
        """Begin a game.

        Args:
            game: the game.
            opponents: agents, one for all other seats or one for each of them in order.
            seat: seat of the person.
            seed: seed of everything random; `None` for a random one.
            adviser: agent that gives hints; by default the game's.

        Raises:
            ValueError: an opponent or a seat does not exist, or an opponent cannot play the game.
        """
        self._human_game = HumanGame(game, opponents, [seat], seed)
        self.game = game
        self.opponents = self._human_game.opponents
        [self.seat] = self._human_game.seats
        self.seed = self._human_game.seed
        self.adviser = Adviser(adviser or adviser_of(game), agent_seed(self.seed, 1))
        self.names = [YOU] * game.num_players
        others = [k for k in range(game.num_players) if k != self.seat]
        for k, spec in zip(others, self.opponents, strict=bool(others)):
            # With several opponents, each name includes its seat.
            of = f" ({game.seat_names[k].capitalize()})" if len(others) > 1 else ""
            self.names[k] = f"{name_of(spec).name}{of}"
        self._resigned = False
        self._drawings: dict[bytes, tuple[str, str]] = {}

    def take_over(self, episode: Episode) -> None:
        """Continue a saved game, with new chance events.

        Args:
            episode: an episode of this session's game.
        """
        self._human_game.follow(episode)
        self._resigned = False

    def warm_up(self) -> None:
        """Compile everything that the game needs, which can take a minute.

        Raises:
            ValueError: the opponent fails.
        """
        self.page()
        if not self.over:
            self._human_game.warm_up()

    @property
    def over(self) -> bool:
        """Whether the game has ended, or the person has resigned."""
        return self._resigned or self._human_game.over

    @property
    def is_persons_turn(self) -> bool:
        """Whether the person is to move."""
        return not self._resigned and self._human_game.is_persons_turn

    # -- Actions of the person, each of which returns the news for the page ---------------------

    def move(self, text: str) -> dict[str, Any]:
        """Play the person's move, in the game's notation.

        Raises:
            ValueError: it is not the person's turn, or the move is not legal.
        """
        self._require_turn()
        before = len(self._human_game.positions)
        self._human_game.play(typed_move(self.game, self._human_game.state, text))
        return self._news(before)

    def advance(self) -> dict[str, Any]:
        """Play the move of the agent to move.

        Raises:
            ValueError: no agent is to move, or the agent fails; the message names it.
        """
        if self.over or self.is_persons_turn:
            raise ValueError("no agent is to move")
        before = len(self._human_game.positions)
        self._human_game.advance()
        return self._news(before)

    def undo(self) -> dict[str, Any]:
        """Take back a resignation, or else the person's last move and all later moves.

        Chance events repeat.

        Raises:
            ValueError: the person has not moved yet.
        """
        if self._resigned:
            self._resigned = False
            return self._news(len(self._human_game.positions))
        return self._news(self._human_game.undo())

    def resign(self) -> dict[str, Any]:
        """Resign the game.

        Raises:
            ValueError: the game is over.
        """
        if self.over:
            raise ValueError("the game is over")
        self._resigned = True
        return self._news(len(self._human_game.positions))

    def analyse(self, at: int) -> Callable[[], dict[str, Any]]:
        """Return a function that asks the adviser about a position, as its player to move sees it.

        Args:
            at: number of the position, from 0.

        Returns:
            A function that returns the news. It may take long and may be called from any thread,
            even if the game goes on meanwhile. It raises `ValueError` if the adviser fails.

        Raises:
            ValueError: `at` is out of range, the game is over in this position, or its player has
                information that is hidden from the person.
        """
        game, human_game = self.game, self._human_game
        if not 0 <= at < len(human_game.positions):
            raise ValueError(f"at must be from 0 to {len(human_game.positions) - 1}, got {at}")
        if human_game.is_over(at):
            raise ValueError(f"at must be a position before the end, got {at}")
        if game.has_hidden and not self.over and human_game.mover(at) != self.seat:
            raise ValueError(f"at must be a position in which you are to move, got {at}")
        state, stream = human_game.positions[at].state, human_game.hint_stream
        known = human_game.known(self.seat, at, at + 1)[0]

        def news() -> dict[str, Any]:
            action, analysis = self.adviser.advise(state, stream)
            return {
                "at": at,
                "by": self.adviser.name,
                "hint": game.action_to_text(action, known),
                "area": game.presentation.action_area(action, known),
                "thought": analysis and show_thought(game, known, analysis, action),
            }

        return news

    def restart(self) -> dict[str, Any]:
        """Start another game, with new chance events."""
        self._human_game.deal()
        self._resigned = False
        self._drawings.clear()
        return self._news(0)

    def _require_turn(self) -> None:
        if not self.is_persons_turn:
            raise ValueError("the game is over" if self.over else "it is not your turn")

    # -- News for the page -----------------------------------------------------------------------

    def page(self, more: Mapping[str, Any] = MappingProxyType({})) -> str:
        """Return the page of the game.

        Args:
            more: further values for the panel's script.
        """
        news = self._news(0)
        packs = {"texts": packed(news["texts"]), "pictures": packed(news["pictures"])}
        return game_page_html(self.game, self.names, {**news, **packs, **more}, _panel())

    def episode(self) -> Episode:
        """Return the game so far, with the agents' analyses only if it is over."""
        human_game = self._human_game
        thoughts = human_game.analysis if self.over else None
        return Episode(
            self.game, human_game.positions[0].state, human_game.actions, self.names, thoughts
        )

    def _news(self, keep: int) -> dict[str, Any]:
        """Return what is new for a page that keeps the first `keep` positions."""
        game, human_game = self.game, self._human_game
        last = human_game.known(self.seat, -1)[0]
        first = max(0, keep - 1)
        states = human_game.known(self.seat, first)
        moves = show_moves(game, states, human_game.actions[first:], self.names)
        fresh = states[keep - first :]
        analysis = None
        if self.over:
            states = human_game.known(self.seat, 0)
            analysis = show_analysis(game, states, human_game.actions, human_game.analysis)
        return {
            "keep": keep,
            "texts": [text for text, _ in map(self._drawn, fresh)],
            "pictures": [picture for _, picture in map(self._drawn, fresh)],
            "moves": moves,
            "players": show_players(
                game, self.names, last["returns"].tolist(), bool(last["terminated"])
            ),
            "result": self._result(last),
            "analysis": analysis,
            "turn": self._turn(last),
            "seat": self.seat,
        }

    def _drawn(self, known: np.void) -> tuple[str, str]:
        """Return a position as text and picture, drawn only once since large boards take long."""
        key = known.tobytes()
        if key not in self._drawings:
            self._drawings[key] = position_text(self.game, known), self.game.picture(known)
        return self._drawings[key]

    def _result(self, last: np.void) -> str:
        """Return the result in words; "" while the game goes on."""
        if self._resigned:
            return "You gave up." if self.game.num_players == 1 else "You resigned."
        return end_in_words(self.game, last, self.names)

    def _turn(self, state: np.void) -> dict[str, Any]:
        """Return who is to move, and what the person may do."""
        game = self.game
        legal: list[int] = []
        if self.is_persons_turn:
            legal = np.flatnonzero(game.legal(state)[0]).tolist()
        return {
            "mine": self.is_persons_turn,
            "over": self.over,
            "ended": self._human_game.over,
            "player": "" if self.over else self.names[self._human_game.turn],
            "asks": game.presentation.what_to_type(state) if legal else "",
            "undo": self._resigned or self._human_game.undone > 0,
            "legal": [
                {
                    "text": game.action_to_text(action, state),
                    "area": game.presentation.action_area(action, state),
                }
                for action in legal
            ],
        }
