"""`boardenvs info`: facts about a game."""

from __future__ import annotations

import argparse
import inspect
import textwrap
from typing import Any

from agents.arguments import make_game
from agents.command.common.parser import Commands
from agents.naming.spec import make, names_for
from agents.networks.card import read_card, scores_on, shipped
from boardenvs.envs.playout import playout
from boardenvs.game import Game
from boardenvs.registration import GAMES, check_params, env_id

__all__ = ["add", "game_facts"]

_GAMES = 1000
"""Number of random games for the lengths, with seed 0."""


def add(commands: Commands) -> None:
    """Add the subcommand."""
    commands.add(
        "info",
        _run,
        "print facts about a game: rules, sizes, names, agents and the start",
        ["gekitai", "gomoku -p board_size=9"],
    )


def _run(options: argparse.Namespace) -> None:
    print(game_facts(make_game(options)), end="")


def game_facts(game: Game) -> str:
    """Return rules, sizes, names, agents and the start position of a game as text.

    Raises:
        ValueError: a shipped agent's card is damaged.
    """
    parts = [repr(game), *_rules(type(game)), "", "With these parameters:"]
    parts += _table(_sizes(game))
    parts += ["", "In code:"]
    parts += _table(_names(game), wrap=False)
    start = game.to_text(game.new(1, seed=0)[0])
    return "\n".join(parts) + f"\n\nThe start:\n\n{start}"


def _rules(cls: type[Game]) -> list[str]:
    """Return the lines of a game's description, and of its table of facts if it has one."""
    about, *more = inspect.cleandoc(cls.about).split("\n\n")
    for part in more:
        items = [" ".join(item.split()) for item in part.removeprefix("- ").split("\n- ")]
        if part.startswith("- ") and all(": " in item for item in items):
            return [about, "", *_table(dict(item.split(": ", 1) for item in items))]
    return [about] if about else []


def _sizes(game: Game) -> dict[str, str]:
    """Return facts that depend on the parameters, and the lengths of random games."""
    low, mean, high = _random_lengths(game)
    seats = ", ".join(game.seat_names)
    return {
        "Players": f"{game.num_players} ({seats})",
        "Actions": str(game.num_actions),
        "Observation": f"int8 {game.observation_shape}, 0 to {game.observation_high}",
        "Chance": "yes" if game.has_chance else "no",
        "Hidden": "yes" if game.has_hidden else "no",
        "Plies": f"{low} to {high}, mean {mean:.1f}, in {_GAMES:,} random games; "
        f"cut off after {game.max_plies}",
        "A position": f"{game.state_dtype.itemsize} bytes",
    }


def _names(game: Game) -> dict[str, str]:
    """Return the code that makes the game, its environments and agents."""
    agents = names_for(game)
    given: dict[str, Any] = {}
    for key, value in game.params.items():  # values that differ from the defaults
        try:
            check_params(type(game), given)
            default = type(game)(**given).params[key]
        except ValueError:  # a user's game may have parameters without defaults
            default = None
        if value != default:
            given[key] = value
    arguments = "".join(f", {key}={value!r}" for key, value in given.items())
    names = {
        "Game": f'boardenvs.make("{game.name}"{arguments})',
        "PettingZoo": f"{_env_function(game)}({arguments[2:]})",
        "Gymnasium": f'gym.make("{_home(game)}:{env_id(game.name)}"{arguments})',
        "Agents": ", ".join(agents),
    }
    if "trained" in agents:
        scores = scores_on(read_card(shipped(game)), game)
        names["Trained"] = (
            ", ".join(
                f"{score['score']:.3f} against {score['against']}".replace("against alone", "alone")
                for score in scores
            )
            or "not measured on this size"
        )
    return names


def _home(game: Game) -> str:
    """Return the module that Gymnasium must import first."""
    return "boardenvs" if game.name in GAMES else type(game).__module__


def _env_function(game: Game) -> str:
    """Return the code that makes PettingZoo's environment."""
    first = "" if game.name in GAMES else f"import {type(game).__module__}; "
    return f"{first}from boardenvs import {game.name}_v0; {game.name}_v0.env"


def _random_lengths(game: Game) -> tuple[int, float, int]:
    """Return the shortest, mean and longest length of random games in plies."""
    states = game.new(_GAMES, seed=0)
    agent = make("random", game, seed=0)
    playout(game, states, lambda part, _: agent.act(part))
    plies = states["ply"]
    return int(plies.min()), float(plies.mean()), int(plies.max())


def _table(facts: dict[str, str], *, wrap: bool = True) -> list[str]:
    """Return lines with names in one column and texts in another."""
    column = 2 + max(map(len, facts))
    lines = []
    for name, text in facts.items():
        first, *more = textwrap.wrap(text, 88 - column) if wrap else [text]
        lines.append(f"{name:{column}}{first}")
        lines += [" " * column + line for line in more]
    return lines
