"""Play in a real browser, with real clicks and keys."""

import contextlib
import http.server
import re
import threading

import pytest

pytest.importorskip("starlette", reason="needs the extra [web]")
pytest.importorskip("uvicorn", reason="needs the extra [web]")


@pytest.fixture
def playing(tab, serving):
    """Yield the function that opens a game, with the arguments of `serving`."""
    with contextlib.ExitStack() as open_games:

        def start(*game, **params):
            served = open_games.enter_context(serving(*game, **params))
            tab.goto(served.address)
            return tab

        yield start


def my_turn(tab, moves):
    """Wait until `moves` moves were made and it is the person's turn."""
    tab.locator("#moves li").nth(moves).wait_for()
    tab.locator("#turn", has_text="Your turn").wait_for()


def spot(tab, name):
    """Return the place in the picture for the moves of this name."""
    return tab.locator(".spot").filter(has=tab.locator("title", has_text=re.compile(f"^{name}$")))


def told(tab):
    return [row.inner_text().split("\n") for row in tab.locator("#moves button").all()]


def test_clicks_undo_and_hint_work(playing):
    tab = playing("gekitai", "random", 0)
    my_turn(tab, 0)
    spot(tab, "B2").click()
    my_turn(tab, 2)
    assert told(tab)[1] == ["1.", "B2", "You"]
    tab.get_by_role("button", name="Hint").click()
    tab.locator(".hinted").wait_for()
    hinted = re.search(r"Hint: (\w\d)$", tab.locator("#turn").inner_text())[1]
    tab.locator("#legal summary").click()
    assert tab.locator("#choices .advised").inner_text().startswith(hinted)
    spot(tab, hinted).click()
    my_turn(tab, 4)
    assert told(tab)[3][1] == hinted
    assert tab.locator(".hinted").count() == 0
    tab.get_by_role("button", name="Undo").click()
    my_turn(tab, 2)
    assert tab.locator("#moves li").count() == 3
    tab.get_by_role("button", name="Undo").click()
    tab.locator("#moves li").nth(1).wait_for(state="detached")
    assert tab.get_by_role("button", name="Undo").is_disabled()


def test_a_typed_move_is_played(playing):
    tab = playing("gomoku", "random", 0, board_size=7)
    my_turn(tab, 0)
    tab.get_by_label("Your move").fill("99 z")
    tab.keyboard.press("Enter")
    tab.locator("#problem", has_text="99 z").wait_for()
    tab.get_by_label("Your move").fill("3 d")
    tab.keyboard.press("ArrowLeft")  # moves the cursor in the field, not the game
    tab.get_by_role("button", name="Move", exact=True).click()
    my_turn(tab, 2)
    assert tab.locator("#problem").is_hidden()
    assert told(tab)[1][1] == "3 D"
    # Earlier positions accept no moves.
    tab.locator("h1").click()
    tab.keyboard.press("ArrowLeft")
    assert tab.locator(".spot").count() == 0
    assert "earlier position" in tab.locator("#turn").inner_text()
    tab.keyboard.press("End")
    assert tab.locator(".spot").count() == 47


def test_a_game_can_be_played_from_the_list_and_a_new_one_started(playing):
    tab = playing("game112", "mcts:5", 0, board_size=5)
    moves = 0
    while True:
        tab.locator("#turn", has_text=re.compile("Your turn|won|Drawn")).wait_for()
        if "Your turn" not in tab.locator("#turn").inner_text():
            break
        if moves == 0:
            tab.locator("#legal summary").click()
        tab.locator("#choices button").last.click()
        moves += 1
        tab.locator("#moves li").nth(2 * moves - 1).wait_for()
    assert re.match(r"(You won|Searcher won|Drawn)\b.*\.$", tab.locator("#turn").inner_text())
    assert tab.locator("#typed").is_hidden()
    tab.keyboard.press("Home")
    tab.keyboard.press("ArrowRight")
    assert re.match(r"Searcher before move 2", tab.locator("#thought").inner_text())
    assert tab.locator("#curve polyline").count() == 1
    tab.get_by_role("button", name="Play again").click()
    my_turn(tab, 0)
    assert tab.locator("#moves li").count() == 1
    assert tab.locator("#analysis").is_hidden()


