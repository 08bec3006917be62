"""The list of games, and their registration with Gymnasium and PettingZoo.

Importing this package adds every game to Gymnasium's registry and makes its PettingZoo module,
such as `boardenvs.gekitai_v0`. From version 1.27 on, PettingZoo's registry contains that module.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Mapping
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from typing import TYPE_CHECKING, Any, TypeVar

import gymnasium

from boardenvs.core.checks import shown
from boardenvs.core.suggestion import did_you_mean

try:
    import pettingzoo
except OSError:  # PettingZoo reads its source files, which frozen programs lack
    pettingzoo = None

if TYPE_CHECKING:
    from boardenvs.game import Game

__all__ = [
    "GAMES",
    "check_params",
    "env_id",
    "game_class",
    "make",
    "names",
    "register",
    "register_all",
]

GAMES = {
    "gekitai": "Gekitai",
    "gomoku": "Gomoku",
    "game112": "Game112",
    "goat_race": "GoatRace",
    "dominoes175": "Dominoes175",
    "pizza_order": "PizzaOrder",
}
"""Class name of each game in `boardenvs.<name>`, by the game's name."""


_own: dict[str, type[Game]] = {}
"""Games that the user registered, by name."""
_Class = TypeVar("_Class", bound="type[Game]")


def names() -> list[str]:
    """Return the names of all games, including those that the user registered."""
    return [*GAMES, *_own]


def game_class(name: str) -> type[Game]:
    """Return the class of a game.

    Raises:
        ValueError: `name` is not the name of a game.
    """
    if not isinstance(name, str) or name not in names():
        hint = did_you_mean(name, names())
        raise ValueError(f"game must be one of {', '.join(names())}, got {shown(name)}{hint}")
    if name in _own:
        return _own[name]
    cls: type[Game] = getattr(importlib.import_module(f"boardenvs.{name}"), GAMES[name])
    return cls


def check_params(cls: type[Game], params: Mapping[str, Any], *takers: Callable[..., Any]) -> None:
    """Raise `ValueError` for a parameter that is unknown, or that is required and missing.

    Args:
        cls: class of the game.
        params: parameters by name.
        *takers: functions that took these parameters beside arguments of their own. The message
            names their arguments, too.
    """
    known = inspect.signature(cls).parameters
    for key in params:
        if key not in known:
            own = [argument for taker in takers for argument in _options(taker)]
            more = f"; the environment also takes {', '.join(own)}" if own else ""
            raise ValueError(
                f"{cls.name} has no parameter {key!r}; its parameters are {', '.join(known)}{more}"
                f"{did_you_mean(key, [*known, *own])}"
            )
    for key, parameter in known.items():
        if key not in params and _has_no_default(parameter):
            raise ValueError(f"{cls.name} requires the parameter {key!r}, which has no default")


def _options(function: Callable[..., Any]) -> list[str]:
    """Return the names of a function's arguments that have a default."""
    parameters = inspect.signature(function).parameters.values()
    return [one.name for one in parameters if one.default is not one.empty]


