"""`Spec`: an agent that a text names, for one game.

Text becomes a `Spec` where it enters: in the public functions of `agents`, in the command, in
settings and cards, and where environments name their opponents. All other code takes a `Spec`.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import inspect
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boardenvs
from agents.agent import Agent, check_can_play, one_line
from agents.naming.game_folders import folder_of
from agents.naming.grammar import FACTORY, MEANT, TableEntry, seconds_of, split
from agents.naming.tables import SPECS, agents_of, known_agents
from agents.naming.user_code import file_sha256, import_object, is_allowed, is_user_code
from boardenvs.core.checks import shown
from boardenvs.core.suggestion import did_you_mean
from boardenvs.envs.interface import resolve_game
from boardenvs.envs.opponents import Opponent
from boardenvs.game import Game
from boardenvs.kernels.threads import cores, threads_for
from boardenvs.registration import GAMES

__all__ = [
    "UNKNOWN",
    "MakeAgent",
    "PolicySpec",
    "Spec",
    "make",
    "make_builtin",
    "names_for",
    "specs_of",
]

MakeAgent = Callable[..., Opponent]
"""A function of a game and a seed that makes an agent."""
_TIME = "time_limit"
"""The option that a time in a spec sets, instead of a whole number."""
_COMMAND = "COMMAND"
"""The argument of agents that run an external program, which has its own clock."""
_AGENT = "AGENT"
"""The argument of agents that play with another agent: the spec of that agent."""
UNKNOWN = "unknown"
"""The version of a policy that does not have one."""


@dataclass(frozen=True)
class Spec:
    """An agent that a text names, for one game. Processes can send it to each other."""

    text: str
    """The whole text."""
    game: Game
    entry: TableEntry | None
    """The agent in the tables; `None` for `MODULE:FACTORY`."""
    arguments: tuple[str, ...]
    """Arguments of the agent; only the factory's name for `MODULE:FACTORY`."""

    @classmethod
    def of(cls, text: str, game: Game) -> Spec:
        """Parse a text, without creating the agent.

        Args:
            text: a spec; see `agents.naming.grammar`.
            game: game that the agent plays; its own agents are known.

        Raises:
            ValueError: `text` is not a spec, or the players of a user's game cannot be imported.
        """
        if not isinstance(text, str):
            raise ValueError(
                f"an agent's spec must be one of {', '.join(SPECS)}, got {shown(text)}"
            )
        return Spec(text, game, *split(text, known_agents(game)))

    def __str__(self) -> str:
        return self.text

    @property
    def name(self) -> str:
        """Name of the agent in the tables, or the user's module."""
        return self.text.partition(":")[0]

    @property
    def by_kind(self) -> dict[str, str]:
        """Given arguments by their names in the table."""
        kinds = self.entry.arguments if self.entry else FACTORY
        return dict(zip(kinds, self.arguments, strict=False))

    @property
    def inner(self) -> Spec | None:
        """The agent that this agent plays with, if there is one."""
        text = self.by_kind.get(_AGENT)
        return None if text is None else Spec.of(text, self.game)

    @property
    def uses_clock(self) -> bool:
        """Whether the agent has a time limit, so that its games differ from run to run."""
        if (inner := self.inner) is not None:
            return inner.uses_clock
        arguments = self.by_kind
        timed = any(seconds_of(part) is not None for part in arguments.values())
        return _COMMAND in arguments or timed

    @property
    def runs_user_code(self) -> bool:
        """Whether the agent runs user code or a command."""
        return is_user_code(self.text, self.game)

    def options(self) -> list[str]:
        """Return the names of the agent's options.

        Raises:
            ValueError: the game does not have the agent, or the agent cannot be imported.
        """
        return list(_parameters(_class_of(self._playable())))

    def with_time(self, time: str) -> Spec:
        """Return the agent with a thinking time for each move; itself if it does not search.

        Args:
            time: thinking time, such as `500ms`.

        Raises:
            ValueError: `time` is not a time, or the text already has simulations or a time.
        """
        if seconds_of(time) is None:
            raise ValueError(f"expected {MEANT}, got {time!r}")
        if self.entry is None or _TIME not in self.options():
            return self
        if self.entry.required:  # a command, which follows the time
            name, _, command = self.text.partition(":")
            if seconds_of(command.partition(":")[0]) is None:
                return Spec.of(f"{name}:{time}:{command}", self.game)
        elif not self.arguments:
            return Spec.of(f"{self.text}:{time}", self.game)
        raise ValueError(
            f"time {time!r} cannot be combined with {self.text!r}, which has its own limit: "
            "remove one"
        )

    def make(self, seed: int | None = None, **options: Any) -> Agent | Opponent:
        """Create the agent.

        Args:
            seed: seed of the agent's own randomness; `None` for a random one.
            **options: as for `agents.make`.

        Raises:
            ValueError: an option does not exist, or the agent cannot play this game.
        """
        if self.entry is None:
            factory = self.arguments[0]
            return self._users(
                lambda: import_object(self.name, factory)(self.game, seed, **options)
            )
        cls = _class_of(self._playable())
        parameters = _parameters(cls)
        for key in options:
            if key not in parameters:
                known = list(parameters) or "no options"
                raise ValueError(
                    f"agent {self.name!r} has no option {key!r}; it has {known}"
                    f"{did_you_mean(key, parameters)}"
                )
        for kind, argument in self.by_kind.items():
            self._set_option(kind, argument, parameters, options)
        if self.entry.module.startswith("agents."):
            return cls(self.game, seed=seed, spec=self.text, **options)
        return self._users(lambda: cls(self.game, seed=seed, spec=self.text, **options))

    def version(self, agent: Opponent) -> str:
        """Return the agent's version; agents of different versions may play differently.

        For an agent of this package, also if it is named by its module, the version has these
        parts:

        - the package's version;
        - the `play_version` of the agent's class, if it is above 1;
        - the number of cores that the agent may use, if it has a time limit;
        - the SHA-256 of the network file at the agent's `path`, if it uses a network.

        For a user's own agent, the version is the SHA-256 of its module's file. For an agent that
        plays with another agent, it is the version of that other agent. An agent may add to its
        version with an attribute `version`.

        Args:
            agent: the agent that `make` created.
        """
        if (inner := self.inner) is not None:
            return inner.version(getattr(agent, "agent", agent))
        module = self.entry.module if self.entry else self.name
        if module.startswith("agents."):
            parts = [f"boardenvs {boardenvs.__version__}"]
            play = getattr(agent, "play_version", 1)
            if play > 1:
                parts.append(f"play {play}")
            if not getattr(agent, "repeatable", True):
                threads = threads_for(agent.threads) if hasattr(agent, "threads") else cores()
                parts.append(f"by the clock on {min(threads, cores())} cores")
            network = getattr(agent, "path", None)
            if isinstance(network, Path) and network.is_file():
                parts.append(f"network {hashlib.sha256(network.read_bytes()).hexdigest()}")
        else:
            found = file_sha256(module)
            parts = [f"file {found}" if found else UNKNOWN]
        own = getattr(agent, "version", None)
        return ", ".join([*parts, *([own] if isinstance(own, str) else [])])

    def _playable(self) -> TableEntry:
        """Return the agent's entry; raise `ValueError` if it is for another game."""
        assert self.entry is not None
        if self.entry != agents_of(self.game).get(self.name):
            module = self.entry.module
            theirs = (name for name in GAMES if module.startswith(f"{folder_of(name)}."))
            raise ValueError(
                f"agent {self.name!r} supports only {next(theirs)}, got {self.game.name}"
            )
        return self.entry

    def _set_option(
        self,
        kind: str,
        argument: str,
        parameters: dict[str, inspect.Parameter],
        options: dict[str, Any],
    ) -> None:
        """Set the option that an argument stands for.

        Raises:
            ValueError: the option is given twice, or its value is not a whole number or, where
                supported, a time.
        """
        assert self.entry is not None
        name = kind.lower()
        if name not in parameters:
            raise ValueError(
                f"agent {self.name!r} does not support {kind}: {self.entry.cls} has "
                f"no parameter {name!r}"
            )
        whole = _is_whole(parameters[name].annotation)
        timed = whole and _TIME in parameters
        if timed and (seconds := seconds_of(argument)) is not None:
            if _TIME in options or name in options:
                given = _TIME if _TIME in options else name
                raise ValueError(f"agent {self.text!r} has a time limit: remove the option {given}")
            options[_TIME] = seconds
            return
        if name in options:
            raise ValueError(f"agent {self.text!r} already has {name}: remove the option {name}")
        if whole and not (argument.isascii() and argument.isdigit()):
            meant = f"a whole number or {MEANT}" if timed else "a whole number"
            raise ValueError(f"{kind} must be {meant}, got {argument!r} in agent {self.text!r}")
        options[name] = self.inner if kind == _AGENT else int(argument) if whole else argument

    def _users(self, make_it: Callable[[], Any]) -> Opponent:
        """Create an agent with user code; raise `ValueError` of one line for any failure."""
        try:
            agent: Opponent = make_it()
        except (Exception, SystemExit) as error:
            mistyped = isinstance(error, ModuleNotFoundError) and error.name == self.name
            meant = did_you_mean(self.name, known_agents()) if mistyped else ""
            raise ValueError(
                f"agent {self.text!r} cannot be made: {one_line(error)}{meant}"
            ) from error
        if not callable(getattr(agent, "act", None)):
            raise ValueError(
                f"agent {self.text!r} is {agent!r}; expected an object with act(states)"
            )
        if not hasattr(agent, "spec"):
            with contextlib.suppress(AttributeError):  # some objects accept no new attributes
                agent.spec = self.text  # type: ignore[attr-defined]
        return agent


