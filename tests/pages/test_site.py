"""The first page of the site, as wide screens and phones show it."""

import subprocess
import sys
from pathlib import Path

import pytest

import boardenvs

pytestmark = pytest.mark.slow  # only .ci/run installs this extra
pytest.importorskip("sphinx", reason="needs the extra [docs]")

BUILD = Path(__file__).parents[2] / ".ci" / "site" / "build.py"
if not BUILD.exists():
    pytest.skip("needs a checkout", allow_module_level=True)

CUT_OFF = """() => [...document.querySelectorAll("article :is(pre, code, td, th, img)")].filter(
    e => e.getBoundingClientRect().right > window.innerWidth
        || (e.clientWidth && e.scrollWidth > e.clientWidth + 1)
).map(e => e.textContent)"""
"""Script that returns the texts of elements that are wider than the window or than their box."""


@pytest.fixture(scope="module")
def first_page(tmp_path_factory):
    """Return the file of the first page."""
    out = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, BUILD, out], check=True)
    return out / "index.html"


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["wide", "phone"])
def test_the_first_screen_has_a_picture_of_each_game(first_page, tab, size):
    tab.set_viewport_size({"width": size[0], "height": size[1]})
    tab.goto(first_page.as_uri())
    for game in boardenvs.GAMES:
        picture = tab.locator(f'a[href="boardenvs/{game}/README.html"] img').first
        box = picture.bounding_box()
        assert 40 < box["width"] <= size[0] - box["x"]
        assert 40 < box["height"] <= size[1] - box["y"]
        assert picture.evaluate("e => e.naturalWidth")


@pytest.mark.parametrize("width", [1280, 390])
def test_no_code_or_cell_is_cut_off(first_page, tab, width):
    tab.set_viewport_size({"width": width, "height": 800})
    tab.goto(first_page.as_uri())
    assert tab.locator("article pre").count() > 3
    assert tab.evaluate(CUT_OFF) == []
