"""Accessibility problems of the page, according to axe-core."""

from importlib import resources

import pytest

pytest.importorskip("starlette", reason="needs the extra [web]")
pytest.importorskip("uvicorn", reason="needs the extra [web]")
axe = pytest.importorskip("axe_playwright_python", reason="needs the extra [browser]")

SCRIPT = resources.files(axe).joinpath("axe.min.js").read_text(encoding="utf-8")
SERIOUS = ("serious", "critical")
STATES = {
    "turn": "",
    "hint": "document.getElementById('hint').click()",
    "dialog": "document.getElementById('begin').click()",
    "lists": "document.querySelectorAll('details').forEach((one) => { one.open = true; })",
    "end": "order({do: 'resign'})",
}


def complaints(tab):
    """Return the problems and their elements."""
    tab.evaluate(SCRIPT)
    found = tab.evaluate("axe.run()")["violations"]
    return [
        (one["id"], one["help"], [node["html"][:200] for node in one["nodes"]][:4])
        for one in found
        if one["impact"] in SERIOUS
    ]


@pytest.fixture
def opened(tab, serving, name):
    """Yield a tab with a game in which it is the person's turn."""
    with serving(name, "random", 0) as served:
        tab.goto(served.address)
        tab.locator("#turn", has_text="Your turn").wait_for()
        yield tab


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_the_page_has_no_serious_accessibility_problems(opened, scheme):
    tab = opened
    tab.emulate_media(color_scheme=scheme)
    told = {}
    for state, script in STATES.items():
        tab.evaluate(script)
        if state == "hint":
            tab.locator("#turn", has_text="Hint: ").wait_for()
        elif state == "end":
            tab.evaluate("document.getElementById('next').close()")
            tab.locator("#over").wait_for()
        if found := complaints(tab):
            told[state] = found
    assert told == {}


def test_the_accessibility_check_finds_problems(opened):
    opened.evaluate("document.getElementById('send').textContent = ''")
    opened.evaluate("document.getElementById('turn').style.color = '#ddd'")
    assert {"button-name", "color-contrast"} <= {one[0] for one in complaints(opened)}
