"""The replay page in a real browser, with real clicks and keys."""

import re

import numpy as np
import pytest

import boardenvs
from boardenvs import Episode
from boardenvs.show.analysis import Analysis, Try

GAME = boardenvs.make("game112", board_size=5)
MOVES = [7, 1, 4, 2]  # 4 2, 1 2, 3 1, 2 1: the second player makes 1, 1, 2


@pytest.fixture
def shown(tab, tmp_path):
    """Return the function that opens the page of an episode from disk."""

    def show(analysis=None, remarks=None):
        episode = Episode(GAME, GAME.new(1, seed=3), MOVES, ["ann", "bob"], analysis)
        path = tmp_path / "episode.html"
        episode.save_html(path, remarks)
        tab.goto(path.as_uri())
        return tab

    return show


def thoughts():
    """Return analyses of both moves of the first player, and none of the second."""
    start = Episode(GAME, GAME.new(1, seed=3), MOVES).states()
    legal = GAME.legal(start)
    visits = np.where(legal, np.arange(1, 11), 0)
    visits[2, 4] = 50
    return [
        Analysis.of_visits(visits[0], [0.5, -0.5]),
        None,
        Analysis.of_policy(visits[2] / visits[2].sum(), [-0.25, 0.25]),
        None,
    ]


def status(tab):
    return tab.locator("#status").inner_text()


def test_buttons_and_keys_change_the_position(shown):
    tab = shown()
    assert status(tab) == "Start"
    assert tab.get_by_label("Previous position").is_disabled()
    tab.get_by_label("Next position").click()
    assert status(tab) == "1. ann: 4 2"
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowRight")
    assert status(tab) == "3. ann: 3 1"
    tab.keyboard.press("ArrowLeft")
    assert status(tab) == "2. bob: 1 2"
    tab.keyboard.press("End")
    assert status(tab) == "4. bob: 2 1"
    assert tab.locator("#result").inner_text() == "bob won by 1, 1, 2 in a row."
    assert tab.get_by_label("Next position").is_disabled()
    tab.keyboard.press("Control+Home")  # left to the browser
    assert status(tab) == "4. bob: 2 1"
    tab.keyboard.press("Home")
    assert status(tab) == "Start"


def test_moves_slider_and_playback_change_the_position(shown):
    tab = shown()
    tab.get_by_role("button", name=re.compile("3. 3 1")).click()
    assert status(tab) == "3. ann: 3 1"
    assert tab.locator("[aria-current]").inner_text().split() == ["3.", "3", "1", "ann"]
    state = Episode(GAME, GAME.new(1, seed=3), MOVES).states()[3]
    assert tab.locator("#text").text_content() == GAME.to_text(state)
    assert tab.locator("#picture svg").get_attribute("aria-label") == "112 game: player 2 to move"
    tab.locator("#slider").focus()
    tab.keyboard.press("ArrowLeft")
    assert status(tab) == "2. bob: 1 2"
    tab.get_by_label("Play", exact=True).click()
    assert tab.get_by_label("Pause").is_visible()
    tab.get_by_text("bob won by 1, 1, 2 in a row.").wait_for()
    tab.get_by_label("Play", exact=True).wait_for()


def test_remarks_are_shown(shown):
    tab = shown(remarks={3: "This move gave the win away.", 0: "It <begins>."})
    remark = tab.locator("#remark")
    assert remark.inner_text() == "It <begins>."
    tab.keyboard.press("ArrowRight")
    assert remark.is_hidden()
    assert tab.locator("#slider").get_attribute("aria-valuetext") == "1. ann: 4 2"
    assert tab.locator("#moves .mark").count() == 2
    # The accessible name contains the remark, for people who cannot see the mark.
    move = tab.get_by_role("button", name="3. 3 1 This move gave the win away. ann")
    assert move.get_attribute("title") == "This move gave the win away."
    assert move.locator(".mark").is_visible()
    move.click()
    assert status(tab) == "3. ann: 3 1"
    assert remark.is_visible()
    assert remark.get_attribute("role") == "status"
    assert remark.inner_text() == "This move gave the win away."
    said = tab.locator("#slider").get_attribute("aria-valuetext")
    assert said == "3. ann: 3 1. This move gave the win away."
    tab.keyboard.press("End")
    assert remark.is_hidden()


def test_moves_without_remarks_are_not_marked(shown):
    tab = shown()
    assert tab.locator("#remark").is_hidden()
    assert tab.locator("#moves .mark").count() == 0


def test_without_analysis_the_section_is_hidden(shown):
    tab = shown()
    assert tab.locator("#analysis").is_hidden()
    assert tab.locator(".share").count() == 0
    assert tab.locator("#balance").is_hidden()


def test_the_line_and_proven_results_are_shown(shown):
    told = Analysis("visits", {7: 3, 1: 1}, (1.0, -1.0), line=(7, 1, 4), proven=True)
    tab = shown([told, Analysis("visits", {1: 2}, (0, 0), line=(1,)), None, None])
    assert tab.locator("#thought").inner_text() == (
        "ann before move 1 (expects +1.00, for certain): how often it tried each move"
    )
    assert tab.locator("#line").inner_text() == "Line: 4 2, 1 2, 3 1"
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#bars").is_visible()
    assert tab.locator("#line").is_hidden()


