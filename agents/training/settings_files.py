"""Settings of a training run from files, such as `training.toml` in the folder of a game."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from agents.naming.game_folders import files
from agents.naming.user_code import require_allowed
from agents.networks.sizes import SEVERAL, Games, common_params, games_of, size_parameter
from agents.training.settings import CloningSettings, GuidedSettings, Settings
from boardenvs.core.suggestion import did_you_mean
from boardenvs.game import Game

__all__ = ["read_settings", "settings_for", "settings_from", "settings_of_run"]

_TABLES = {"clone": CloningSettings, "guided": GuidedSettings, "values": CloningSettings}
"""Kinds of the settings that are tables."""


def settings_for(game: Game | Games, **changes: Any) -> Settings:
    """Return a game's settings, from its `training.toml` or the defaults, with changes.

    Args:
        game: the game to learn, or a tuple of the game on several board sizes.
        **changes: values of settings that replace those of the game.

    Raises:
        ValueError: as for `read_settings`.

    Example:
        >>> import boardenvs
        >>> from agents.training import settings_for
        >>> settings_for(boardenvs.make("game112"), ppo_steps=5000).ppo_steps
        5000
    """
    path = next(files(games_of(game)[0], "training.toml"), None)
    return settings_from(changes) if path is None else read_settings(path, game, **changes)


def read_settings(path: Path, game: Game | Games, **changes: Any) -> Settings:
    """Read a game's settings from a file, with changes.

    The TOML file contains the settings that differ from the defaults. Tables such as
    `["board_size=9"]` or `["num_players=3,4"]` contain further settings for these parameters;
    nested tables are merged.
    `["board_size=several"]` applies to training on several board sizes.

    Args:
        path: path of the file, which may name only code that `agents.allow` has allowed.
        game: the game to learn, or a tuple of the game on several board sizes.
        **changes: values of settings that replace those of the file.

    Raises:
        ValueError: the file cannot be read or is not valid TOML, a setting or a parameter is
            unknown, a value is out of range, or an agent is the user's own and not allowed.

    Example:
        >>> import boardenvs, pathlib, tempfile
        >>> from agents.training import read_settings
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "mine.toml")
        ...     _ = path.write_text("ppo_steps = 5000")
        ...     read_settings(path, boardenvs.make("game112")).ppo_steps
        5000
    """
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:  # invalid TOML or UTF-8
        raise ValueError(f"{path} is not valid TOML: {error}") from None
    try:
        settings = settings_from({**_for_parameters(found, games_of(game)), **changes})
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    require_allowed(settings.specs, str(path), games_of(game)[0])
    return settings


def _for_parameters(found: Mapping[str, Any], games: Games) -> dict[str, Any]:
    """Return the values of a file, merged with those of the conditions that the game meets."""
    params = common_params(games)
    values = {key: value for key, value in found.items() if "=" not in key}
    for condition in (key for key in found if "=" in key):
        name, _, wanted = condition.partition("=")
        if name not in params:
            known = f"its parameters are {', '.join(params)}{did_you_mean(name, params)}"
            raise ValueError(f"{condition!r}: {games[0].name} has no parameter {name!r}; {known}")
        if not isinstance(found[condition], dict):
            raise ValueError(f"{condition!r} must be a table, got {found[condition]!r}")
        several = len(games) > 1 and name == size_parameter(games)
        if (SEVERAL if several else str(params[name])) in wanted.split(","):
            for key, other in found[condition].items():
                both = isinstance(other, dict) and isinstance(values.get(key), dict)
                values[key] = {**values[key], **other} if both else other
    return values


def settings_from(values: Mapping[str, Any]) -> Settings:
    """Make settings from values of TOML or JSON.

    Raises:
        ValueError: a setting is unknown, or a value is out of range.
    """
    _check_names(Settings, values)
    given = _with_tuples(values)
    for part, kind in _TABLES.items():
        if isinstance(given.get(part), Mapping):
            _check_names(kind, given[part], f"{part}.")
            try:
                given[part] = kind(**_with_tuples(given[part]))
            except ValueError as error:
                raise ValueError(f"{part}.{error}") from None
    return replace(Settings(), **given)


def _with_tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values of TOML or JSON, with lists as tuples."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}


def settings_of_run(values: Mapping[str, Any], game: Game, where: str) -> Settings:
    """Make settings from a run's folder, which may name only code that `agents.allow` has allowed.

    Args:
        values: as for `settings_from`.
        game: game of the run.
        where: name of the file, for errors.

    Raises:
        ValueError: as for `settings_from`, or an agent is the user's own and not allowed.
    """
    settings = settings_from(values)
    require_allowed(settings.specs, where, game)
    return settings


def _check_names(kind: Any, values: Mapping[str, Any], prefix: str = "") -> None:
    known = [f.name for f in fields(kind)]
    for key in values:
        if key not in known:
            there = f"{', '.join(sorted(known))}{did_you_mean(key, known)}"
            raise ValueError(f"unknown setting {f'{prefix}{key}'!r}; the settings are {there}")
