"""The README on package indexes has no broken links and is otherwise unchanged."""

import importlib.util
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
HOOK = ROOT / ".ci" / "readme.py"
if not HOOK.exists():
    pytest.skip("needs a checkout", allow_module_level=True)
_spec = importlib.util.spec_from_file_location("readme", HOOK)
readme = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(readme)

SOURCE = "https://example.org/somebody/boardenvs"
PAGES, IMAGES = f"{SOURCE}/blob/main/", f"{SOURCE}/raw/main/"
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture
def described(tmp_path):
    """Return the function that builds the description for a given address of the source."""
    for name in ("README.md", ".ci/readme.py", "boardenvs/__init__.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)

    def describe(source=None):
        config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        config["project"]["urls"] = {"Source": source} if source else {}
        core = ProjectMetadata(str(tmp_path), PluginManager(), config).core
        assert core.readme_content_type == "text/markdown"
        return core.readme

    return describe


def targets(text):
    """Return the targets of links and pictures outside of code blocks."""
    found = re.findall(r'\]\(([^)]*)\)|\b(?:src|href)="([^"]*)"', FENCED.sub("", text))
    return [inline or attribute for inline, attribute in found]


def is_relative(target):
    return not target.startswith(("https://", "#"))


@pytest.mark.parametrize("source", [SOURCE, f"{SOURCE}/"])
def test_links_lead_to_the_repository(described, source):
    text = described(source)
    before = targets(README.read_text(encoding="utf-8"))
    moved = [target for target in before if is_relative(target)]
    assert len(moved) > 20
    assert any(target.endswith(".svg") for target in moved)
    assert targets(text) == [
        target
        if not is_relative(target)
        else (IMAGES if target.endswith((".svg", ".png", ".gif")) else PAGES) + target
        for target in before
    ]
    # Everything else is unchanged.
    assert text.replace(PAGES, "").replace(IMAGES, "") == README.read_text(encoding="utf-8")


def test_relative_links_are_removed_without_an_address(described):
    text, before = described(), README.read_text(encoding="utf-8")
    assert targets(text) == [target for target in targets(before) if not is_relative(target)]
    assert FENCED.findall(text) == FENCED.findall(before)
    assert len(FENCED.findall(text)) > 3
    # Link texts and everything else are unchanged.
    gone = re.compile(r"!\[[^\]]*\]\((?!http)[^)]*\)|<img [^>]*>")
    words = re.sub(r"\[([^\]]*)\]\((?!http)[^)]*\)", r"*\1*", gone.sub("", before))
    assert text == words


@pytest.mark.parametrize(
    ("text", "with_address", "without"),
    [
        ("[a page](a/b.md#c)", f"[a page]({PAGES}a/b.md#c)", "*a page*"),
        ("[a\npage](./a.md)", f"[a\npage]({PAGES}a.md)", "*a\npage*"),
        ('[`a[0]`](a.md "title")', f'[`a[0]`]({PAGES}a.md "title")', "*`a[0]`*"),
        ("see ![a board](a.svg).", f"see ![a board]({IMAGES}a.svg).", "see ."),
        ("[![a](a.svg)](a.md)", f"[![a]({IMAGES}a.svg)]({PAGES}a.md)", ""),
        ("[![a](https://b/a.svg)](a.md)", f"[![a](https://b/a.svg)]({PAGES}a.md)", None),
        ('<img alt="a" src="a.png">', f'<img alt="a" src="{IMAGES}a.png">', ""),
        (
            '<a href="a.md"><img src="a.png"></a>',
            f'<a href="{PAGES}a.md"><img src="{IMAGES}a.png"></a>',
            "",
        ),
        ('<a href="a.md">a</a>', f'<a href="{PAGES}a.md">a</a>', "<em>a</em>"),
    ],
)
def test_every_supported_syntax_of_links_is_replaced(text, with_address, without):
    without = "*![a](https://b/a.svg)*" if without is None else without
    assert readme.long_description(text, PAGES, IMAGES) == with_address
    assert readme.long_description(text) == without


@pytest.mark.parametrize(
    "text",
    [
        "[here](#use)",
        "[there](https://example.org/a.md)",
        "[to us](mailto:us@example.org)",
        "![a badge](https://example.org/a.svg)",
        '<a href="#use">here</a> <a name="use"></a>',
        "`[a](b.md)` and ``[`a`](b.md)``",
        "text\n```python\n[a](b.md)\n`\n```\n[here](#use)",
        "~~~\n```\n[a](b.md)\n~~~",
        "````\n```\n[a](b.md)\n````",
        "```\n[a](b.md) to the end",
        '<!-- <img src="a.png"> -->',
        "an [array] (of values)",
        "[a]: https://example.org/b.md",
    ],
)
def test_absolute_links_and_code_are_unchanged(text):
    assert readme.long_description(text, PAGES, IMAGES) == text
    assert readme.long_description(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "[a][b]\n\n[b]: b.md",
        "[a [b] c](b.md)",
        "[a](<b.md>)",
        "<a href='b.md'>a</a>",
        '<img srcset="b.png 2x">',
        "a lone ` before\n\n[a [b] c](b.md) and another `",
    ],
)
def test_unsupported_syntax_is_refused(text):
    with pytest.raises(ValueError, match=r"the link to b\.\w+"):
        readme.long_description(text, PAGES, IMAGES)


def test_invalid_settings_are_refused():
    settings = {"pages": "{source}/tree", "images": ""}
    assert readme.address(SOURCE, settings, "pages") == f"{SOURCE}/tree/"
    assert readme.address("", {}, "pages") == ""
    with pytest.raises(ValueError, match="images"):
        readme.address(SOURCE, settings, "images")
    for source in ("example.org/somebody", "ftp://example.org", "https:", "git@example.org:a/b"):
        with pytest.raises(ValueError, match="Source"):
            readme.address(source, settings, "pages")
