"""The entry point of the `boardenvs` command. Its subcommands are in `agents.command`."""

from __future__ import annotations

import sys

from boardenvs.cli import end_on_signals, leave, prepare_streams
from boardenvs.envs.named_players import agents_module
from boardenvs.inbox import open_early

__all__ = ["main"]


def main() -> int:
    """Run the `boardenvs` command.

    Returns:
        The exit status of `agents.command.main`, or 2 after a one-line error if `agents` is not
        the package that belongs to `boardenvs`.
    """
    end_on_signals()
    prepare_streams()
    if sys.argv[1:2] == ["engine"]:
        open_early(sys.argv[2:])
    try:
        status: int = agents_module("agents.command").main()
    except ValueError as error:
        print(f"boardenvs: error: {error}", file=sys.stderr)
        return 2
    return leave(status)