def test_prompts_and_answers_of_text_agents_are_shown(shown):
    prompt = "You play </script> & others.\nYour move?"
    tries = (
        Try(prompt, "<b>Move:</b> 9 9", "9 9 is no place"),
        Try(f"{prompt}\nAgain.", "Move: 4 2\n"),
    )
    once = Analysis("probabilities", {1: 1.0}, (None, None), tries=(Try("Go", "1 2"),))
    none = Analysis("probabilities", {}, (None, None), tries=(Try("Go", "", "no move"),))
    first = Analysis("probabilities", {7: 1.0}, (None, None), tries=tries)
    tab = shown([first, once, none, Analysis("visits", {2: 3}, (0, 0))])
    assert tab.locator("#thought").inner_text() == "ann before move 1: what it answered"
    assert tab.locator("#tries p").all_inner_texts() == [
        "Answer 1 of 2, refused: 9 9 is no place",
        "Answer 2 of 2",
    ]
    said = tab.locator("#tries > pre").all_text_contents()
    assert said == ["<b>Move:</b> 9 9", "Move: 4 2\n"]
    assert not tab.locator("#tries details pre").first.is_visible()
    tab.locator("#tries summary").first.click()
    assert tab.locator("#tries details pre").first.text_content() == prompt
    assert tab.locator("#bars").is_hidden()
    assert tab.locator(".share").count() == 0
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#tries p").all_inner_texts() == ["Its answer"]
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#tries p").all_inner_texts() == ["Its answer, refused: no move"]
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#tries").is_hidden()
    assert tab.locator("#bars").is_visible()


def test_the_analysis_of_the_players_is_shown(shown):
    tab = shown(thoughts())
    assert tab.locator("#thought").inner_text() == (
        "ann before move 1 (expects +0.50): how often it tried each move"
    )
    rows = [row.inner_text().split() for row in tab.locator("#bars tr").all()]
    assert rows[0] == ["5", "2", "10", "18%"]
    assert rows[-1] == ["and", "2", "more"]
    assert len(rows) == 9
    assert tab.locator("#bars .chosen").inner_text().split() == ["4", "2", "8", "15%"]
    widths = [bar.bounding_box()["width"] for bar in tab.locator("#bars .bar").all()]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 1.5 * widths[-1] > 0
    # A cell on the board shows the sum of its two actions.
    shares = sorted(mark.text_content() for mark in tab.locator(".share").all())
    assert shares == ["13%", "20%", "27%", "35%"]
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#thought").inner_text() == "No analysis of move 2"
    assert tab.locator("#bars").is_hidden()
    assert tab.locator(".share").count() == 0
    tab.keyboard.press("ArrowRight")
    assert (
        tab.locator("#thought").inner_text()
        == "ann before move 3 (expects -0.25): how likely it plays each move"
    )
    tab.keyboard.press("End")
    assert tab.locator("#thought").inner_text() == "The end"


def test_the_curve_of_expected_results_is_drawn(shown):
    tab = shown(thoughts())

    def points():
        [line] = tab.locator("#curve polyline").all()
        return [tuple(map(float, p.split(","))) for p in line.get_attribute("points").split()]

    (x0, first), (x2, third) = points()
    zero = (8 + 132) / 2
    assert first == pytest.approx(zero - 0.5 * 62)
    assert third == pytest.approx(zero + 0.25 * 62)
    assert (x0, x2) == (30, 30 + (392 - 30) / 2)
    assert tab.locator("#legend").inner_text().strip() == "as ann judges"
    tab.get_by_label("Evaluation for").select_option("bob")
    assert points()[0][1] == pytest.approx(zero + 0.5 * 62)
    # A click shows the position at this point.
    box = tab.locator("#curve").bounding_box()
    for k, said in ((3, "3. ann: 3 1"), (0, "Start"), (4, "4. bob: 2 1")):
        x = (30 + k / 4 * 362) / 400 * box["width"]
        tab.locator("#curve").click(position={"x": x, "y": box["height"] / 2})
        assert status(tab) == said
        assert tab.locator("#curve .now").get_attribute("d").startswith(f"M{30 + k / 4 * 362:g} ")


