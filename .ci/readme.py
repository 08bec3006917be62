"""The README as the package's long description, which hatchling asks for at every build.

Its links and pictures are relative, so that in a checkout they lead to the files beside it. On a
package index they would lead nowhere.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from hatchling.metadata.plugin.interface import MetadataHookInterface


class ReadmeHook(MetadataHookInterface):
    """Sets `readme`. Its settings, in pyproject.toml, are `pages` and `images`."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        source = metadata.get("urls", {}).get("Source", "")
        pages, images = (address(source, self.config, name) for name in ("pages", "images"))
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": long_description(text, pages, images),
        }


def address(source: str, settings: dict[str, Any], name: str) -> str:
    """Where the repository shows files of a kind.

    Args:
        source: the repository's address, or nothing.
        settings: of the hook.
        name: of the setting, in which `{source}` stands for the source.

    Returns:
        An address that ends in a slash; nothing without a source.

    Raises:
        ValueError: the source is no address of the web, or there is no such setting.
    """
    if not source:
        return ""
    parts = urlsplit(source)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise ValueError(f"Source in [project.urls] must be an address, got {source!r}")
    setting = settings.get(name)
    if not isinstance(setting, str) or not setting:
        raise ValueError(f"[tool.hatch.metadata.hooks.custom] must say where {name} are")
    return setting.replace("{source}", source.rstrip("/")).rstrip("/") + "/"


def _outside_code(pattern: str) -> re.Pattern[str]:
    """A pattern in Markdown, and as the group `code` what must be passed over to find it."""
    return re.compile(
        rf"""
        (?P<code>
            ^[ ]{{0,3}} (?P<fence>`{{3,}}|~{{3,}}) [^`\n]*$ .*?
            (?: ^[ ]{{0,3}}(?P=fence)[`~]*[ \t]*$ | \Z )
          | (?<!`) (?P<ticks>`+) (?!`) (?:(?!\n[ \t]*\n).)+? (?<!`)(?P=ticks)(?!`)
          | <!--.*?-->
        )
        | {pattern}
        """,
        re.VERBOSE | re.DOTALL | re.MULTILINE,
    )


_TARGET = r"""\( (?P<target>[^\s()<>]+) (?:\s+"[^"]*")? \)"""
_IMAGES = {
    _outside_code(rf"!\[(?P<words>)[^\[\]]*\]{_TARGET}"): "",
    _outside_code(r"""<img\b(?P<words>) [^>]*? \ssrc="(?P<target>[^"]*)" [^>]*>"""): "",
}
_LINKS = {
    # The words may have pictures, and brackets in code.
    _outside_code(rf"\[(?P<words>(?:!\[[^\[\]]*\]\([^()]*\)|`[^`]+`|[^\[\]`])*)\]{_TARGET}"): (
        "*{words}*"
    ),
    _outside_code(r"""<a\b [^>]*? \shref="(?P<target>[^"]*)" [^>]*> (?P<words>.*?) </a>"""): (
        "<em>{words}</em>"
    ),
}
"""By how they are written, what comes instead of one that can lead nowhere. A link's words are a
page's name, which in plain type would read as a part of its sentence. A picture's description tells
nobody anything where no picture can be."""
_TARGETS = _outside_code(
    r"""
    (?: \]\(\s*<? | ^[ ]{0,3}\[[^\[\]]+\]:\s*<? | \b(?:src|srcset|href|poster)\s*=\s*["']? )
    (?P<target>[^\s()<>"']+)
    """
)
"""Whatever leads somewhere, in all the ways that Markdown and HTML have."""


def long_description(text: str, pages: str = "", images: str = "") -> str:
    """A page of Markdown that reads well wherever it stands.

    Args:
        text: the page, which lies at the top of the repository.
        pages: where its relative links are made to lead. Without it their words remain, in italics.
        images: the same of its pictures. Without it they are left out.

    Raises:
        ValueError: a relative link is written in a way that is not known here.
    """
    for patterns, base in ((_IMAGES, images), (_LINKS, pages)):
        for pattern, instead in patterns.items():
            text = pattern.sub(partial(_led, base=base, instead=instead), text)
    for found in _TARGETS.finditer(text):
        if not found["code"] and _relative(found["target"]):
            raise ValueError(
                f"README.md: the link to {found['target']} must be written as [words](address), "
                '![words](address), <a href="address"> or <img src="address">'
            )
    return text


def _led(found: re.Match[str], base: str, instead: str) -> str:
    """A link or picture that leads to `base`; without a base what comes instead of it."""
    if found["code"] or not _relative(found["target"]):
        return found[0]
    if not base:
        return instead.format(words=found["words"]) if found["words"] else ""
    start, end = (place - found.start() for place in found.span("target"))
    return found[0][:start] + urljoin(base, found["target"]) + found[0][end:]


def _relative(target: str) -> bool:
    """Whether it leads to a file of the repository, and not only to a heading of the same page."""
    parts = urlsplit(target)
    return bool(parts.path) and not parts.scheme and not parts.netloc
