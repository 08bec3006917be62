"""A game in words for people: its end, and its rules as its page has them."""

from __future__ import annotations

import functools
import html
import re
import sys
from collections.abc import Sequence
from importlib import resources

import numpy as np

from boardenvs.game import Game
from boardenvs.records import is_over

__all__ = ["end_in_words", "rules_html", "title_of"]


def title_of(game: Game) -> str:
    """What people call a game."""
    return game.title or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(game).__name__)


def end_in_words(game: Game, state: np.void, players: Sequence[str]) -> str:
    """How a game ended, such as `ann won by a line of three.`; empty while it goes on.

    Args:
        game: what is played.
        state: its last position.
        players: a name for each seat; a person who plays is `You`.
    """
    if not is_over(state):
        return ""
    if state["truncated"]:
        return (
            f"Nobody won: the game was stopped after {state['ply']} moves, as long as it may last."
        )
    if state["offender"] >= 0:
        return f"{players[state['offender']]} lost by an illegal move."
    reason = game.ended_by(state)
    returns = state["returns"]
    if game.num_players == 1:
        return reason or f"{players[0]} got {returns[0]:g}."
    winners = [name for name, value in zip(players, returns, strict=True) if value > 0]
    end, by = (f"{' and '.join(winners)} won", " by ") if winners else ("Drawn", ": ")
    return f"{end}{by}{reason}." if reason else f"{end}."


def rules_html(game: Game) -> str:
    """The rules as HTML: in short, for this very game, and in full, from the page of the game."""
    short = "".join(f"<li>{html.escape(rule, quote=False)}</li>" for rule in game.rules_in_short())
    full = _full_rules(game)
    if full:
        full = f"<details><summary>In full, for the usual game</summary>{full}</details>"
    return f"<ul>{short}</ul>{full}"


@functools.lru_cache(maxsize=64)
def _full_rules(game: Game) -> str:
    """The rules from the game's page; empty for a game without one."""
    module = sys.modules[type(game).__module__]
    if not hasattr(module, "__path__"):
        return ""  # no folder of its own
    page = resources.files(module) / "README.md"
    if not page.is_file():
        return ""
    found = re.search(
        r"^## Rules\n(.*?)(?=^## )", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    return "".join(map(_block, found[1].strip().split("\n\n"))) if found else ""


def _block(block: str) -> str:
    """A paragraph, or a numbered list."""
    items = re.split(r"^\d+\. ", block, flags=re.MULTILINE)
    if len(items) == 1 or items[0]:
        return f"<p>{_line(block)}</p>"
    return f"<ol>{''.join(f'<li>{_line(item)}</li>' for item in items[1:])}</ol>"


def _line(text: str) -> str:
    """Words with emphasis and code."""
    text = html.escape(" ".join(text.split()), quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)
