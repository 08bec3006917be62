"""Complete games in a real browser: phone, tablet and desktop; mouse, touch and keys."""

import contextlib
import re
import threading

import pytest

from boardenvs import Episode

pytest.importorskip("starlette", reason="needs the extra [web]")
pytest.importorskip("uvicorn", reason="needs the extra [web]")
Error = pytest.importorskip("playwright.sync_api", reason="needs the extra [browser]").Error

SCREENS = [
    (390, 844, "dark"),
    pytest.param((1280, 800, "light"), marks=pytest.mark.slow),
    pytest.param((1920, 1080, "dark"), marks=pytest.mark.slow),
]


@pytest.fixture
def screen(chromium):
    """Yield the function `(width, height, scheme)` that opens a tab where no script may fail."""
    failed, contexts = [], []

    def start(width=1280, height=800, scheme="light", **more):
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, **more
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: failed.append(str(error)))
        return page

    yield start
    for context in contexts:
        context.close()
    assert failed == []


@pytest.fixture
def playing(screen, serving):
    """Yield the function that opens a game on a screen, with the arguments of `serving`."""
    with contextlib.ExitStack() as open_games:

        def start(*game, width=1280, height=800, scheme="light", touch=False, **params):
            served = open_games.enter_context(serving(*game, **params))
            tab = screen(width, height, scheme, has_touch=touch, is_mobile=touch)
            tab.goto(served.address)
            settled(tab)
            return tab

        yield start


def state(tab):
    """Return the page's state."""
    return tab.evaluate("({...episode.turn, moves: moves.length, version: episode.version})")


def until(tab, expression):
    """Wait until an expression is true in the page, which may reload meanwhile.

    The page's content security policy forbids Playwright's function for this.
    """
    for _ in range(3000):
        with contextlib.suppress(Error):
            if tab.evaluate(expression):
                return
        tab.wait_for_timeout(20)
    raise AssertionError(f"{expression} does not come true")


def settled(tab):
    """Wait until it is the person's turn, or the game is over."""
    until(tab, "!busy && !preparing && (episode.turn.mine || episode.turn.over) && now === end()")


def spots(tab):
    return tab.locator(".spot")


def play(tab, press):
    """Play the last place of the board, or the last button if there is none."""
    before = state(tab)["moves"]
    if spots(tab).count():
        press(spots(tab).last)
        if tab.locator("#choice").is_visible():
            press(tab.locator("#choice button").first)
    else:
        press(tab.locator("#elsewhere button").last)
    until(tab, f"moves.length > {before}")
    settled(tab)


@pytest.mark.parametrize("shape", SCREENS, ids=str)
def test_a_game_is_played_to_its_end_and_again(playing, shape):
    """A game ends with its result, and another one can start."""
    width, height, scheme = shape
    touch = width < 500
    tab = playing("game112", "random", 0, width=width, height=height, scheme=scheme, touch=touch)
    press = (lambda one: one.tap()) if touch else (lambda one: one.click())
    while not state(tab)["over"]:
        play(tab, press)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
    ended = tab.locator("#turn").inner_text()
    own = tab.evaluate("episode.players[0].result")
    assert ended.startswith({"+1": "You won", "-1": "Random won", "0": "Drawn"}[own])
    assert float(tab.locator("#turn").evaluate("e => getComputedStyle(e).fontSize")[:-2]) > 22
    assert tab.locator("#resign").is_disabled()
    version = state(tab)["version"]
    press(tab.get_by_role("button", name="Play the other side"))
    until(tab, f"episode.version > {version} && !preparing")
    settled(tab)
    assert tab.evaluate("episode.seat") == 1
    assert state(tab)["moves"] == 1
    assert tab.locator("#players .name").all_inner_texts() == ["Random", "You"]


