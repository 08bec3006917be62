"""The parser of the `boardenvs` command and of its subcommands."""

from __future__ import annotations

import argparse
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import boardenvs
from agents.arguments import add_game
from agents.naming.grammar import QUOTING
from agents.naming.tables import SPECS
from boardenvs.cli import OneLineParser
from boardenvs.core.suggestion import did_you_mean
from boardenvs.registration import game_class

__all__ = ["Commands"]

_WIDTH = 78
_AGENTS = (
    f"Agents: {', '.join(SPECS)}.",
    "mixed:PERCENT:AGENT plays PERCENT of its moves at random and the others as AGENT, such as "
    "mixed:20:greedy.",
    "SIMULATIONS and NODES may be a time, such as mcts:500ms.",
    "boardenvs info GAME lists the agents of a game.",
    QUOTING,
)


def _filled(paragraphs: Iterable[str]) -> str:
    """Return paragraphs in lines, with an empty line between them."""
    return "\n\n".join(textwrap.fill(one, _WIDTH, break_on_hyphens=False) for one in paragraphs)


def _games(names: Iterable[str]) -> str:
    return f"Games: {', '.join(names)}."


def _examples(lines: Sequence[str]) -> str:
    return "\n".join(["examples:", *(f"  {line}" for line in lines)])


class _Parser(OneLineParser):
    """A parser whose errors suggest what may have been meant."""

    def error(self, message: str) -> NoReturn:
        refused = re.match(r".*invalid choice: '(.*?)' \(choose from (.*)\)$", message)
        if refused:
            message += did_you_mean(refused[1], re.findall(r"[\w-]+", refused[2]))
            if refused[1] in boardenvs.GAMES:
                message += f"; did you mean boardenvs play {refused[1]}?"
        stray = re.match(r"unrecognized arguments: -*([\w-]+)[= ](\S+)", message)
        if stray and (param := stray[1].replace("-", "_")) in _params():
            message += f"; a game's parameter is given by -p {param}={stray[2]}"
        super().error(f"{message} (see {self.prog} --help)")


class _SubcommandParser(_Parser):
    """A parser whose options may stand between its positional arguments."""

    _intermixed = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as `parse_known_intermixed_args`, which calls this method again in Python 3.11."""
        if self._intermixed:
            return super().parse_known_args(args, namespace)
        self._intermixed = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._intermixed = False


def _params() -> set[str]:
    """Return the names of the parameters of all games."""
    classes = map(game_class, boardenvs.GAMES)
    return {name for cls in classes for name in inspect.signature(cls).parameters}


class Commands:
    """The command's parser with the parsers of its subcommands."""

    def __init__(self) -> None:
        """Make a parser without subcommands."""
        self.parser: argparse.ArgumentParser = _Parser(
            prog="boardenvs",
            description="Board games for reinforcement learning: play, watch, train, measure.",
            epilog=_filled([_games(boardenvs.GAMES), " ".join(_AGENTS)])
            + "\n\n"
            + _examples(["boardenvs play gekitai", "boardenvs play --help"]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self.parser.add_argument(
            "--version", action="version", version=f"boardenvs {boardenvs.__version__}"
        )
        self._parsers = self.parser.add_subparsers(
            title="commands",
            required=True,
            metavar="COMMAND",
            parser_class=_SubcommandParser,
        )

    def add(
        self,
        name: str,
        run: Callable[[argparse.Namespace], int | None],
        text: str,
        examples: Sequence[str],
        *,
        games: Iterable[str] = tuple(boardenvs.GAMES),
        optional: bool = False,
        agents: bool = False,
    ) -> argparse.ArgumentParser:
        """Return a new subcommand's parser, to which the caller adds arguments.

        Args:
            name: name of the subcommand.
            run: function of the parsed options, which may return an exit status.
            text: description that starts with a verb.
            examples: two command lines, without `boardenvs` and the subcommand's name.
            games: games that the subcommand supports; empty if it has no GAME.
            optional: whether GAME is optional.
            agents: whether the subcommand has a SPEC.
        """
        names = tuple(games)
        paragraphs = [_games(names)] if names else []
        if agents:
            paragraphs.append(" ".join(_AGENTS))
        shown = [f"boardenvs {name} {line}".rstrip() for line in examples]
        sub = self._parsers.add_parser(
            name,
            help=text,
            description=textwrap.fill(f"{text[0].upper()}{text[1:]}.", _WIDTH),
            epilog="\n\n".join([*([_filled(paragraphs)] if paragraphs else []), _examples(shown)]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        sub.set_defaults(run=run)
        if names:
            add_game(sub, optional=optional)
        return sub
