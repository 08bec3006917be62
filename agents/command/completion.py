"""What a shell needs to complete the `boardenvs` command."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import shtab

import boardenvs
from agents.specs import NAMES

__all__ = ["completion_script"]

_WORDS = {"GAME": tuple(boardenvs.GAMES), "SPEC": NAMES}
"""What may stand where, by the argument's metavar."""


def completion_script(parser: argparse.ArgumentParser, shell: str) -> str:
    """A shell's script, which completes commands, options, games, agents and files.

    Args:
        parser: of the command; it is changed, and not to be used to parse any more.
        shell: bash, zsh, fish or tcsh.
    """
    _tell_words(parser)
    return str(shtab.complete(parser, shell)) + "\n"


def _tell_words(parser: argparse.ArgumentParser) -> None:
    """Say what may stand where, which parsing itself leaves to clearer errors."""
    for action in parser._actions:  # noqa: SLF001 as shtab itself does: there is no public list
        told: Any = action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for sub in action.choices.values():
                _tell_words(sub)
        elif action.type is Path:
            told.complete = shtab.DIRECTORY if action.metavar == "DIR" else shtab.FILE
        elif action.metavar in _WORDS:
            told.choices = _WORDS[str(action.metavar)]
