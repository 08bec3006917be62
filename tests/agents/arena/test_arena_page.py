"""The page of an arena: its contents, without external resources."""

import json
import re
from html.parser import HTMLParser

import pytest

import boardenvs
from agents.arena import report, solos, wilson
from agents.arena.page import arena_page_html
from agents.arena.ratings import rate
from boardenvs.episode import Episode

NASTY = "my</script><b>&\"agent'"
AGENTS = ["random", "greedy", NASTY]


def pair(a, b, wins, draws, losses):
    """Return a pair's result as in the arena's JSON."""
    counts = {"wins": wins, "draws": draws, "losses": losses, "forfeits": [0, 0]}
    return {"a": a, "b": b, "games": wins + draws + losses, **counts}


PAIRS = [
    pair("random", "greedy", 34, 6, 960),
    pair("greedy", NASTY, 20, 0, 30),
]
EMPTY = {"input", "meta", "br", "link", "img"}


class Page(HTMLParser):
    """A parser of a page: tables as lists of rows, buttons, scripts, and closed tags."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tables, self.buttons, self.scripts, self.addresses = [], [], [], [], []
        self.words = ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.addresses += [attrs[k] for k in ("src", "href", "action") if k in attrs]
        if tag not in EMPTY:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self.tables[-1][-1].append("")
        elif tag == "button":
            self.buttons.append([attrs, ""])
        elif tag == "script":
            self.scripts.append("")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "script" in self.open:
            self.scripts[-1] += data
            return
        self.words += data
        if "td" in self.open or "th" in self.open:
            self.tables[-1][-1][-1] += data + ("|" if "td" in self.open else "")
        elif "button" in self.open:
            self.buttons[-1][1] += data

    @property
    def watched(self):
        return [button for button in self.buttons if "data-replay" in button[0]]

    @property
    def replays(self):
        return json.loads(self.scripts[0])


@pytest.fixture(scope="module")
def data(gekitai):
    return {
        "game": "gekitai",
        "params": gekitai.params,
        "seed": 7,
        "by_the_clock": [],
        "pairs": PAIRS,
        "seconds_per_move": {},
    }


@pytest.fixture(scope="module")
def ratings():
    return rate(PAIRS, AGENTS)


@pytest.fixture(scope="module")
def episodes(gekitai):
    games = [
        Episode.play(gekitai, ["random", "random"], seed, names=["greedy", NASTY])
        for seed in range(2)
    ]
    return {("greedy", NASTY): sorted(games, key=len)}


@pytest.fixture(scope="module")
def page(data, ratings, episodes):
    return Page(arena_page_html(data, ratings, episodes))


def test_the_heading_names_the_game_and_the_seed(page, gekitai):
    assert "Gekitai arena" in page.words
    assert f"{gekitai!r}, seed 7" in page.words


def test_the_page_lists_the_ratings(page, ratings):
    table = page.tables[0]
    assert [row[0] for row in table[1:]] == [r.agent for r in ratings] == AGENTS[::-1]
    assert table[3] == ["random", "0|", "fixed|", "", "", "1000|", "0.037|"]
    greedy = ratings[1]
    assert table[2][1:3] == [f"{greedy.elo:+.0f}|", f"{greedy.low:+.0f} to {greedy.high:+.0f}|"]
    assert table[1][3] == f"{ratings[0].lead.elo:+.0f}|"


def test_the_cross_table_has_every_pair(page):
    head, *rows = page.tables[1]
    assert head == ["", *AGENTS[::-1]]
    assert [row[0] for row in rows] == AGENTS[::-1]
    cells = [row[1:] for row in rows]
    low, high = wilson(37, 1000)
    assert cells[2][1] == f"0.037|{low:.3f} to {high:.3f}|34/6/960 of 1000|"
    assert cells[1][2] == f"0.963|{1 - high:.3f} to {1 - low:.3f}|960/6/34 of 1000|"
    assert cells[0][1].startswith("0.600|")
    assert cells[0][1].endswith("|30/0/20 of 50|")
    assert [cells[k][k] for k in range(3)] == [""] * 3
    assert (cells[0][2], cells[2][0]) == ("", "")  # these two did not meet


def test_results_of_one_pair_are_added_up(data, ratings):
    turned = pair(NASTY, "greedy", 3, 1, 6)
    page = Page(arena_page_html({**data, "pairs": [*PAIRS, turned]}, ratings))
    assert page.tables[1][1][2].endswith("|33/1/26 of 60|")


def test_the_shortest_and_longest_games_can_be_replayed(page, episodes):
    ((names, games),) = episodes.items()
    assert page.replays == [game.to_html() for game in games]
    for (attrs, words), which, game in zip(
        page.watched, ("shortest", "longest"), games, strict=True
    ):
        assert page.replays[int(attrs["data-replay"])] == game.to_html()
        assert attrs["title"] == f"{names[0]} against {names[1]}, {which} game"
        assert words == f"{which}: {len(game)} plies, {game.result}"


def test_a_page_without_games_has_no_replays(data, ratings):
    page = Page(arena_page_html(data, ratings))
    assert (page.watched, page.replays) == ([], [])
    assert "Games to watch" not in page.words


def test_the_page_loads_no_other_file(data, ratings, episodes):
    text = arena_page_html(data, ratings, episodes)
    assert not Page(text).addresses
    ours = text.replace(json.dumps(Page(text).replays).replace("<", "\\u003c"), "")
    addresses = set(re.findall(r"https?://[^\s\"'<]+", ours))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\(", ours)
    assert "prefers-color-scheme: dark" in ours


@pytest.mark.slow
def test_a_game_for_one_player_has_a_page():
    game = boardenvs.make("dominoes175")
    results = list(solos(game, ["random", "greedy"], 40, 0))
    episode = Episode.play(game, ["random"], 0)
    data = report(game, 0, results)
    page = Page(arena_page_html(data, [], {("random",): (episode, episode)}))
    for row, result in zip(page.tables[0][1:], results, strict=True):
        wins, (low, high) = result.scores.wins[0], result.scores.interval(0)
        interval = f"{low:.3f} to {high:.3f}|"
        assert row == [result.agent, f"{wins / 40:.3f}|", interval, f"{wins}/40|"]
    assert "Elo" not in page.words
    assert len(page.tables) == 1
    assert len(page.watched) == 2


def test_data_without_ratings_is_refused(data, refused):
    with refused("ratings"):
        arena_page_html(data)
    with refused("chess"):
        arena_page_html({**data, "game": "chess"})