def test_each_game_opens_and_is_played(playing, name):
    tab = playing(name, "random", 0)
    moves = state(tab)["moves"]
    for _ in range(3):
        if state(tab)["over"]:
            break
        play(tab, lambda one: one.click())
    assert state(tab)["moves"] > moves
    tab.keyboard.press("u")
    settled(tab)
    # Start a game with another size, if there are sizes, from the last seat.
    tab.keyboard.press("n")
    dialog = tab.get_by_role("dialog", name="New game")
    dialog.wait_for()
    for select in dialog.locator("#parameters select").all():
        select.select_option(index=0)
    dialog.locator("#opponent").select_option("random")
    seats = tab.evaluate("gamePicked().seats.length")
    if seats > 1:
        dialog.get_by_label("You play").select_option(str(seats - 1))
    version = state(tab)["version"]
    dialog.get_by_role("button", name="Start").click()
    until(tab, f"episode.version > {version} && !preparing")
    settled(tab)
    assert tab.evaluate("episode.seat") == seats - 1
    assert tab.evaluate("may.values") == tab.evaluate("may.games[0].values")
    assert state(tab)["moves"] < 30
    play(tab, lambda one: one.click())
    tab.set_viewport_size({"width": 390, "height": 844})  # the moves must be visible on a phone too
    tab.keyboard.press("End")
    box = tab.locator("#moves [aria-current]").bounding_box()
    assert box["x"] + box["width"] <= 390
    assert box["y"] + box["height"] <= 844


def test_size_opponent_and_seat_can_be_chosen(playing):
    tab = playing("gekitai", "random", 0)
    tab.get_by_role("button", name="New game").click()
    dialog = tab.get_by_role("dialog", name="New game")
    assert tab.evaluate("document.activeElement.id") == "parameter-0"
    dialog.get_by_label("Board").select_option("8 by 8")
    dialog.get_by_label("Opponent").select_option("Greedy")
    does = dialog.locator("#does").inner_text()
    assert does == "Looks one move ahead; number 2 of 6, the last is the strongest."
    dialog.get_by_label("You play").select_option("O")
    dialog.get_by_role("button", name="Cancel").click()
    assert dialog.is_hidden()
    tab.get_by_role("button", name="New game").click()
    dialog.get_by_role("button", name="Start").click()
    until(tab, "may.values[0] === 8 && moves.length === 1")
    settled(tab)
    assert tab.locator("#players .name").all_inner_texts() == ["Greedy", "You"]
    assert spots(tab).count() == 63
    # The current choices stay selected.
    tab.keyboard.press("n")
    assert dialog.get_by_label("Opponent").input_value() == "greedy"
    tab.keyboard.press("Escape")
    assert dialog.is_hidden()


def test_each_other_seat_has_its_own_opponent(playing):
    tab = playing("goat_race", "random", 0)
    tab.keyboard.press("n")
    dialog = tab.get_by_role("dialog", name="New game")
    labels = dialog.locator("#against label")
    assert labels.all_inner_texts() == ["Opponent, Black", "Opponent, Red"]
    dialog.get_by_label("Opponent, Red").select_option("Greedy")
    assert dialog.locator("#does").inner_text().startswith("Wants its goats ahead")
    dialog.get_by_label("You play").select_option("Black")
    assert labels.all_inner_texts() == ["Opponent, White", "Opponent, Red"]
    dialog.get_by_label("You play").select_option("by chance")
    assert labels.all_inner_texts() == ["Opponent, 1", "Opponent, 2"]
    dialog.get_by_label("Players").select_option("4")
    dialog.get_by_label("You play").select_option("Red")
    assert [one.input_value() for one in dialog.locator("#against select").all()] == [
        "random",
        "greedy",
        "greedy",
    ]
    dialog.get_by_role("button", name="Start").click()
    until(tab, "episode.players.length === 4")
    settled(tab)
    names = tab.locator("#players .name").all_inner_texts()
    assert names[:3] == ["Random (White)", "Greedy (Black)", "You"]
    assert names[3].startswith("Greedy (")


def test_offered_opponents_depend_on_the_size(playing):
    """Networks for a single size are not offered for other sizes."""
    tab = playing("game112", "random", 0)
    tab.keyboard.press("n")
    names = tab.locator("#opponent option")
    assert "Network" in names.all_inner_texts()
    tab.get_by_label("Opponent").select_option("trained")
    tab.get_by_label("Row").select_option("5 places")
    assert "Network" not in names.all_inner_texts()
    assert tab.get_by_label("Opponent").input_value() == "random"


