"""Creation of agents from their specs."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import typing
from collections.abc import Callable
from typing import Any

from agents.agent import Agent, check_can_play, one_line
from agents.naming.game_folders import folder_of
from agents.naming.grammar import MEANT, seconds_of
from agents.naming.tables import Declared, Spec, agents_of, known_agents, parse
from agents.naming.user_code import import_object, is_allowed
from boardenvs.core.suggestion import did_you_mean
from boardenvs.envs.interface import resolve_game
from boardenvs.envs.opponents import Opponent
from boardenvs.game import Game
from boardenvs.registration import GAMES

__all__ = ["make", "make_builtin", "names_for", "options_of", "with_time"]

_TIME = "time_limit"
"""The option that a time in a spec sets, instead of a whole number."""


def make(spec: str, game: Game | str, seed: int | None = None, **options: Any) -> Agent | Opponent:
    """Return an agent by its spec.

    Args:
        spec: one of `agents.SPECS`, or an agent that the game declares; see `agents.naming.tables`.
            `trained:PATH` plays with the ONNX network at PATH, and `puct:SIMULATIONS:PATH` searches
            with it. `sb3:PATH` plays by a saved model of Stable-Baselines3. A time instead of
            SIMULATIONS, as in `puct:1s`, is the thinking time for each state. `MODULE:FACTORY`
            calls `FACTORY(game, seed)` of an importable module, which may be in the current folder.
            The factory returns an object with `act(states) -> actions`.
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
    game = resolve_game(game)
    return _made(parse(spec, game), game, seed, options)


def make_builtin(spec: str, game: Game) -> Agent | Opponent:
    """Return an agent as `make`, but run user code only if `agents.allow` allows it.

    The spec may therefore come from a file, such as the `EnvSpec` of an environment.

    Raises:
        ValueError: as `make`, or the spec names user code that is not allowed.
    """
    known = parse(spec, game)
    if not is_allowed(spec, game):
        raise ValueError(
            f"{spec!r} is an agent of your own, and its name may come from a file: pass "
            f"agents.make({spec!r}, game), or call agents.allow({spec!r})"
        )
    return _made(known, game, 0, {})


def names_for(game: Game) -> list[str]:
    """Return the names of all agents that can play a game from its start."""
    names = []
    for name in agents_of(game):
        with contextlib.suppress(ValueError):
            check_can_play(make(name, game, seed=0), game.new(1, 0))
            names.append(name)
    return names


def options_of(name: str, game: Game) -> list[str]:
    """Return the names of an agent's options.

    Raises:
        ValueError: the game does not have the agent, or the agent cannot be imported.
    """
    return list(_parameters(_class_of(_playable(parse(name, game), game))))


def with_time(spec: str, time: str, game: Game) -> str:
    """Return a spec with a thinking time for each move; unchanged if the agent does not search.

    Args:
        spec: spec without simulations or a time.
        time: thinking time, such as `500ms`.
        game: game that the agent plays.

    Raises:
        ValueError: `time` is not a time, or the spec already has simulations or a time.
    """
    if seconds_of(time) is None:
        raise ValueError(f"expected {MEANT}, got {time!r}")
    known = parse(spec, game)
    if known.declared is None or _TIME not in _parameters(_class_of(_playable(known, game))):
        return spec
    if known.declared.required:  # a command, which follows the time
        name, _, command = spec.partition(":")
        if seconds_of(command.partition(":")[0]) is None:
            return f"{name}:{time}:{command}"
    elif not known.arguments:
        return f"{spec}:{time}"
    raise ValueError(
        f"time {time!r} cannot be combined with {spec!r}, which has its own limit: remove one"
    )


def _made(spec: Spec, game: Game, seed: int | None, options: dict[str, Any]) -> Agent | Opponent:
    if spec.declared is None:
        return _users(
            spec, lambda: import_object(spec.name, *spec.arguments)(game, seed, **options)
        )
    cls = _class_of(_playable(spec, game))
    parameters = _parameters(cls)
    for key in options:
        if key not in parameters:
            known = list(parameters) or "no options"
            raise ValueError(
                f"agent {spec.name!r} has no option {key!r}; it has {known}"
                f"{did_you_mean(key, parameters)}"
            )
    for number, argument in enumerate(spec.arguments):
        _tell(spec, number, argument, parameters, options)
    if spec.module.startswith("agents."):
        return cls(game, seed=seed, spec=spec.text, **options)
    return _users(spec, lambda: cls(game, seed=seed, spec=spec.text, **options))


def _playable(spec: Spec, game: Game) -> Declared:
    """Return the declaration of an agent; raise `ValueError` if it is for another game."""
    assert spec.declared is not None
    if spec.declared != agents_of(game).get(spec.name):
        theirs = (name for name in GAMES if spec.module.startswith(f"{folder_of(name)}."))
        raise ValueError(f"agent {spec.name!r} supports only {next(theirs)}, got {game.name}")
    return spec.declared


def _class_of(agent: Declared) -> Callable[..., Any]:
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


def _tell(
    spec: Spec,
    number: int,
    argument: str,
    parameters: dict[str, inspect.Parameter],
    options: dict[str, Any],
) -> None:
    """Set the option that an argument of a spec stands for.

    Raises:
        ValueError: the option is given twice, or its value is not a whole number or, where
            supported, a time.
    """
    assert spec.declared is not None
    kinds = spec.declared.arguments[: number + 1]
    name = kinds[-1].lower()
    if name not in parameters:
        raise ValueError(
            f"agent {spec.name!r} does not support {kinds[-1]}: {spec.declared.cls} has "
            f"no parameter {name!r}"
        )
    whole = _is_whole(parameters[name].annotation)
    timed = whole and _TIME in parameters
    if timed and (seconds := seconds_of(argument)) is not None:
        if _TIME in options or name in options:
            given = _TIME if _TIME in options else name
            raise ValueError(f"agent {spec.text!r} has a time limit: remove the option {given}")
        options[_TIME] = seconds
        return
    if name in options:
        raise ValueError(f"agent {spec.text!r} already has {name}: remove the option {name}")
    if whole and not (argument.isascii() and argument.isdigit()):
        meant = f"a whole number or {MEANT}" if timed else "a whole number"
        raise ValueError(f"{kinds[-1]} must be {meant}, got {argument!r} in agent {spec.text!r}")
    options[name] = int(argument) if whole else argument


def _is_whole(annotation: Any) -> bool:
    """Return whether a parameter's annotation, which may be text, includes int."""
    if isinstance(annotation, str):
        return "int" in (part.strip() for part in annotation.split("|"))
    return int in (annotation, *typing.get_args(annotation))


def _users(spec: Spec, make_it: Callable[[], Any]) -> Opponent:
    """Create an agent with user code; raise `ValueError` of one line for any failure."""
    try:
        agent: Opponent = make_it()
    except (Exception, SystemExit) as error:
        mistyped = isinstance(error, ModuleNotFoundError) and error.name == spec.name
        meant = did_you_mean(spec.name, known_agents()) if mistyped else ""
        raise ValueError(f"agent {spec.text!r} cannot be made: {one_line(error)}{meant}") from error
    if not callable(getattr(agent, "act", None)):
        raise ValueError(f"agent {spec.text!r} is {agent!r}; expected an object with act(states)")
    if not hasattr(agent, "spec"):
        with contextlib.suppress(AttributeError):  # some objects accept no new attributes
            agent.spec = spec.text  # type: ignore[attr-defined]
    return agent