@dataclass(frozen=True)
class PolicySpec(Spec):
    """A policy that a function makes; its text is only a label. It stays in its process."""

    make_agent: MakeAgent

    @classmethod
    def labelled(cls, label: str, game: Game, make_agent: MakeAgent) -> PolicySpec:
        """Return the policy of a function."""
        return cls(label, game, None, (), make_agent)

    @property
    def runs_user_code(self) -> bool:
        """Whether the policy runs user code; `False`, since the user has passed the function."""
        return False

    def with_time(self, time: str) -> Spec:
        """Return the policy itself, which has no known thinking time."""
        return self

    def make(self, seed: int | None = None, **options: Any) -> Opponent:
        """Create the policy.

        Raises:
            ValueError: the function fails, or it does not return an object with `act(states)`.
        """
        made = self.make_agent(self.game, seed, **options)
        if not callable(getattr(made, "act", None)):
            raise ValueError(
                f"make_agent must return an object with act(states), got {shown(made)}"
            )
        return made

    def version(self, agent: Opponent) -> str:
        """Return the attribute `version` of the policy, or "unknown"."""
        return str(getattr(agent, "version", UNKNOWN))


def specs_of(texts: Iterable[str], game: Game) -> list[Spec]:
    """Parse several texts for one game.

    Raises:
        ValueError: as `Spec.of`.
    """
    return [Spec.of(text, game) for text in texts]


