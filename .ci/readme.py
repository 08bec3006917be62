"""A build hook of hatchling that makes the package's long description from the README.

The README's links and pictures are relative, so they work in a checkout. On a package index they
would be broken.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from hatchling.metadata.plugin.interface import MetadataHookInterface


class ReadmeHook(MetadataHookInterface):
    """A hook that sets `readme`. Its settings in pyproject.toml are `pages` and `images`."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        source = metadata.get("urls", {}).get("Source", "")
        pages, images = (address(source, self.config, name) for name in ("pages", "images"))
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": long_description(text, pages, images),
        }


def address(source: str, settings: dict[str, Any], name: str) -> str:
    """Return the base address of the repository's pages or images.

    Args:
        source: address of the repository, or an empty string.
        settings: settings of the hook.
        name: name of the setting. Its value may contain `{source}`.

    Returns:
        An address that ends with a slash; an empty string without a source.

    Raises:
        ValueError: the source is not a web address, or the setting is missing.
    """
    if not source:
        return ""
    parts = urlsplit(source)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise ValueError(f"Source in [project.urls] must be a web address, got {source!r}")
    setting = settings.get(name)
    if not isinstance(setting, str) or not setting:
        raise ValueError(
            f"{name} in [tool.hatch.metadata.hooks.custom] must be an address, got {setting!r}"
        )
    return setting.replace("{source}", source.rstrip("/")).rstrip("/") + "/"


def _outside_code(pattern: str) -> re.Pattern[str]:
    """Return a regular expression for a pattern in Markdown, or for code and comments (`code`)."""
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
    # The words may contain pictures, and brackets in code.
    _outside_code(rf"\[(?P<words>(?:!\[[^\[\]]*\]\([^()]*\)|`[^`]+`|[^\[\]`])*)\]{_TARGET}"): (
        "*{words}*"
    ),
    _outside_code(r"""<a\b [^>]*? \shref="(?P<target>[^"]*)" [^>]*> (?P<words>.*?) </a>"""): (
        "<em>{words}</em>"
    ),
}
"""Regular expressions of links, with the replacement of a link without an address. The words are
often a page's title, so italics separate them from the sentence."""
_TARGETS = _outside_code(
    r"""
    (?: \]\(\s*<? | ^[ ]{0,3}\[[^\[\]]+\]:\s*<? | \b(?:src|srcset|href|poster)\s*=\s*["']? )
    (?P<target>[^\s()<>"']+)
    """
)
"""A regular expression of all kinds of links in Markdown and HTML."""


def long_description(text: str, pages: str = "", images: str = "") -> str:
    """Return a Markdown page without relative links.

    Args:
        text: the page, from the root of the repository.
        pages: base address of relative links. Without it, only their words remain, in italics.
        images: base address of relative pictures. Without it, pictures are removed.

    Raises:
        ValueError: the syntax of a relative link is not supported.
    """
    for patterns, base in ((_IMAGES, images), (_LINKS, pages)):
        for pattern, instead in patterns.items():
            text = pattern.sub(partial(_with_base, base=base, instead=instead), text)
    for found in _TARGETS.finditer(text):
        if not found["code"] and _relative(found["target"]):
            raise ValueError(
                f"README.md: the link to {found['target']} must be written as [words](address), "
                '![words](address), <a href="address"> or <img src="address">'
            )
    return text


def _with_base(found: re.Match[str], base: str, instead: str) -> str:
    """Return a link or picture with the address under `base`, or `instead` without a base."""
    if found["code"] or not _relative(found["target"]):
        return found[0]
    if not base:
        return instead.format(words=found["words"]) if found["words"] else ""
    start, end = (place - found.start() for place in found.span("target"))
    return found[0][:start] + urljoin(base, found["target"]) + found[0][end:]


def _relative(target: str) -> bool:
    """Return whether a link refers to a file of the repository, not to a heading of its page."""
    parts = urlsplit(target)
    return bool(parts.path) and not parts.scheme and not parts.netloc
