"""The frame of every HTML page of results, for light and dark, wide and narrow screens."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from importlib import resources

__all__ = ["html_page"]


def html_page(
    title: str, subtitle: str, body: Iterable[str], *, style: str = "", more: str = ""
) -> str:
    """Return a self-contained HTML page.

    Args:
        title: title as plain text.
        subtitle: plain text below the title.
        body: lines of HTML.
        style: additional CSS after the frame's.
        more: HTML after the body, such as a dialog and its script.
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
