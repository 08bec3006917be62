"""The frame of every page that reports results: light and dark, wide and narrow, in one file."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from importlib import resources

__all__ = ["html_page"]


def html_page(
    title: str, subtitle: str, body: Iterable[str], *, style: str = "", more: str = ""
) -> str:
    """One HTML page with all it needs inside: it works from disk.

    Args:
        title: a text.
        subtitle: a text.
        body: lines of HTML.
        style: CSS of this kind of page.
        more: HTML that follows the body, such as a dialog and its script.
    """
    values = {
        "title": html.escape(title),
        "subtitle": html.escape(subtitle),
        "body": "\n".join(body),
        "style": style,
        "more": more,
    }
    frame = (resources.files(__package__) / "page.html").read_text("utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], frame)
