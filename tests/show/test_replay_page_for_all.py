"""Accessibility of the replay page: phones and desktops, light and dark, touch, screen readers."""

import re
from importlib import resources

import numpy as np
import pytest

import boardenvs
from boardenvs import Episode

SCREENS = [(390, 844), (1280, 800), (1920, 1080)]
OTHERS = [(320, 568), (844, 390), (820, 1180)]  # small phone, landscape phone, tablet
SCHEMES = ("light", "dark")
NAMES = ["Ann Lee", "Bob", "Cleo"]

# Contrast of each text with the topmost painted shape below its centre, as defined by the Web
# Content Accessibility Guidelines.
PALE_TEXTS = """() => {
  const rgb = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => rgb(color).slice(0, 3)
    .map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, k) => sum + [0.2126, 0.7152, 0.0722][k] * part, 0);
  const paint = (shape) => {
    const { fill, fillOpacity, stroke } = getComputedStyle(shape);
    if (shape.tagName === "line") return stroke;
    return fill === "none" || fillOpacity < 0.5 ? null : fill;
  };
  const found = [];
  for (const text of document.querySelectorAll("#picture text")) {
    const { left, top, width, height } = text.getBoundingClientRect();
    const under = document.elementsFromPoint(left + width / 2, top + height / 2)
      .filter((shape) => shape.closest("#picture svg"))
      .filter(({ tagName }) => !["text", "svg", "g"].includes(tagName))
      .map(paint).find(Boolean);
    const size = parseFloat(getComputedStyle(text).fontSize) * height / text.getBBox().height;
    const [one, other] = [light(getComputedStyle(text).fill), under ? light(under) : NaN];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const large = size >= 24 || (size >= 18.66 && getComputedStyle(text).fontWeight >= 700);
    if (!(contrast >= (large ? 3 : 4.5))) found.push([text.textContent, contrast, size]);
  }
  return found;
}"""
# Elements that exceed the picture, and elements wider than their place.
CUT = """() => {
  const found = [];
  const board = document.querySelector("#picture > svg").getBoundingClientRect();
  for (const shape of document.querySelectorAll("#picture text, #picture .piece")) {
    const box = shape.getBoundingClientRect();
    if (box.left < board.left - 1 || box.right > board.right + 1
        || box.top < board.top - 1 || box.bottom > board.bottom + 1) found.push(shape.textContent);
  }
  for (const part of document.querySelectorAll("body *:not(svg *, .unseen)")) {
    if (part.closest("#written, #moves") || getComputedStyle(part).display === "inline") continue;
    if (part.clientWidth && part.scrollWidth > part.clientWidth + 1) found.push(part.outerHTML);
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push("the whole page");
  return found;
}"""
# All visible or spoken words on the page, except the position as text.
WORDS = """() => {
  const seen = document.body.cloneNode(true);
  seen.querySelectorAll("script, noscript, #written pre").forEach((part) => part.remove());
  const said = [document.title];
  for (const part of seen.querySelectorAll("*")) {
    for (const node of part.childNodes) if (node.nodeType === 3) said.push(node.data);
    for (const name of ["title", "aria-label", "aria-valuetext", "placeholder", "alt"]) {
      if (part.hasAttribute(name)) said.push(part.getAttribute(name));
    }
  }
  return said.join("\\n");
}"""
PROGRAMMERS = re.compile(
    r"""(?i:\b(?:ply|plies|truncated|terminated|offender|seed|env|dtype|array|mask|spec|json|html|svg
    |null|undefined|nan|agent|policy|reward|params?|parameter|argument|boolean
    |integer|string|tuple|index|observation|legal|action|step|episode|batch|kernel|render)s?\b)
    |\b(?:True|False|None)\b|\w_\w|\w=\w|\[object|\w\(\w*\)|[a-z][A-Z]""",
    re.VERBOSE,
)


def random_game(name):
    """Return a complete random game."""
    game = boardenvs.make(name)
    rng = np.random.default_rng(1)
    start = game.new(1, 3)
    states, actions = start.copy(), []
    while not game.over(states)[0]:
        actions.append(int(rng.choice(np.flatnonzero(game.legal(states)[0]))))
        game.play(states, actions[-1:])
    return Episode(game, start, actions, NAMES[: game.num_players])


@pytest.fixture
def page(name, tmp_path):
    """Return the address of the page of a complete game."""
    path = tmp_path / "episode.html"
    random_game(name).save_html(path)
    return path.as_uri()


def shown(tab, page, key="End"):
    tab.goto(page)
    tab.keyboard.press(key)
    return tab