def test_the_board_can_be_played_by_keys(playing):
    tab = playing("gekitai", "random", 0)
    assert spots(tab).evaluate_all("all => all.filter((one) => one.tabIndex === 0).length") == 1
    spots(tab).first.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowDown", "ArrowLeft"):
        tab.keyboard.press(key)
    focused = "document.activeElement.getAttribute('aria-label')"
    assert tab.evaluate(focused) == "B2"
    assert tab.evaluate("now") == 0  # the arrows moved over the board, not through the game
    tab.keyboard.press("Enter")
    until(tab, "moves.length === 2")
    settled(tab)
    assert tab.evaluate("moves[0].text") == "B2"
    # The focus stays on its cell, or moves beside the new piece.
    assert tab.evaluate(focused) in ("B2", "A2", "B1", "B3", "C2")
    tab.keyboard.press("m")
    assert tab.evaluate("document.activeElement.id") == "entry"
    tab.keyboard.type("u")  # typed into the field
    assert tab.locator("#entry").input_value() == "u"
    tab.keyboard.press("Escape")
    tab.keyboard.press("u")
    until(tab, "moves.length === 0")


def test_resigning_requires_confirmation(playing):
    tab = playing("gekitai", "random", 0)
    play(tab, lambda one: one.click())
    tab.keyboard.press("r")
    button = tab.locator("#resign")
    assert button.inner_text() == "Really resign?"
    tab.locator("#entry").focus()
    assert button.inner_text() == "Resign"
    button.click()
    button.click()
    tab.locator("#turn", has_text="You resigned.").wait_for()
    assert tab.get_by_role("button", name="Play again").is_visible()
    assert spots(tab).count() == 0
    tab.get_by_role("button", name="Undo").click()
    tab.locator("#turn", has_text="Your turn").wait_for()
    assert spots(tab).count() == 34


def test_a_game_can_be_saved_opened_and_replayed(playing, screen, tmp_path):
    tab = playing("gekitai", "random", 1)
    play(tab, lambda one: one.click())
    moves = tab.evaluate("moves.map((one) => one.text)")
    with tab.expect_download() as download:
        tab.keyboard.press("s")
    assert download.value.suggested_filename == "gekitai.json"
    path = tmp_path / "gekitai.json"
    download.value.save_as(path)
    assert len(Episode.load(path)) == 3
    with tab.expect_popup() as opened:
        tab.get_by_role("link", name="Replay").click()
    replay = opened.value
    replay.locator("#moves li").nth(3).wait_for()
    assert replay.locator("#panel").count() == 0
    assert replay.locator("#picture svg").count() == 1
    replay.close()
    # Continue in another program.
    other = playing("game112", "random", 0)
    # A listener must exist early, so that the browser opens a file chooser.
    other.on("filechooser", lambda chooser: None)
    for content, said in (
        (b"{}", "not an episode"),
        (path.read_bytes().replace(b"[", b"[1, ", 1), "damaged or edited"),
        (b" " * (2**22 + 1), "too large"),
    ):
        (tmp_path / "bad.json").write_bytes(content)
        with other.expect_file_chooser() as chooser:
            other.get_by_role("button", name="Open").click()
        chooser.value.set_files(tmp_path / "bad.json")
        other.locator("#problem", has_text=said).wait_for()
        assert other.evaluate("preparing || busy") is False
    with other.expect_file_chooser() as chooser:
        other.keyboard.press("o")
    chooser.value.set_files(path)
    until(other, "moves.length === 3")
    settled(other)
    assert other.evaluate("moves.map((one) => one.text)") == moves
    assert other.evaluate("episode.seat") == 1
    assert other.locator("#problem").inner_text() == ""
    play(other, lambda one: one.click())


def test_a_hint_marks_a_button(playing):
    """Two moves of 112 share a place, so the buttons mark the move of the hint."""
    tab = playing("game112", "random", 0, board_size=5)
    tab.keyboard.press("h")
    tab.locator(".hinted").wait_for()
    hinted = re.search(r"Hint: (\d) (\d)$", tab.locator("#turn").inner_text())
    text = hinted[0].removeprefix("Hint: ")
    tab.locator("#legal summary").click()
    marked = tab.locator("#choices .advised")
    assert marked.count() == 1
    assert marked.get_attribute("data-move") == text
    assert "(best)" in marked.text_content()
    tab.locator(f".spot[aria-label='{hinted[1]} 1 or {hinted[1]} 2']").click()
    assert tab.locator("#choice .advised").get_attribute("data-move") == text
    assert tab.locator("#choice button").count() == 2
    tab.locator("#choice .advised").click()
    until(tab, "moves.length === 2")
    settled(tab)
    assert tab.locator(".hinted, .advised").count() == 0