def make(spec: str, game: Game | str, seed: int | None = None, **options: Any) -> Agent | Opponent:
    """Return an agent by its spec.

    Args:
        spec: one of `agents.SPECS`, or an agent that the game declares; see
            `agents.naming.grammar`. `trained:PATH` plays with the ONNX network at PATH, and
            `puct:SIMULATIONS:PATH` searches with it. `sb3:PATH` plays by a saved model of
            Stable-Baselines3. A time instead of SIMULATIONS, as in `puct:1s`, is the thinking time
            for each state. `MODULE:FACTORY` calls `FACTORY(game, seed)` of an importable module,
            which may be in the current folder. The factory returns an object with
            `act(states) -> actions`.
        game: a game, or the name of a game with default parameters.
        seed: seed of the agent's own randomness; `None` for a random one.
        **options: other parameters of the agent's class, such as `temperature` of
            `agents.players.trained.TrainedAgent`, or of the factory.

    Raises:
        ValueError: the agent or an option does not exist, or the agent cannot play this game.

    Example:
        >>> import agents, boardenvs
        >>> game = boardenvs.make("game112")
        >>> agents.make("mcts:50", game, seed=0).simulations
        50
    """
    return Spec.of(spec, resolve_game(game)).make(seed, **options)


def make_builtin(spec: str, game: Game) -> Agent | Opponent:
    """Return an agent as `make`, but run user code only if `agents.allow` allows it.

    The spec may therefore come from a file, such as the `EnvSpec` of an environment.

    Raises:
        ValueError: as `make`, or the spec names user code that is not allowed.
    """
    known = Spec.of(spec, game)
    if not is_allowed(spec, game):
        raise ValueError(
            f"{spec!r} is an agent of your own, and its name may come from a file: pass "
            f"agents.make({spec!r}, game), or call agents.allow({spec!r})"
        )
    return known.make(0)


def names_for(game: Game) -> list[str]:
    """Return the names of all agents that can play a game from its start."""
    names = []
    for name in agents_of(game):
        with contextlib.suppress(ValueError):
            check_can_play(make(name, game, seed=0), game.new(1, 0))
            names.append(name)
    return names


def _class_of(agent: TableEntry) -> Callable[..., Any]:
    """Return the class of an agent.

    Raises:
        ValueError: it is user code that cannot be imported.
    """
    try:
        cls: Callable[..., Any] = getattr(importlib.import_module(agent.module), agent.cls)
    except (Exception, SystemExit) as error:
        if agent.module.startswith("agents."):
            raise
        raise ValueError(f"agent {agent.name!r} cannot be made: {one_line(error)}") from error
    return cls


def _parameters(cls: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a class that are options: all but game, seed and spec."""
    parameters = [*inspect.signature(cls).parameters.items()][1:]
    return {key: value for key, value in parameters if key not in ("seed", "spec")}


def _is_whole(annotation: Any) -> bool:
    """Return whether a parameter's annotation, which may be text, includes int."""
    if isinstance(annotation, str):
        return "int" in (part.strip() for part in annotation.split("|"))
    return int in (annotation, *typing.get_args(annotation))
