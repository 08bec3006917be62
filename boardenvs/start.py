"""The door of the `boardenvs` command, which stands in `agents`, if that is the right one."""

from __future__ import annotations

import sys

from boardenvs.inbox import open_early
from boardenvs.interrupts import guard
from boardenvs.named_players import find_command
from boardenvs.program import leave, prepare_streams

__all__ = ["main"]


def main() -> int:
    """Run the `boardenvs` command.

    Returns:
        The exit status: that of `agents.command.main`, or 2, after one line, where `agents` is not
        the package that belongs to `boardenvs`.
    """
    if sys.argv[1:2] == ["engine"]:
        prepare_streams()
        open_early(sys.argv[2:])
    try:
        command = find_command()
    except ValueError as error:
        print(f"boardenvs: error: {error}", file=sys.stderr)
        return 2
    status = command()
    guard()  # Python takes its time to leave, too
    return leave(status)
