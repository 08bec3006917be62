"""The `boardenvs` command.

Each subcommand is a module with its arguments and its action. Modules that take long to import are
imported when a subcommand runs, so that help and errors come at once.
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
    curves,
    demo,
    engine,
    info,
    play,
    probe,
    serve,
    train,
    watch,
)
from agents.command.common import completion
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
    probe,
    arena,
    benchmark,
    curves,
    engine,
    serve,
    bench,
    compile,
    completion,
)
"""The subcommands in the order of the help."""


def make_parser() -> argparse.ArgumentParser:
    """Return the command's parser with all subcommands."""
    commands = Commands()
    for subcommand in _SUBCOMMANDS:
        subcommand.add(commands)
    return commands.parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, or print its help if there are no words.

    Args:
        arguments: words after `boardenvs`; by default those of the process.

    Returns:
        The exit status: 0, 1 if a benchmark left a task out or a probe is wrong, 2 after an error,
        130 after Ctrl-C, 143 after SIGTERM.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        try:
            options = make_parser().parse_args(given or ["--help"])
        except SystemExit as stop:
            sys.stdout.flush()
            return int(stop.code or 0)
        options.command_line = shlex.join(["boardenvs", *given])
        with _plain_warnings():
            status: int = options.run(options) or 0
        sys.stdout.flush()
    except (ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # the reader, such as `head`, has ended
            drop_output()
            return 0
        message = " ".join(str(error).split())
        # It may quote a file with escape sequences.
        message = printable(message)
        print(f"boardenvs: error: {message}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        print(f"\nboardenvs: stopped{''.join(f'; {what}' for what in stop.args)}", file=sys.stderr)
        return exit_status(stop)
    return status


@contextlib.contextmanager
def _plain_warnings() -> Iterator[None]:
    """Print warnings on one line, without the place in the code."""
    kept = warnings.formatwarning
    warnings.formatwarning = lambda message, *_, **__: f"boardenvs: warning: {message}\n"
    try:
        yield
    finally:
        warnings.formatwarning = kept
