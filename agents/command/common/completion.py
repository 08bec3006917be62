"""`boardenvs completion`: shell completion of the command."""

from __future__ import annotations

import argparse
import functools
from pathlib import Path
from typing import Any

import boardenvs
from agents.command.common.parser import Commands
from agents.naming.tables import NAMES

__all__ = ["add"]

_WORDS = {"GAME": tuple(boardenvs.GAMES), "SPEC": NAMES}
"""Possible words of an argument by its metavar."""


def add(commands: Commands) -> None:
    """Add the subcommand."""
    completion = commands.add(
        "completion",
        functools.partial(_run, commands.parser),
        "print a script for shell completion",
        ["bash > ~/.local/share/bash-completion/completions/boardenvs", "zsh > _boardenvs"],
        games=(),
    )
    completion.add_argument(
        "shell", choices=["bash", "zsh", "fish", "tcsh"], help="shell of the script"
    )


def _run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Print a script that completes commands, options, games, agents and files.

    The parser cannot parse afterwards.
    """
    import shtab

    _add_words(parser)
    print(shtab.complete(parser, options.shell))


def _add_words(parser: argparse.ArgumentParser) -> None:
    """Add the possible words to a parser's arguments."""
    import shtab

    for action in parser._actions:  # noqa: SLF001 as shtab itself does: there is no public list
        argument: Any = action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for sub in action.choices.values():
                _add_words(sub)
        elif action.type is Path:
            argument.complete = shtab.DIRECTORY if action.metavar == "FOLDER" else shtab.FILE
        elif action.metavar in _WORDS:
            argument.choices = _WORDS[str(action.metavar)]