def _has_no_default(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter is required."""
    named = parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    return named and parameter.default is parameter.empty


def make(name: str, /, **params: Any) -> Game:
    """Create a game by name.

    Args:
        name: name of a game, one of `GAMES` or of a registered game.
        **params: parameters of the game, see its class and its page.

    Raises:
        ValueError: the game or a parameter is unknown, or a value is out of range.

    Example:
        >>> import boardenvs
        >>> boardenvs.make("gomoku", board_size=9).observation_shape[1:]
        (9, 9)
    """
    cls = game_class(name)
    check_params(cls, params)
    return cls(**params)


def env_id(name: str) -> str:
    """Return a game's id in Gymnasium's registry, such as `boardenvs/Gekitai-v0`.

    The id works after `import boardenvs`. Pages use `boardenvs:boardenvs/Gekitai-v0`, with which
    Gymnasium imports the package itself.

    Raises:
        ValueError: `name` is not the name of a game.
    """
    return f"boardenvs/{GAMES[name] if name in GAMES else game_class(name).__name__}-v0"


def register(cls: _Class) -> _Class:
    """Register your own game by its name. Can be used as a class decorator.

    Afterwards the game is available as

    - `boardenvs.make("NAME")`;
    - `gymnasium.make("MODULE:boardenvs/CLASS-v0")`, and `gymnasium.make_vec` with the same id;
      MODULE registers the class, and may be omitted in this process;
    - `from boardenvs import NAME_v0` for PettingZoo, with `NAME_v0.env` and `NAME_v0.raw_env`;
    - `pettingzoo.make("aec", "boardenvs/NAME_v0")` in this process, from PettingZoo 1.27 on.

    Saved episodes, agents and stores of the game can be loaded. The registration lasts until the
    process ends. The `boardenvs` command takes `MODULE:CLASS` as a game.

    Args:
        cls: subclass of `boardenvs.Game`. It replaces a registered class of the same name.

    Returns:
        The class itself.

    Raises:
        ValueError: `cls` is not a subclass of `boardenvs.Game`, its `name` is not a lower-case
            identifier, `name` or the class name belongs to one of the six games, or the rules are
            not valid.

    Example:
        >>> import boardenvs
        >>> from boardenvs.game112 import Game112
        >>> @boardenvs.register
        ... class ShortGame(Game112):
        ...     name = "short_game"
        ...     def __init__(self):
        ...         super().__init__(board_size=5)
        >>> boardenvs.make("short_game").num_actions
        10
        >>> boardenvs.short_game_v0.env().possible_agents
        ['player_0', 'player_1']
    """
    from boardenvs.game import Game

    if not isinstance(cls, type) or not issubclass(cls, Game):
        raise ValueError(f"cls must be a subclass of boardenvs.Game, got {shown(cls)}")
    name = getattr(cls, "name", None)
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name in GAMES:
        raise ValueError(
            f"{cls.__name__}.name must be lower-case letters, digits and underscores, other than "
            f"{', '.join(GAMES)}, got {name!r}"
        )
    if cls.__name__ in GAMES.values():
        raise ValueError(
            f"the class name of {name} must not be that of another game, got {cls.__name__}"
        )
    _check(cls)
    _own[name] = cls
    _add_everywhere(name)
    return cls


def _check(cls: type[Game]) -> None:
    """Check a game's rules and, if the game requires no parameters, run them once.

    Raises:
        ValueError: a function of the rules is missing or wrong.
        Exception: an exception of a function of the rules.
    """
    from boardenvs.core.rules import check_signatures, fields_fault, find_rules, run_once

    rules, _ = find_rules(cls)
    if rules.__name__.startswith("boardenvs."):  # a subclass of one of the six games
        return
    check_signatures(cls.name, rules)
    if any(map(_has_no_default, inspect.signature(cls).parameters.values())):
        return
    make_default: Callable[[], Game] = cls
    game = make_default()
    if fault := fields_fault(game):
        raise ValueError(f"{cls.name} {fault}")
    run_once(game)


def register_all() -> None:
    """Register every game with Gymnasium and PettingZoo, without warnings on a reload."""
    for name in GAMES:
        _add_everywhere(name)


def _add_everywhere(name: str) -> None:
    _make_module(name)
    _add_to_gymnasium(name)
    _add_to_pettingzoo(name)


def _make_module(name: str) -> None:
    """Make the game's PettingZoo module, such as `boardenvs.gekitai_v0`."""
    module = module_from_spec(ModuleSpec(f"boardenvs.{name}_v0", None))

    def make_attribute(attribute: str) -> Any:
        if attribute not in ("env", "raw_env"):
            raise AttributeError(f"module {module.__name__!r} has no attribute {attribute!r}")
        # On first use, since the environment's module imports Numba.
        env = pkgutil.resolve_name("boardenvs.envs.aec:make_env")(name)
        vars(module).update(env=env, raw_env=env)
        return env

    vars(module).update(
        __doc__=f"PettingZoo module of the game {name} with the functions `env` and `raw_env`.",
        __all__=["env", "raw_env"],
        __getattr__=make_attribute,
    )
    sys.modules[module.__name__] = module
    setattr(sys.modules["boardenvs"], f"{name}_v0", module)


def _add_to_gymnasium(name: str) -> None:
    gymnasium.registry.pop(env_id(name), None)  # a second registration would warn
    gymnasium.register(
        env_id(name),
        entry_point="boardenvs.envs.single:SeatEnv",
        vector_entry_point="boardenvs.envs.vector:SeatVectorEnv",
        kwargs={"game": name},
    )


def _add_to_pettingzoo(name: str) -> None:
    if not hasattr(pettingzoo, "register"):  # before PettingZoo 1.27
        return
    pettingzoo.aec_registry.pop(f"boardenvs/{name}-v0", None)  # a second registration would warn
    pettingzoo.register("aec", f"boardenvs/{name}_v0", f"boardenvs.{name}_v0:env")