def is_in_window(tab, what):
    """Return whether an element is entirely in the window."""
    box, window = tab.locator(what).bounding_box(), tab.viewport_size
    return (
        min(box["x"], box["y"]) >= 0
        and box["x"] + box["width"] <= window["width"]
        and box["y"] + box["height"] <= window["height"]
    )


def test_the_board_fills_the_window(tab, page):
    for width, height in SCREENS + OTHERS:
        tab.set_viewport_size({"width": width, "height": height})
        for scheme in SCHEMES if (width, height) in SCREENS else SCHEMES[:1]:
            tab.emulate_media(color_scheme=scheme)
            for key in ("Home", "End"):
                shown(tab, page, key)
                box = tab.locator("#picture > svg").bounding_box()
                assert max(box["width"], box["height"]) >= 0.7 * min(width, height), (width, box)
                assert box["y"] + box["height"] <= height  # visible without scrolling
                assert width > height or is_in_window(tab, "#moves [aria-current]"), (width, height)
                assert tab.evaluate(CUT) == [], (width, height)
                assert tab.evaluate(PALE_TEXTS) == [], (width, height, scheme)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_page_has_no_accessibility_problems(tab, page, scheme):
    """axe-core finds no serious accessibility problem."""
    axe = pytest.importorskip("axe_playwright_python", reason="needs the extra [browser]")
    script = resources.files(axe).joinpath("axe.min.js").read_text(encoding="utf-8")
    tab.emulate_media(color_scheme=scheme)
    for width, height in SCREENS[:2]:
        tab.set_viewport_size({"width": width, "height": height})
        shown(tab, page)
        tab.evaluate(script)
        for key in ("Home", "t", "?"):
            tab.keyboard.press(key)
            found = tab.evaluate("axe.run()")
            wrong = [
                (one["id"], [node["html"][:150] for node in one["nodes"]][:3])
                for one in found["violations"]
                if one["impact"] in ("serious", "critical")
            ]
            assert wrong == [], (width, key)
            assert "color-contrast" in {one["id"] for one in found["passes"]}


def test_the_page_contains_no_technical_terms(tab, page):
    for key in ("Home", "End"):
        shown(tab, page, key)
        said = tab.evaluate(WORDS)
        assert "Moves of the game" in said
        assert [line for line in said.split("\n") if PROGRAMMERS.search(line)] == []


def test_players_are_listed_with_their_pieces(tab, page, name):
    """A player is shown next to a picture of the piece, or the name of the seat."""
    shown(tab, page)
    players = tab.locator("#players li").all()
    game = boardenvs.make(name)
    assert len(players) == game.num_players
    for seat, player in enumerate(players):
        assert NAMES[seat] in player.inner_text()
        if game.num_players > 1:
            symbol = player.locator(".symbol, .seat")
            assert symbol.is_visible()
            said = symbol.get_attribute("aria-label") or symbol.inner_text()
            assert said.upper() in game.seat_names[seat].upper()
    assert tab.locator("#result").inner_text().endswith(".")
    assert tab.locator("#result").bounding_box()["height"] >= 20


def test_the_page_can_be_used_by_touch(chromium, page):
    """Everything works by touch, and targets are large enough."""
    context = chromium.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    tab = context.new_page()
    tab.goto(page)
    tab.get_by_label("Next position").tap()
    assert tab.locator("#status").inner_text().startswith("1. ")
    tab.get_by_role("button", name="Rules").tap()
    assert tab.locator("#rules").is_visible()
    assert tab.locator("#rules").inner_text().count(".") > 3
    tab.get_by_role("button", name="Close").tap()
    assert tab.locator("#rules").is_hidden()
    assert tab.locator("#text").is_hidden()
    tab.locator("#written summary").tap()
    assert tab.locator("#text").is_visible()
    for button in tab.locator("button:visible").all():
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= 24, button.inner_text()
    context.close()


def test_keys_show_rules_and_text(tab, page):
    shown(tab, page)
    assert tab.locator("#text").is_hidden()
    tab.keyboard.press("t")
    assert tab.locator("#text").is_visible()
    tab.keyboard.press("t")
    assert tab.locator("#text").is_hidden()
    tab.keyboard.press("?")
    rules = tab.get_by_role("dialog", name="Rules")
    assert len(rules.inner_text()) > 200
    assert "##" not in rules.inner_text()
    before = tab.locator("#status").inner_text()
    tab.keyboard.press("Home")  # the dialog receives the keys
    assert tab.locator("#status").inner_text() == before
    tab.keyboard.press("Escape")
    assert rules.is_hidden()