def test_hidden_tiles_stay_hidden(playing):
    tab = playing("dominoes175", "random", 0)
    my_turn(tab, 0)
    assert tab.locator("#picture text", has_text="?").count() == 28
    spot(tab, "0,0").click()
    my_turn(tab, 1)
    assert tab.locator("#picture text", has_text="?").count() == 27
    assert "Tile in hand: " in tab.locator("#text").text_content()
    # Both ends of a tile may fit a stack, unless it is a double.
    tab.locator(".spot").first.click()
    if tab.locator("#choice").is_visible():
        tab.locator("#choice button").first.click()
    my_turn(tab, 2)
    assert "Tile in hand: " not in tab.locator("#text").text_content()


def test_a_game_changed_in_another_window_is_reloaded(playing, chromium):
    """A page that is open twice does not mix two states of the game."""
    tab = playing("gekitai", "random", 0)
    my_turn(tab, 0)
    other = chromium.new_page()
    other.goto(tab.url)
    my_turn(other, 0)
    spot(other, "C3").click()
    my_turn(other, 2)
    other.close()
    with tab.expect_navigation():
        spot(tab, "D4").click()
    my_turn(tab, 2)
    assert told(tab)[1][1] == "C3"


def test_a_stopped_server_is_reported(chromium, serving):
    page = chromium.new_page()
    with serving("gekitai") as served:
        page.goto(served.address)
        my_turn(page, 0)
    spot(page, "A1").click()
    page.locator("#problem", has_text="The program behind this page has stopped.").wait_for()
    page.close()


class _Foreign(http.server.BaseHTTPRequestHandler):
    """Another site."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<h1>another site</h1>")

    def log_message(self, *args):
        pass


@pytest.fixture
def foreign():
    """Yield the address of another site's page."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Foreign) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_a_page_of_another_site_cannot_read_or_move(chromium, serving, foreign):
    """Another site can neither read the game nor move, even if it knows the token."""
    page = chromium.new_page()
    with serving("gekitai", "random", 0, 3) as served:
        before = served.ask()[2]
        page.goto(foreign)
        tried = page.evaluate(
            """async (address) => {
              const body = JSON.stringify({do: "move", move: "b2", version: 1});
              const json = {"Content-Type": "application/json"};
              const told = [];
              for (const [path, options] of [
                ["", {}],
                ["", {mode: "no-cors"}],
                ["act", {method: "POST", body, headers: json}],
                ["act", {method: "POST", body}],
                ["act", {method: "POST", body, mode: "no-cors"}],
              ]) {
                try { told.push(await (await fetch(address + path, options)).text()); }
                catch { told.push("refused"); }
              }
              return told;
            }""",
            served.address,
        )
        assert tried == ["refused"] * 5
        page.evaluate(
            """(address) => {
              const frame = document.createElement("iframe");
              frame.src = address;
              document.body.append(frame);
            }""",
            served.address,
        )
        page.locator("iframe").wait_for()
        assert page.frame_locator("iframe").locator("#moves").count() == 0
        # A form may post to any site, but not JSON.
        page.evaluate(
            """(address) => {
              const form = document.createElement("form");
              Object.assign(form, {method: "POST", action: address + "act", enctype: "text/plain"});
              const input = document.createElement("input");
              Object.assign(input, {
                name: '{"do": "move", "move": "b2", "version": 1, "x": "', value: '"}'});
              form.append(input);
              document.body.append(form);
              form.submit();
            }""",
            served.address,
        )
        page.wait_for_url("**/act")
        page.get_by_text("only the game's own page may do this").wait_for()
        assert served.ask()[2] == before
    page.close()