def test_the_bar_shows_the_expected_result(shown):
    tab = shown(thoughts())
    balance = tab.locator("#balance")

    def parts():
        return balance.locator(".part").evaluate_all("all => all.map((one) => +one.style.flexGrow)")

    assert parts() == [0, 0.75, 0.25]
    assert balance.get_attribute("aria-label") == "Expected result: ann +0.50, bob -0.50"
    tab.keyboard.press("ArrowRight")
    assert parts() == [1]  # no analysis
    assert balance.get_attribute("aria-label") == "No evaluation of this position"
    tab.keyboard.press("ArrowRight")
    assert parts() == [0, 0.375, 0.625]
    tab.keyboard.press("End")
    assert parts() == [0, 0, 1]
    assert balance.get_attribute("aria-label") == "Result: ann -1.00, bob +1.00"
    for width in (1000, 1920):  # upright beside the board, with the same height
        tab.set_viewport_size({"width": width, "height": 900})
        bar, board = (tab.locator(what).bounding_box() for what in ("#balance", "#picture > svg"))
        assert 0 < board["x"] - bar["x"] - bar["width"] < 20
        assert bar["height"] == pytest.approx(board["height"], abs=1)
    tab.set_viewport_size({"width": 390, "height": 844})  # horizontal above the board
    bar, board = (tab.locator(what).bounding_box() for what in ("#balance", "#picture > svg"))
    assert bar["y"] + bar["height"] <= board["y"]
    assert bar["width"] == pytest.approx(board["width"], abs=1)


def test_shares_do_not_cover_text(tab, tmp_path):
    game = boardenvs.make("pizza_order")
    states = game.restore({"wanted": [[2, 3, 4, 5]], "answers": []})
    told = [Analysis.of_visits(np.where(game.legal(states)[0], 9, 0), [0.5])]
    Episode(game, states, [2], None, told).save_html(tmp_path / "pizza.html")
    tab.goto((tmp_path / "pizza.html").as_uri())
    assert tab.locator(".share").count() == 5
    covered = """() => {
      const boxes = (what) => [...document.querySelectorAll(what)]
        .map((one) => one.getBoundingClientRect());
      const words = boxes("#picture text:not(.share text)");
      return boxes(".share").filter((share) => words.some((word) =>
        word.left < share.right && share.left < word.right
        && word.top < share.bottom && share.top < word.bottom)).length;
    }"""
    assert tab.evaluate(covered) == 0


def test_arrows_distinguish_moves_of_one_goat(tab, tmp_path):
    game = boardenvs.make("goat_race", num_players=2)
    states = game.new(1, 0)
    rng = np.random.default_rng(0)
    ways = []
    while len(ways) < 2:
        game.play(states, [rng.choice(np.flatnonzero(game.legal(states)[0]))])
        areas = {}
        for action in np.flatnonzero(game.legal(states)[0]).tolist():
            areas.setdefault(game.presentation.action_area(action, states[0]), []).append(action)
        ways = max((two for area, two in areas.items() if area), key=len)
    visits = np.zeros(game.num_actions, int)
    visits[ways] = 60, 40
    told = [Analysis.of_visits(visits, [0.5, -0.5])]
    Episode(game, states, ways[1:2], None, told).save_html(tmp_path / "goats.html")
    tab.goto((tmp_path / "goats.html").as_uri())
    assert tab.locator(".arrow").count() == 2
    targets = {}
    for action, look in zip(ways, ("share arrow ", "share arrow best"), strict=True):
        x, y, width, height = game.presentation.action_target(action, states[0])
        targets[look] = f"{x + width / 2:g} {y + height / 2:g}"
    drawn = "all => all.map((one) => [one.getAttribute('class'), one.getAttribute('d')])"
    for look, path in tab.locator(".arrow").evaluate_all(drawn):
        begin = game.presentation.action_area(ways[0], states[0])
        assert path.startswith((f"M{begin[0] + 21:g} ", f"M{begin[0] + 27:g} "))
        assert f" {targets[look]} " in path
    tab.keyboard.press("End")
    assert tab.locator(".arrow").count() == 0


def test_the_bar_has_a_part_for_each_of_three_seats(tab, tmp_path):
    """A seat without a value has no part, and the rest of the bar has no owner."""
    game = boardenvs.make("goat_race")
    visits = np.eye(1, game.num_actions, 5, int)[0]
    told = [
        Analysis.of_visits(visits, values) for values in ([0.4, -0.2, -0.2], [np.nan, np.nan, 0.1])
    ]
    Episode(game, game.new(1, 0), [0, 1], None, told).save_html(tmp_path / "goats.html")
    tab.goto((tmp_path / "goats.html").as_uri())
    grown = "all => all.map((one) => +(+one.style.flexGrow).toFixed(3))"
    assert tab.locator("#balance .part").evaluate_all(grown) == [0, 0.6, 0.2, 0.2]
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#balance .part").evaluate_all(grown) == [0.6, 0, 0, 0.4]
    assert tab.locator("#balance").get_attribute("aria-label").endswith(" +0.10")


def test_names_are_not_markup(tab, tmp_path):
    evil = "<img src=x onerror=alert(1)>"
    path = tmp_path / "episode.html"
    Episode(GAME, GAME.new(1, 3), MOVES, [evil, "bob"], thoughts()).save_html(path)
    tab.goto(path.as_uri())
    assert tab.locator("img").count() == 0
    assert evil in tab.locator("#thought").inner_text()
    assert evil in tab.locator("#viewpoint").inner_text()


@pytest.mark.parametrize("width", [320, 800, 1400])
def test_nothing_is_wider_than_the_page(shown, width):
    tab = shown(thoughts(), {2: "This move lost the game; the result before it is unknown."})
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowRight")
    tab.set_viewport_size({"width": width, "height": 700})
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
