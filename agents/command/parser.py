"""The parser of the `boardenvs` command, and what its subcommands have in common."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable
from typing import NoReturn

import boardenvs
from agents.arguments import add_game
from agents.specs import QUOTING, SPECS
from boardenvs.program import OneLineParser
from boardenvs.registration import game_class
from boardenvs.suggestion import did_you_mean

__all__ = ["Commands"]

_NAMES = (
    f"Games: {', '.join(boardenvs.GAMES)}. Agents: {', '.join(SPECS)}. {QUOTING}"  # below each help
)


class _Parser(OneLineParser):
    """A parser that says what may have been meant."""

    def error(self, message: str) -> NoReturn:
        refused = re.match(r".*invalid choice: '(.*?)' \(choose from (.*)\)$", message)
        if refused:
            message += did_you_mean(refused[1], re.findall(r"[\w-]+", refused[2]))
        stray = re.match(r"unrecognized arguments: -*([\w-]+)[= ](\S+)", message)
        if stray and (param := stray[1].replace("-", "_")) in _params():
            message += f"; a game's parameter is given by -p {param}={stray[2]}"
        super().error(f"{message} (see {self.prog} --help)")


def _params() -> set[str]:
    """The names of the parameters of all games."""
    classes = map(game_class, boardenvs.GAMES)
    return {name for cls in classes for name in inspect.signature(cls).parameters}


class Commands:
    """The command's parser, to which every subcommand adds its own."""

    def __init__(self) -> None:
        """There is no subcommand yet."""
        self.parser: argparse.ArgumentParser = _Parser(
            prog="boardenvs",
            description="Board games for reinforcement learning: play, watch, train, measure.",
            epilog=_NAMES,
        )
        self.parser.add_argument(
            "--version", action="version", version=f"boardenvs {boardenvs.__version__}"
        )
        self._parsers = self.parser.add_subparsers(
            title="commands", required=True, metavar="COMMAND"
        )

    def add(
        self,
        name: str,
        run: Callable[[argparse.Namespace], int | None],
        text: str,
        *,
        game: bool = True,
        optional: bool = False,
    ) -> argparse.ArgumentParser:
        """The parser of a subcommand, which is to get its arguments.

        Args:
            name: of the subcommand.
            run: what it does, given the options as they were typed. It may return an exit status.
            text: what it does, in words.
            game: whether it takes a game.
            optional: whether the game may be left out.
        """
        sub = self._parsers.add_parser(
            name, help=text, description=f"{text[0].upper()}{text[1:]}.", epilog=_NAMES
        )
        sub.set_defaults(run=run)
        if game:
            add_game(sub, optional=optional)
        return sub
