"""Every link on every page leads to an existing file and heading."""

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
def test_links(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for found in LINK.finditer(text):
        target, _, anchor = (found[1] or found[2]).partition("#")
        path = page.parent / target if target else page
        assert path.exists(), found[0]
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path), found[0]