def test_an_analysis_marks_moves(playing):
    tab = playing("game112", "random", 0, board_size=5)
    button = tab.get_by_role("button", name="Analysis")
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    tab.locator("#thought", has_text="Perfect").wait_for()
    assert 1 <= tab.locator(".hinted").count() <= 3
    assert tab.locator(".share").count() >= 1
    balance = tab.locator("#balance")
    said = balance.get_attribute("aria-label")
    assert re.fullmatch(r"Expected result: You (\S+), Random (\S+)", said)
    own = float(re.search(r"You (\S+),", said)[1])
    tab.wait_for_timeout(400)  # until the bar has moved
    height = balance.locator(".part").nth(1).bounding_box()["height"]
    assert height == pytest.approx(balance.bounding_box()["height"] * (own + 1) / 2, abs=3)
    # The bar follows the game, forwards and backwards.
    play(tab, lambda one: one.click())
    until(tab, "advice.has(now)")
    tab.keyboard.press("ArrowLeft")
    until(tab, "advice.has(now)")
    assert tab.locator("#thought").inner_text().startswith("Perfect")
    tab.reload()
    settled(tab)
    tab.locator("#thought", has_text="Perfect").wait_for()
    tab.keyboard.press("a")
    assert tab.locator("#analysis").is_hidden()
    assert balance.is_hidden()
    assert tab.locator(".hinted, .share, .advised").count() == 0


@pytest.fixture
def go_on(monkeypatch):
    """Yield the event that analyses wait for."""
    from agents.play.web.adviser import Adviser

    event, judge = threading.Event(), Adviser.advise

    def slow(*arguments):
        assert event.wait(60)
        return judge(*arguments)

    monkeypatch.setattr(Adviser, "advise", slow)
    yield event
    event.set()


def test_a_move_does_not_wait_for_the_analysis(playing, go_on):
    tab = playing("game112", "random", 0)
    tab.keyboard.press("a")
    until(tab, "asking")
    play(tab, lambda one: one.click())
    assert state(tab)["moves"] == 2
    assert tab.evaluate("asking")
    go_on.set()
    until(tab, "advice.has(2)")


def test_buttons_stay_enabled_while_an_analysis_runs(playing, go_on):
    tab = playing("game112", "random", 0)
    play(tab, lambda one: one.click())
    tab.keyboard.press("a")
    until(tab, "asking")
    tab.get_by_role("button", name="Hint").click()
    tab.locator("#turn", has_text="Looking for a hint").wait_for()
    for name in ("Hint", "Undo", "Resign", "New game"):
        assert tab.get_by_role("button", name=name).is_enabled()
    tab.get_by_role("button", name="Undo").click()
    until(tab, "moves.length === 0 && !busy")
    tab.get_by_role("button", name="Hint").click()
    tab.locator("#resign").click()
    tab.locator("#resign").click()
    tab.locator("#turn", has_text="You resigned.").wait_for()
    version = state(tab)["version"]
    tab.get_by_role("button", name="New game").click()
    tab.locator("#start").click()
    until(tab, f"episode.version > {version} && !preparing")
    settled(tab)
    tab.get_by_role("button", name="Hint").click()
    until(tab, "asking")
    go_on.set()
    tab.locator("#turn", has_text=re.compile(r"Hint: \d \d$")).wait_for()


def test_a_failing_hint_is_reported(playing, monkeypatch):
    from agents.play.web.adviser import Adviser

    def fails(*_):
        raise ValueError("it is tired")

    monkeypatch.setattr(Adviser, "advise", fails)
    tab = playing("game112", "random", 0)
    for _ in range(2):  # a second request is possible
        tab.get_by_role("button", name="Hint").click()
        tab.locator("#problem", has_text="it is tired").wait_for()
    play(tab, lambda one: one.click())


def test_every_control_has_an_accessible_name(playing):
    tab = playing("gekitai", "random", 0)
    named = tab.evaluate(
        """() => [...document.querySelectorAll("button, input, select, a, summary, [role=button]")]
          .filter((one) => one.checkVisibility())
          .map((one) => one.ariaLabel || one.labels?.[0]?.textContent || one.textContent)"""
    )
    assert len(named) > 45
    assert all(named)
    assert tab.locator("#picture svg").get_attribute("role") == "group"
    assert tab.locator("#turn").get_attribute("role") == "status"
    assert tab.locator("#problem").get_attribute("role") == "alert"
