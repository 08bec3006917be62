"""From an agent's spec, as a user types it, to the agent."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import typing
from collections.abc import Callable
from typing import Any

from agents.agent import Agent, check_can_play, one_line
from agents.clock import MEANT, seconds_of
from agents.games import folder_of
from agents.specs import Declared, Spec, agents_of, known_agents, parse
from agents.user_code import import_object, is_allowed
from boardenvs.core.suggestion import did_you_mean
from boardenvs.envs.interface import resolve_game
from boardenvs.envs.opponents import Opponent
from boardenvs.game import Game
from boardenvs.registration import GAMES

__all__ = ["make", "make_builtin", "names_for", "options_of", "with_time"]

_TIME = "time_limit"
"""The option that a time in a spec is about, in place of a whole number."""


def make(spec: str, game: Game | str, seed: int | None = None, **options: Any) -> Agent | Opponent:
    """Return an agent by its spec.

    Args:
        spec: one of `agents.SPECS`, or an agent that the game's own players declare; `agents.specs`
            has the grammar. `trained:PATH` plays the ONNX file at PATH, and
            `puct:SIMULATIONS:PATH` searches with that file as its guide. A time in place of the
            simulations, as in `puct:1s`, is how long the agent thinks about each state.
            `MODULE:FACTORY` calls `FACTORY(game, seed)` of an importable module, which may lie in
            the current folder. The factory returns an object with `act(states) -> actions`.
        game: a game, or the name of one with its default parameters.
        seed: of the agent's own randomness; `None` for a fresh one.
        **options: of that agent: the other parameters of its class, such as `temperature` of
            `agents.players.trained.TrainedAgent`, or of the factory.

    Raises:
        ValueError: there is no such agent or option, or it cannot be made for this game.

    Example:
        >>> import agents, boardenvs
        >>> game = boardenvs.make("game112")
        >>> agents.make("mcts:50", game, seed=0).simulations
        50
    """
    game = resolve_game(game)
    return _made(parse(spec, game), game, seed, options)


def make_builtin(spec: str, game: Game) -> Agent | Opponent:
    """As `make`, but nothing of a user's is imported or called that `agents.allow` has not named.

    So it takes a spec that a file may hold, such as the `EnvSpec` of an environment.

    Raises:
        ValueError: as `make`, or the spec names an agent of the user's own.
    """
    known = parse(spec, game)
    if not is_allowed(spec, game):
        raise ValueError(
            f"{spec!r} is an agent of your own, which is not made by its name here, since names "
            f"may come from files: give agents.make({spec!r}, game) itself"
        )
    return _made(known, game, 0, {})


def names_for(game: Game) -> list[str]:
    """The names of all agents that can play a game from its start."""
    names = []
    for name in agents_of(game):
        with contextlib.suppress(ValueError):
            check_can_play(make(name, game, seed=0), game.new(1, 0))
            names.append(name)
    return names


def options_of(name: str, game: Game) -> list[str]:
    """The options that an agent of a game has.

    Raises:
        ValueError: the game has no such agent, or it cannot be imported.
    """
    return list(_parameters(_class_of(_playable(parse(name, game), game))))


def with_time(spec: str, time: str, game: Game) -> str:
    """The spec of an agent that thinks for a time about each move; of one that does not, its own.

    Args:
        spec: of the agent, which says neither a number nor a time itself.
        time: as `agents.clock` has it.
        game: what it plays.

    Raises:
        ValueError: it is no time, or the spec says how much to think.
    """
    if seconds_of(time) is None:
        raise ValueError(f"expected {MEANT}, got {time!r}")
    known = parse(spec, game)
    if known.declared is None or _TIME not in _parameters(_class_of(_playable(known, game))):
        return spec
    if known.declared.required:  # a command, before which the time stands
        name, _, command = spec.partition(":")
        if seconds_of(command.partition(":")[0]) is None:
            return f"{name}:{time}:{command}"
    elif not known.arguments:
        return f"{spec}:{time}"
    raise ValueError(f"{spec!r} says itself how much it thinks: leave that out, or the time")


def _made(spec: Spec, game: Game, seed: int | None, options: dict[str, Any]) -> Agent | Opponent:
    if spec.declared is None:
        return _users(
            spec, lambda: import_object(spec.name, *spec.arguments)(game, seed, **options)
        )
    cls = _class_of(_playable(spec, game))
    parameters = _parameters(cls)
    for key in options:
        if key not in parameters:
            known = list(parameters) or "none"
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
    """What the table says of an agent that is one of the game's."""
    assert spec.declared is not None
    if spec.declared != agents_of(game).get(spec.name):
        theirs = (name for name in GAMES if spec.module.startswith(f"{folder_of(name)}."))
        raise ValueError(f"agent {spec.name!r} plays {next(theirs)} alone, not {game.name}")
    return spec.declared


def _class_of(agent: Declared) -> Callable[..., Any]:
    """The class of an agent.

    Raises:
        ValueError: it is a user's own, and cannot be imported.
    """
    try:
        cls: Callable[..., Any] = getattr(importlib.import_module(agent.module), agent.cls)
    except (Exception, SystemExit) as error:
        if agent.module.startswith("agents."):
            raise
        raise ValueError(f"agent {agent.name!r} cannot be made: {one_line(error)}") from error
    return cls


def _parameters(cls: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Those of a class that are options: all but the game, the seed and the spec."""
    parameters = [*inspect.signature(cls).parameters.items()][1:]
    return {key: value for key, value in parameters if key not in ("seed", "spec")}


def _tell(
    spec: Spec,
    number: int,
    argument: str,
    parameters: dict[str, inspect.Parameter],
    options: dict[str, Any],
) -> None:
    """Make an option of an argument that stands in a spec.

    Raises:
        ValueError: it is given twice, or no whole number where one is expected, nor a time where
            that will do.
    """
    assert spec.declared is not None
    kinds = spec.declared.arguments[: number + 1]
    name = kinds[-1].lower()
    if name not in parameters:
        raise ValueError(
            f"agent {spec.name!r} cannot be told {kinds[-1]}: {spec.declared.cls} has "
            f"no parameter {name!r}"
        )
    whole = _is_whole(parameters[name].annotation)
    timed = whole and _TIME in parameters
    if timed and (seconds := seconds_of(argument)) is not None:
        if _TIME in options or name in options:
            given = _TIME if _TIME in options else name
            raise ValueError(f"agent {spec.text!r} says how long it thinks; leave {given} out")
        options[_TIME] = seconds
        return
    if name in options:
        what = f"how many {name}" if whole else f"which {name}"
        raise ValueError(f"agent {spec.text!r} says {what}; leave the option out")
    if whole and not (argument.isascii() and argument.isdigit()):
        expected = ":".join([spec.name, *kinds])
        meant = f"a whole number, or {MEANT}" if timed else "a whole number"
        raise ValueError(f"agent {spec.text!r}: expected {expected}, {meant}")
    options[name] = int(argument) if whole else argument


def _is_whole(annotation: Any) -> bool:
    """Whether a parameter's annotation, which may be text, says that it is a whole number."""
    if isinstance(annotation, str):
        return "int" in (part.strip() for part in annotation.split("|"))
    return int in (annotation, *typing.get_args(annotation))


def _users(spec: Spec, make_it: Callable[[], Any]) -> Opponent:
    """Have a user's code make its agent; whatever goes wrong in it is told in one line."""
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
