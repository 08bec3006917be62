"""The `boardenvs` command: everything the package does, from a terminal.

Each subcommand is a module, which says its arguments and what it does. What takes long to import
is imported where a subcommand runs, so that help and errors come at once.
"""

from __future__ import annotations

import argparse
import contextlib
import shlex
import sys
import warnings
from collections.abc import Iterator, Sequence

from agents.command import (
    analyse,
    arena,
    bench,
    benchmark,
    compile,  # noqa: A004 as it is typed
    completion,
    curves,
    demo,
    engine,
    info,
    play,
    train,
    watch,
)
from agents.command.common.parser import Commands
from boardenvs.cli import drop_output, exit_status
from boardenvs.core.checks import printable

__all__ = ["main", "make_parser"]

_SUBCOMMANDS = (
    demo,
    info,
    play,
    watch,
    analyse,
    train,
    arena,
    benchmark,
    curves,
    engine,
    bench,
    compile,
    completion,
)
"""In the order in which help shows them."""


def make_parser() -> argparse.ArgumentParser:
    """The command's parser, with all subcommands."""
    commands = Commands()
    for subcommand in _SUBCOMMANDS:
        subcommand.add(commands)
    return commands.parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: what stands after `boardenvs`; by default the process's own.

    Returns:
        The exit status: 0, 1 if a benchmark left a task out, 2 after an error, 130 after Ctrl-C,
        143 after SIGTERM.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        try:
            options = make_parser().parse_args(given)
        except SystemExit as stop:
            sys.stdout.flush()
            return int(stop.code or 0)
        options.command_line = shlex.join(["boardenvs", *given])
        with _plain_warnings():
            status: int = options.run(options) or 0
        sys.stdout.flush()
    except (ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # the reader, `head` say, has seen enough
            drop_output()
            return 0
        message = " ".join(str(error).split())
        # It may quote a file, whose escape sequences are not for the terminal.
        message = printable(message)
        print(f"boardenvs: error: {message}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        print(f"\nboardenvs: stopped{''.join(f'; {what}' for what in stop.args)}", file=sys.stderr)
        return exit_status(stop)
    return status


@contextlib.contextmanager
def _plain_warnings() -> Iterator[None]:
    """Warnings are for a person: one line, without the place in the code."""
    kept = warnings.formatwarning
    warnings.formatwarning = lambda message, *_, **__: f"boardenvs: warning: {message}\n"
    try:
        yield
    finally:
        warnings.formatwarning = kept
