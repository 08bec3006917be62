"""`Episode`: a recorded game that can be saved, shown and replayed."""

from __future__ import annotations

import hashlib
import html
import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from boardenvs.core.chance import make_streams, one_way, seed_word
from boardenvs.core.checks import (
    counted,
    file_path,
    finite_number,
    is_list,
    printable,
    shown,
    whole_number,
)
from boardenvs.envs.interface import given_states, initial_states, resolve_game
from boardenvs.envs.named_players import agents_module
from boardenvs.envs.opponents import Opponent, ask, consult, player_names
from boardenvs.envs.playout import playout
from boardenvs.files import check_suffix, write_atomically
from boardenvs.game import Game, States
from boardenvs.registration import game_class, make, names
from boardenvs.show.analysis import Analysis
from boardenvs.show.page import (
    end_in_words,
    game_page_html,
    packed,
    position_text,
    show_analysis,
    show_moves,
    show_players,
)

__all__ = ["Episode"]

_FORMAT = "boardenvs episode"
_VERSION = 3
_KEYS = {"format", "version", "players", "initial", "actions", "analysis", "final", "sha256"}


class Episode:
    """A recorded game, finished or not: its initial position and every action.

    `play` plays and records a game. A Gymnasium environment that was made with
    `record_episode=True` records its episodes. Otherwise, collect the actions of all seats and
    pass them to the constructor with the initial position::

        actions = []
        env.reset(seed=7)
        for agent in env.agent_iter():
            ...
            actions.append(action)  # unless it is None
            env.step(action)
        game = boardenvs.make("gekitai")
        episode = Episode(game, game.new(1, seed=7), actions)

    Notebooks display an episode as the page that `to_html` returns.

    Do not change the attributes.

    Attributes:
        game: the `Game` that was played.
        actions: list of int, all actions. The last one may be illegal, which forfeits the game.
        players: list of str, the name of each seat.
        analysis: list with one entry per action, the player's
            `boardenvs.show.analysis.Analysis` of the position before the action, or `None`.

    Example:
        >>> import boardenvs
        >>> episode = boardenvs.Episode.play("game112", ["random", "random"], seed=0)
        >>> boardenvs.Episode.from_json(episode.to_json()) == episode
        True
        >>> len(episode) == len(episode.actions) == len(episode.states()) - 1
        True
    """

    def __init__(
        self,
        game: Game,
        initial: Any,
        actions: Sequence[int],
        players: Sequence[str] | None = None,
        analysis: Sequence[Analysis | None] | None = None,
    ) -> None:
        """Replay the actions to check them.

        Args:
            game: the game that was played.
            initial: the initial position: a record, an array of one record, or a dictionary
                for `Game.from_dict`.
            actions: integers, in order.
            players: name of each seat, by default `player_0`, `player_1`, ...
            analysis: analysis or `None` for each action, by default all `None`.

        Raises:
            ValueError: an argument is not valid, an action is not in the action space, or an
                action follows the end of the game.
        """
        self.game = game = resolve_game(game)
        self.players = _names(game, players)
        if not is_list(actions):
            raise ValueError(f"actions must be a list of whole numbers, got {shown(actions)}")
        self.actions: list[int] = []
        positions = [game.restore(initial)]
        for number, action in enumerate(actions, 1):
            state = positions[-1].copy()
            if game.over(state)[0]:
                raise ValueError(
                    f"actions must end with the game, after {counted(number - 1, 'action')}, "
                    f"got {counted(len(actions), 'action')}"
                )
            what = f"action {number} of {len(actions)}"
            self.actions.append(whole_number(what, action, 0, game.num_actions - 1))
            game.play(state, self.actions[-1:])
            positions.append(state)
        self._states = np.concatenate(positions)
        self.analysis = self._checked(analysis)

    @classmethod
    def play(
        cls,
        game: Game,
        players: Sequence[str | Opponent],
        seed: int | None = None,
        *,
        state: Any = None,
        names: Sequence[str] | None = None,
        analysis: bool = False,
    ) -> Episode:
        """Play one game to its end and return it.

        The same seed gives the same game, unless a player draws random numbers of its own. The
        game starts from `game.new(1, seed)`.

        Args:
            game: the game to play.
            players: one player for each seat: an agent's spec for `agents.make`, or an object
                with `act(states) -> actions`. Players only see what their seat may know. Agents
                that are made from specs are seeded from `seed`.
            seed: seed of the game and the players, `None` for a random one.
            state: the initial position, as `initial` of the constructor; by default a new game.
                A seed restarts the random stream of the position; without a seed it continues.
            names: names of the players. By default each player's spec, such as `greedy`, or
                `player_0`, `player_1`, ... for objects without an attribute `spec`. Players
                with the same spec also get the name of their seat: `greedy (Player X)`.
            analysis: whether to record the analysis of players with
                `consider(states, random_bits)`. The game stays the same.

        Raises:
            ValueError: an argument is not valid, or a player returns an invalid action or
                analysis.
        """
        game = resolve_game(game)
        if not is_list(players) or len(players) != game.num_players:
            raise ValueError(
                f"players must be a list of {game.num_players} for {game.name}, "
                f"got {shown(players)}"
            )
        for player in players:
            if not isinstance(player, str) and not callable(getattr(player, "act", None)):
                raise ValueError(
                    f"players must be agent specs or objects with act(states), got {shown(player)}"
                )
        names = _names(game, player_names(players, game.seat_names) if names is None else names)
        base = seed_word(seed)
        streams = make_streams(base, 1)
        starts = given_states(game, state, 1)
        current = initial_states(game, starts, state, streams, seeded=seed is not None)
        initial = current.copy()
        player_streams = one_way(make_streams(base, game.num_players), "players")
        seeds = (one_way(make_streams(base, game.num_players), "agents") >> np.uint64(33)).tolist()
        asked: list[Any] = [
            agents_module("agents").make(player, game, seed)
            if isinstance(player, str) and player != "random"
            else player
            for player, seed in zip(players, seeds, strict=True)
        ]
        actions: list[int] = []
        analyses: list[Analysis | None] = []

        def choose(state: States, _: Any) -> npt.NDArray[np.int64]:
            seat = int(state["to_move"][0])
            player, stream = asked[seat], player_streams[seat : seat + 1]
            if analysis:
                chosen, thoughts = consult(player, game, state, stream)
            else:
                chosen, thoughts = ask(player, game, state, stream), [None]
            actions.append(int(chosen[0]))
            analyses.extend(thoughts)
            return chosen

        playout(game, current, choose)
        return cls(game, initial, actions, names, analyses)

    def _checked(self, analysis: Sequence[Analysis | None] | None) -> list[Analysis | None]:
        """Check the analysis and return it as a list with one entry per action."""
        if analysis is None:
            return [None] * len(self)
        if not isinstance(analysis, list | tuple) or len(analysis) != len(self):
            raise ValueError(
                f"analysis must be a list of {len(self)}, one for each action, "
                f"got {shown(analysis)}"
            )
        legal = self.game.legal(self._states)
        for number, one in enumerate(analysis, 1):
            if one is not None and not isinstance(one, Analysis):
                raise ValueError(f"analysis must contain Analysis or None, got {shown(one)}")
            if one is not None:
                try:
                    one.check(self.game, legal[number - 1])
                except ValueError as error:
                    raise ValueError(f"action {number} of {len(self)}: {error}") from None
        return list(analysis)

    def __len__(self) -> int:
        """Return the number of actions."""
        return len(self.actions)

    def states(self) -> States:
        """Return the initial position and the one after each action, shape (len(self) + 1,)."""
        return self._states.copy()

    @property
    def returns(self) -> npt.NDArray[np.float32]:
        """Result of each seat, shape (num_players,), all 0 until the end of the game."""
        return self.game.returns(self._states[-1:])[0]

    @property
    def terminated(self) -> bool:
        """Whether the game has ended by its rules."""
        return bool(self._states["terminated"][-1])

    @property
    def truncated(self) -> bool:
        """Whether the game has ended by `max_plies`."""
        return bool(self._states["truncated"][-1])

    @property
    def result(self) -> str:
        """Result as text, such as `player_0 wins`."""
        last = self._states[-1]
        if last["truncated"]:
            return f"stopped after {counted(last['ply'], 'ply', 'plies')}"
        if not last["terminated"]:
            return "unfinished"
        if last["offender"] >= 0:
            return f"{self.players[last['offender']]} loses by an illegal action"
        if self.game.num_players == 1:
            return f"{self.players[0]} gets {last['returns'][0]:g}"
        if not last["returns"].any():
            return "draw"
        return f"{self.players[last['returns'].argmax()]} wins"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Episode) and self._content() == other._content()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<episode of {self.game!r}: {counted(len(self), 'action')}, {self.result}>"

    def to_text(self) -> str:
        """Return the game in the console format: each action and the position after it."""
        boards = [position_text(self.game, state) for state in self._states]
        parts = [f"{self.game!r}: {', '.join(self.players)}\n{boards[0]}"]
        moves = show_moves(self.game, self._states, self.actions, self.players)
        for move, board in zip(moves, boards[1:], strict=True):
            parts.append(f"{move['ply']}. {move['player']}: {move['text']}\n{board}")
        parts.append(f"Result: {self.result}\n")
        return "\n".join(parts)

    # -- Files --------------------------------------------------------------------------

    def _content(self) -> dict[str, Any]:
        """Return the content of a JSON file, as the JSON parser returns it."""
        content = {
            "format": _FORMAT,
            "version": _VERSION,
            "players": self.players,
            "initial": self.game.to_dict(self._states[0]),
            "actions": self.actions,
            "analysis": [one and one.to_dict() for one in self.analysis],
            "final": self.game.to_dict(self._states[-1]),
        }
        return dict(json.loads(json.dumps(content)))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the episode to a file.

        An interrupted call leaves the file unchanged, unless it has several hard links.

        Args:
            path: path of the file. The suffix selects the format: JSON, or a format of other
                programs, such as `.psq` and `.sgf` for Gomoku. Formats of other programs cannot
                store analysis or an illegal last action.

        Raises:
            OSError: the file cannot be written.
            ValueError: `path` is not a path, its suffix belongs to another format, or the format
                cannot store the episode.
        """
        place = file_path("path", path)
        check_suffix("path", place, ".json", *self.game.file_formats)
        suffix = place.suffix.lower()
        if suffix in self.game.file_formats:
            data = self.game.file_formats[suffix][1](self)
        else:
            data = self.to_json().encode()
        write_atomically(place, data)

    def to_json(self) -> str:
        """Return the text that `save` writes into a JSON file."""
        content = self._content()
        return json.dumps({**content, "sha256": _digest(content)}) + "\n"

    @classmethod
    def load(cls, path: str | PathLike[str], game: Game | None = None) -> Episode:
        """Load a file of `save` or of another program, and replay the episode to check it.

        Args:
            path: path of the file. Its suffix selects the format, see `save`.
            game: the expected game; by default the file determines the game.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is not an episode, is damaged, is of another game, has several
                games, or leads to other positions in this version of the game. The message names
                the file.
        """
        episodes = cls.load_all(path, game)
        if len(episodes) > 1:
            raise ValueError(
                printable(
                    f"{path}: it must hold one game, got {len(episodes)}; Episode.load_all reads "
                    "all games, and boardenvs analyse reads one with --game N"
                )
            )
        return episodes[0]

    @classmethod
    def load_all(cls, path: str | PathLike[str], game: Game | None = None) -> list[Episode]:
        """Load all games of a file, such as an SGF file of a match.

        Args:
            path: path of the file.
            game: as for `load`.

        Raises:
            OSError: the file cannot be read.
            ValueError: as for `load`, which requires a file with one game.
        """
        place = file_path("path", path)
        if game is not None:
            game = resolve_game(game)
        suffix = place.suffix.lower()
        kinds = [game_class(name) for name in names()] if game is None else [type(game)]
        if suffix in ("", ".json"):
            kinds = []
        readers = [kind.file_formats[suffix][0] for kind in kinds if suffix in kind.file_formats]

        def parse(data: bytes) -> list[Episode]:
            if readers:
                return list(readers[0](data, game))
            episode = cls._parse(data)
            if game is not None and episode.game != game:
                raise ValueError(f"game must be {game!r}, got {episode.game!r}")
            return [episode]

        return cls._checked_parse(place.read_bytes(), f"{path}: ", parse)

    @classmethod
    def from_json(cls, data: str | bytes) -> Episode:
        """Load an episode from the content of a JSON file.

        Raises:
            ValueError: as for `load`.
        """
        if not isinstance(data, str | bytes):
            raise ValueError(f"data must be text or bytes, got {shown(data)}")
        content = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        return cls._checked_parse(content, "", lambda content: [cls._parse(content)])[0]

    @staticmethod
    def _checked_parse(
        data: bytes, name: str, parse: Callable[[bytes], list[Episode]]
    ) -> list[Episode]:
        # For a malicious file, the parser, a game or NumPy may raise any of these errors.
        try:
            with np.errstate(all="raise"):
                return parse(data)
        except (ValueError, TypeError, LookupError, ArithmeticError, RecursionError) as error:
            reason = textwrap.shorten(str(error), 300, placeholder=" ...")
            raise ValueError(printable(f"{name}{reason}")) from error

    @classmethod
    def _parse(cls, data: bytes) -> Episode:
        try:
            content = json.loads(data.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise ValueError(
                f"not an episode, or cut short: the JSON is invalid ({error})"
            ) from error
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            raise ValueError(
                f"not an episode: expected a JSON object with format {_FORMAT!r}, "
                f"got {shown(content)}"
            )
        version = content.get("version")
        if version != _VERSION:
            raise ValueError(f"version must be {_VERSION}, got {version!r}")
        if content.keys() != _KEYS:
            raise ValueError(f"keys must be {sorted(_KEYS)}, got {sorted(content)}")
        if content.pop("sha256") != _digest(content):
            raise ValueError("damaged or edited: sha256 does not match the content")
        initial = content["initial"]
        if not isinstance(initial, dict) or not isinstance(initial.get("params"), dict):
            raise ValueError(
                f"initial must be a position with game and params, got {shown(initial)}"
            )
        name = initial.get("game")
        if not isinstance(name, str):
            raise ValueError(f"initial.game must be text, got {name!r}")
        game = make(name, **initial["params"])
        for key in ("actions", "players", "analysis"):
            if not isinstance(content[key], list):
                raise ValueError(f"{key} must be a list, got {content[key]!r}")
        analysis = [None if one is None else Analysis.from_dict(one) for one in content["analysis"]]
        episode = cls(game, initial, content["actions"], content["players"], analysis)
        if episode._content()["final"] != content["final"]:
            raise ValueError("final must be the position after all actions, got another position")
        return episode

    # -- HTML ---------------------------------------------------------------------------

    def to_html(self, remarks: Mapping[int, str] | None = None) -> str:
        """Return an HTML page that replays the game and needs no other file.

        Args:
            remarks: comments on actions, by the action's number, counted from 1; 0 is the initial
                position. The list of moves marks these actions.

        Raises:
            ValueError: a remark is not text, or its number is not that of an action.
        """
        game, states = self.game, self._states
        if remarks is not None and not isinstance(remarks, Mapping):
            raise ValueError(f"remarks must be a dictionary or None, got {shown(remarks)}")
        for number, remark in (remarks or {}).items():
            whole_number("a key of remarks", number, 0, len(self))
            if not (isinstance(remark, str) and remark):
                raise ValueError(f"remarks must be text that is not empty, got {shown(remark)}")
        data = {
            "texts": packed([position_text(game, state) for state in states]),
            "pictures": packed([game.picture(state) for state in states]),
            "moves": show_moves(game, states, self.actions, self.players),
            "players": show_players(game, self.players, self.returns.tolist(), self.terminated),
            "result": end_in_words(game, states[-1], self.players),
            "analysis": show_analysis(game, states, self.actions, self.analysis),
            "remarks": {str(number): remark for number, remark in (remarks or {}).items()},
        }
        return game_page_html(game, self.players, data)

    def save_html(
        self, path: str | PathLike[str], remarks: Mapping[int, str] | None = None
    ) -> None:
        """Write the page that `to_html` returns to a file, as `save` does.

        Raises:
            OSError: the file cannot be written.
            ValueError: as for `to_html`, or the suffix of `path` belongs to another format.
        """
        place = file_path("path", path)
        check_suffix("path", place, ".html", ".htm")
        write_atomically(place, self.to_html(remarks).encode())

    # -- GIF ----------------------------------------------------------------------------

    def save_gif(self, path: str | PathLike[str], *, size: int = 480, seconds: float = 1.0) -> None:
        """Write an animated GIF of the positions, repeated without end.

        The first frame is the final position, for viewers that show only one frame. All positions
        follow in order, the last one three times as long. The file is written as by `save`.

        Args:
            path: path of the file.
            size: pixels of the longer side, see `Game.rgb_array`.
            seconds: duration of a frame, from 0.02 to 60.

        Raises:
            OSError: the file cannot be written.
            ValueError: `size` or `seconds` is out of range, the extra `[render]` is not
                installed, or the suffix of `path` belongs to another format.
        """
        from boardenvs.show.gif import gif

        place = file_path("path", path)
        check_suffix("path", place, ".gif")
        seconds = finite_number("seconds", seconds, 0.02, 60)

        def draw(number: int) -> npt.NDArray[np.uint8]:
            return self.game.rgb_array(self._states[number - 1], size)  # number 0 is the last

        write_atomically(place, gif(1 + len(self._states), draw, seconds))

    def _repr_html_(self) -> str:
        # The frame keeps the names of the page apart from those of the notebook.
        return (
            f'<iframe srcdoc="{html.escape(self.to_html())}" sandbox="allow-scripts" '
            f'title="{html.escape(repr(self))}" width="100%" height="720" '
            f'style="border: 0"></iframe>'
        )


def _names(game: Game, players: Sequence[str] | None) -> list[str]:
    """Check the players' names, which must be printable, and return them."""
    if players is None:
        return [f"player_{seat}" for seat in range(game.num_players)]
    if (
        not isinstance(players, list | tuple)
        or len(players) != game.num_players
        or not all(isinstance(name, str) and name and name.isprintable() for name in players)
    ):
        raise ValueError(
            f"players must be {counted(game.num_players, 'name')} of printable characters, "
            f"got {shown(players)}"
        )
    return list(players)


def _digest(content: dict[str, Any]) -> str:
    """Return the SHA-256 of JSON values, independent of their layout in the file."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode("ascii")).hexdigest()
