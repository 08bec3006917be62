"""The rules of a game for its page."""

from __future__ import annotations

import functools
import html
import re
import sys
from importlib import resources

from boardenvs.game import Game

__all__ = ["rules_html"]


def rules_html(game: Game) -> str:
    """Return the rules as HTML: a summary for these parameters, and the full text of the README."""
    rules = game.presentation.rules_in_short()
    short = "".join(f"<li>{html.escape(rule, quote=False)}</li>" for rule in rules)
    full = _full_rules(game)
    if full:
        full = f"<details><summary>Full rules of the default game</summary>{full}</details>"
    return f"<ul>{short}</ul>{full}"


@functools.lru_cache(maxsize=64)
def _full_rules(game: Game) -> str:
    """Return the rules from the game's README, empty for a game without README."""
    module = sys.modules[type(game).__module__]
    if not hasattr(module, "__path__"):
        return ""  # the game is a single file
    page = resources.files(module) / "README.md"
    if not page.is_file():
        return ""
    found = re.search(
        r"^## Rules\n(.*?)(?=^## )", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    return "".join(map(_block, found[1].strip().split("\n\n"))) if found else ""


def _block(block: str) -> str:
    """Return a paragraph or a numbered list as HTML."""
    items = re.split(r"^\d+\. ", block, flags=re.MULTILINE)
    if len(items) == 1 or items[0]:
        return f"<p>{_line(block)}</p>"
    return f"<ol>{''.join(f'<li>{_line(item)}</li>' for item in items[1:])}</ol>"


def _line(text: str) -> str:
    """Return text with emphasis and code as HTML."""
    text = html.escape(" ".join(text.split()), quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)
