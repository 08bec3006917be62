"""`boardenvs completion`: what a shell needs to complete the command."""

from __future__ import annotations

import argparse
import functools
from pathlib import Path
from typing import Any

import boardenvs
from agents.command.common.parser import Commands
from agents.specs import NAMES

__all__ = ["add"]

_WORDS = {"GAME": tuple(boardenvs.GAMES), "SPEC": NAMES}
"""What may stand where, by the argument's metavar."""


def add(commands: Commands) -> None:
    """Add the subcommand."""
    completion = commands.add(
        "completion",
        functools.partial(_run, commands.parser),
        "print a script that lets a shell complete this command",
        ["bash > ~/.local/share/bash-completion/completions/boardenvs", "zsh > _boardenvs"],
        games=(),
    )
    completion.add_argument(
        "shell", choices=["bash", "zsh", "fish", "tcsh"], help="for which the script is"
    )


def _run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Print a script that completes commands, options, games, agents and files.

    The parser is changed, and not to be used to parse any more.
    """
    import shtab

    _say_what_completes(parser)
    print(shtab.complete(parser, options.shell))


def _say_what_completes(parser: argparse.ArgumentParser) -> None:
    """Say what may stand where, which parsing itself leaves to clearer errors."""
    import shtab

    for action in parser._actions:  # noqa: SLF001 as shtab itself does: there is no public list
        argument: Any = action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for sub in action.choices.values():
                _say_what_completes(sub)
        elif action.type is Path:
            argument.complete = shtab.DIRECTORY if action.metavar == "FOLDER" else shtab.FILE
        elif action.metavar in _WORDS:
            argument.choices = _WORDS[str(action.metavar)]
