"""Links lead to existing files and headings, and ids of environments have one form."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *(
        page
        for name in (".github", "agents", "boardenvs", "tests")
        for page in sorted((ROOT / name).rglob("*.md"))
    ),
]
LINK = re.compile(r"\]\((?!https?:)([^)\s]*)\)|\bsrc=\"(?!https?:)([^\"]+)\"")

if not (ROOT / "README.md").exists():
    pytest.skip("needs a checkout", allow_module_level=True)


def anchors(page):
    """Return the anchors of a page's headings, as GitHub creates them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_existing_pages_and_headings(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for found in LINK.finditer(text):
        target, _, anchor = (found[1] or found[2]).partition("#")
        path = page.parent / target if target else page
        assert path.exists(), found[0]
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path), found[0]


def shown_texts():
    """Yield the path and the text of every page, notebook and module."""
    for path in [
        *PAGES,
        *(page for name in ("agents", "boardenvs") for page in (ROOT / name).rglob("*.py")),
    ]:
        yield path, path.read_text(encoding="utf-8")
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        yield path, "\n".join("".join(cell["source"]) for cell in cells)


def test_ids_of_gymnasium_name_the_module_to_import():
    """With a module before the colon, an id works without an import and in other processes."""
    found = [
        (path.name, made)
        for path, text in shown_texts()
        for made in re.findall(
            r"\bmake(?:_vec|_vec_env)?\(\s*(?:\.\.\. +)?[\"']([\w:]*boardenvs/[A-Z]\w*-v\d)", text
        )
    ]
    assert len(found) > 20
    assert [one for one in found if ":" not in one[1]] == []
