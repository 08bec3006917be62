"""The page of an episode, with its players' analysis."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from episodes import EVIL, GAME112, THOUGHT, WON, shown_text, won
from hypothesis import given
from hypothesis import strategies as st
from players import First

import boardenvs
from boardenvs import Episode
from boardenvs.show.analysis import Analysis
from boardenvs.show.page import end_in_words


class Thinker(First):
    """A player of the first legal action that also returns an analysis."""

    def consider(self, states, words):
        analyses = [
            Analysis.of_visits(np.where(mask, np.arange(1, len(mask) + 1), 0), [0.5, -0.5])
            for mask in self.game.legal(states)
        ]
        return self.act(states), analyses


def test_play_records_the_analysis():
    players = [Thinker(GAME112), First(GAME112)]
    episode = Episode.play(GAME112, players, seed=1, analysis=True)
    plain = Episode.play(GAME112, players, seed=1)
    assert episode.actions == plain.actions
    assert plain.analysis == [None] * len(plain)
    assert [one is not None for one in episode.analysis] == [k % 2 == 0 for k in range(len(plain))]
    for one, mask in zip(episode.analysis[::2], GAME112.legal(episode.states())[::2], strict=False):
        assert one.kind == "visits"
        assert list(one.weights) == np.flatnonzero(mask).tolist()
        assert one.values == (0.5, -0.5)


def test_the_analysis_round_trips_through_a_file(tmp_path):
    told = Analysis("probabilities", {4: 0.5}, (None, 1), line=(4, 2), depth=3, proven=True)
    analysis = [Analysis.from_dict(THOUGHT), None, told]
    episode = won(analysis=[*analysis, None])
    path = tmp_path / "episode.json"
    episode.save(path)
    loaded = Episode.load(path)
    assert loaded == episode != won()
    assert loaded.analysis == [*analysis, None]


def test_invalid_analyses_are_refused():
    for analysis in ([None] * 3, "abcd", [None, None, None, THOUGHT]):
        with pytest.raises(ValueError, match=r"^analysis "):
            won(analysis=analysis)

    legal = GAME112.legal(GAME112.new(1))[0]
    for thought, message in (
        (Analysis("guess", {0: 1}, (0, 0)), "^kind .*'guess'"),
        (Analysis("visits", {0: 1}, (0, 0), tries=[]), "^tries "),
        (Analysis("probabilities", {0: 0.6, 2: 0.6}, (0, 0)), "^probabilities .*1.2"),
    ):
        with pytest.raises(ValueError, match=message):
            thought.check(GAME112, legal)

    class Liar(Thinker):
        def consider(self, states, words):
            return self.act(states), [Analysis("visits", {0: 0}, (0, 0))]

    with pytest.raises(ValueError, match=r"^action 1 of .* visits "):
        Episode.play(GAME112, [Liar(GAME112), "random"], seed=1, analysis=True)


def test_page_shows_the_analysis():
    assert Page(won().to_html()).episode["analysis"] is None
    analysis = [Analysis("visits", {2 * k: k + 1 for k in range(5)}, (0.5, None)), None, None, None]
    start = GAME112.from_dict({"board": [0] * 5})
    page = Page(Episode(GAME112, start, WON, analysis=analysis).to_html())
    [shown, *others] = page.episode["analysis"]
    assert others == [None] * 3
    assert (shown["seat"], shown["kind"], shown["values"]) == (0, "visits", [0.5, None])
    assert [one["text"] for one in shown["actions"]] == ["5 1", "4 1", "3 1", "2 1", "1 1"]
    assert [one["weight"] for one in shown["actions"]] == [5, 4, 3, 2, 1]
    assert sum(one["share"] for one in shown["actions"]) == pytest.approx(1, abs=1e-3)


def test_remarks_belong_to_actions():
    assert Page(won().to_html()).episode["remarks"] == {}
    remarks = {0: "One.", len(WON): "Two."}
    assert Page(won().to_html(remarks)).episode["remarks"] == {"0": "One.", str(len(WON)): "Two."}
    for number in (-1, len(WON) + 1, "1"):
        with pytest.raises(ValueError, match=f"remarks .* {number!r}$"):
            won().to_html({number: "One."})
    for remark in ("", None):
        with pytest.raises(ValueError, match=f"^remarks .* {remark!r}$"):
            won().to_html({1: remark})


def test_page_shows_the_best_actions_and_the_one_played():
    game = boardenvs.make("gekitai")
    weights = {action: action + 1 for action in range(36)}
    episode = Episode(game, game.new(1, 0), [3], analysis=[Analysis("visits", weights, (0, 0))])
    [shown] = Page(episode.to_html()).episode["analysis"]
    assert len(shown["actions"]) == 8
    assert shown["more"] == 28
    assert [one["text"] for one in shown["actions"] if one["chosen"]] == ["D1"]
    assert shown["actions"][0]["text"] == "F6"


def test_areas_of_actions_are_within_the_picture(game):
    """Areas of actions lie within the picture and do not overlap."""
    episode = Episode.play(game, ["random"] * game.num_players, seed=4)
    for state, mask in zip(episode.states(), game.legal(episode.states()), strict=True):
        box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', game.picture(state))
        legal = np.flatnonzero(mask).tolist()
        areas = {game.presentation.action_area(action, state) for action in legal}
        areas = sorted(areas - {None})
        assert areas or not mask.any()
        for k, (x, y, width, height) in enumerate(areas):
            assert 0 <= x < x + width <= float(box[1])
            assert 0 <= y < y + height <= float(box[2])
            for left, top, wide, high in areas[:k]:
                apart = (x - left - wide, left - x - width, y - top - high, top - y - height)
                assert max(apart) >= 0


class Page(HTMLParser):
    """A parsed page: its elements, texts and scripts."""

    def __init__(self, text):
        super().__init__()
        self.elements = []
        self.scripts = []
        self.texts = {}
        self._open = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        tag = self._open[-1] if self._open else None
        if tag == "script":
            self.scripts[-1] += data
        self.texts[tag] = self.texts.get(tag, "") + data

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def episode(self):
        return json.loads(self.scripts[0])


def frames(packed):
    return ["\n".join(packed["lines"][i] for i in frame) for frame in packed["frames"]]


def test_the_page_contains_the_game(game):
    players = [f"player {k} & <co>" for k in range(game.num_players)]
    episode = Episode.play(game, ["random"] * game.num_players, seed=2, names=players)
    page = Page(episode.to_html())
    data = page.episode
    states = episode.states()
    assert frames(data["texts"]) == [shown_text(game, state) for state in states]
    assert frames(data["pictures"]) == [game.picture(state) for state in states]
    assert [move["text"] for move in data["moves"]] == [
        game.action_to_text(action, state)
        for action, state in zip(episode.actions, states, strict=False)
    ]
    assert [move["ply"] for move in data["moves"]] == list(range(1, len(episode) + 1))
    assert [move["player"] for move in data["moves"]] == [
        players[s] for s in states["to_move"][:-1]
    ]
    assert [player["name"] for player in data["players"]] == players
    assert data["result"] == end_in_words(game, states[-1], players) != ""
    assert page.texts["title"] == f"{game.title}: {', '.join(players)}"
    assert page.texts["h1"] == game.title


def test_the_page_names_the_winner():
    results = [player["result"] for player in Page(won().to_html()).episode["players"]]
    assert results == ["-1", "+1"]
    tie = Episode(GAME112, GAME112.new(1, 0), [0, 2, 4, 6, 8])
    assert [p["result"] for p in Page(tie.to_html()).episode["players"]] == ["0", "0"]
    unfinished = Episode(GAME112, GAME112.new(1, 0), [0])
    assert [p["result"] for p in Page(unfinished.to_html()).episode["players"]] == ["", ""]


def test_the_page_loads_no_other_file():
    text = won().to_html()
    assert set(re.findall(r"https?:[^\s\"'\\]*", text)) == {"http://www.w3.org/2000/svg"}
    page = Page(text)
    for tag, attributes in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert not {"src", "href", "action", "srcset"} & set(attributes)
        assert tag != "form" or attributes == {"method": "dialog"}  # closes the rules
        assert not [key for key in attributes if key.startswith("on")]
    assert "@import" not in text
    assert "url(" not in text


def test_the_page_is_complete_html():
    text = won().to_html()
    assert text.startswith("<!DOCTYPE html>\n")
    assert "{{" not in text
    page = Page(text)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    code = page.scripts[1]
    asked = set(re.findall(r'getElementById\("(\w+)"\)', code))
    for named in re.findall(r"=\s+(\[[^\]]*\])\s+\.map\(\(id\) => document\.getElementById", code):
        asked |= set(json.loads(named))
    wanted = {"episode", "picture", "slider", "moves", "play", "rules", "bars", "curve"}
    assert wanted <= asked <= set(ids)
    steps = set(re.findall(r"(\w+): \(\) =>", code)) | {"last"}
    assert {button.get("data-to") for button in page.all("button")} - {None} == steps
    for control in page.all("button") + page.all("input"):
        assert control.get("aria-label") or control.get("title") or control == {}  # "Close"
    assert len(page.all("button")) == 7
    assert [slider["type"] for slider in page.all("input")] == ["range"]
    assert page.all("html")[0]["lang"] == "en"
    assert "prefers-color-scheme: dark" in page.texts["style"]
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in page.all(
        "meta"
    )


NAMES = st.text(st.characters(codec="utf-8"), min_size=1).filter(str.isprintable)


@given(NAMES | st.sampled_from(EVIL), NAMES | st.sampled_from([*EVIL, "<!--", "{{episode}}"]))
def test_names_are_escaped(one, two):
    plain = Page(won().to_html())
    episode = won(players=[one, two])
    page = Page(episode.to_html())
    assert page.elements == plain.elements
    assert page.scripts[1] == plain.scripts[1]
    assert [player["name"] for player in page.episode["players"]] == [one, two]
    assert page.texts["title"] == f"The 112 game: {one}, {two}"
    assert "<" not in page.scripts[0]


def test_an_episode_without_actions_has_a_page():
    data = Page(Episode(GAME112, GAME112.new(1, 0), []).to_html()).episode
    assert data["moves"] == []
    assert len(frames(data["texts"])) == 1


def test_page_shares_lines_between_positions():
    game = boardenvs.make("gekitai")
    played = [Episode.play(game, ["random", "random"], seed) for seed in range(10)]
    episode = max(played, key=len)
    whole = sum(len(game.picture(state)) for state in episode.states())
    assert len(episode.to_html()) < whole / 2


def test_save_html_writes_the_page(tmp_path):
    path = tmp_path / "episode.html"
    episode = won(players=["Žofia 😀", "bob"])
    episode.save_html(path)
    assert path.read_text(encoding="utf-8") == episode.to_html()


def test_notebooks_show_the_page_in_its_own_frame():
    episode = won(players=EVIL)
    page = Page(episode._repr_html_())
    [(tag, attributes)] = page.elements
    assert tag == "iframe"
    assert attributes["srcdoc"] == episode.to_html()
    assert attributes["sandbox"] == "allow-scripts"
    assert attributes["title"] == repr(episode)
