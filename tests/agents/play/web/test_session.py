"""A person's game against agents: moves, undo, hints, and the page's data."""

import json
import re

import numpy as np
import pytest
from two_games import others_slow
from variants import first_variant

import boardenvs
from agents.naming.spec import specs_of
from agents.play.web.session import Session

# Each game with defaults and a person in the last seat, and as a variant with a person in the
# first.
GAMES = [(name, {}, -1) for name in boardenvs.GAMES]
GAMES += [(name, first_variant(name), 0) for name in boardenvs.GAMES]


@pytest.fixture(
    params=others_slow(GAMES), ids=lambda one: f"{one[0]}-{'last' if one[2] else 'first'}"
)
def session(request):
    name, params, seat = request.param
    game = boardenvs.make(name, **params)
    # A deterministic adviser makes hints comparable.
    opponent, adviser = specs_of(["random", "greedy"], game)
    return Session(game, [opponent], range(game.num_players)[seat], seed=5, adviser=adviser)


class Page:
    """The page's state, updated by news."""

    def __init__(self, session):
        told = json.loads(re.search(r'type="application/json">(.*?)</script>', session.page())[1])
        self.texts = self.unpacked(told.pop("texts"))
        self.pictures = self.unpacked(told.pop("pictures"))
        self.moves = told.pop("moves")
        self.rest = told

    @staticmethod
    def unpacked(packed):
        return ["\n".join(packed["lines"][i] for i in frame) for frame in packed["frames"]]

    def take(self, news):
        news = json.loads(json.dumps(news))
        keep = news["keep"]
        self.texts[keep:] = news["texts"]
        self.pictures[keep:] = news["pictures"]
        self.moves[max(0, keep - 1) :] = news["moves"]
        self.rest = {k: v for k, v in news.items() if k not in ("texts", "pictures", "moves")}

    def __eq__(self, other):
        mine, theirs = ({**vars(one), "rest": {**one.rest, "keep": 0}} for one in (self, other))
        return mine == theirs

    __hash__ = None


def to_turn(session, page):
    """Let the agents move until it is the person's turn or the game is over."""
    while not (session.over or session.is_persons_turn):
        page.take(session.advance())


def play_on(session, page, rng, moves=1000):
    """Play at most `moves` random moves of the person."""
    to_turn(session, page)
    while moves and not session.over:
        page.take(session.move(rng.choice([one["text"] for one in page.rest["turn"]["legal"]])))
        to_turn(session, page)
        moves -= 1


def test_a_game_is_played_to_its_end(session):
    page = Page(session)
    play_on(session, page, np.random.default_rng(1))
    turn = page.rest["turn"]
    assert turn["over"]
    assert (turn["mine"], turn["legal"], turn["player"]) == (False, [], "")
    assert page.rest["result"].endswith(("!", "."))
    assert len(page.texts) == len(page.pictures) == len(page.moves) + 1
    # Updates and the whole page give the same state.
    assert page == Page(session)
    for call in (session.advance, lambda: session.move("1")):
        with pytest.raises(ValueError, match=r"over|no agent"):
            call()
    page.take(session.undo())
    assert session.is_persons_turn
    assert page.rest["result"] == ""
    assert page == Page(session)
    page.take(session.restart())
    assert len(page.texts) == 1
    assert page == Page(session)


def test_undone_moves_repeat_with_the_same_chance(session):
    page = Page(session)
    play_on(session, page, np.random.default_rng(2), moves=3)
    before, states = len(page.texts), list(session._human_game.positions)
    moves = [move["text"] for move in page.moves if move["player"] == "You"]
    page.take(session.undo())
    assert session.is_persons_turn
    assert len(page.texts) < before
    page.take(session.move(moves[-1]))
    while len(page.texts) < before:
        page.take(session.advance())
    positions = session._human_game.positions
    assert all(a.state == b.state for a, b in zip(positions, states, strict=True))
    while session._human_game.undone:
        session.undo()
    with pytest.raises(ValueError, match="not moved yet"):
        session.undo()


def test_the_page_contains_no_hidden_information(session):
    """Positions that differ only in hidden information give the same page."""
    page = Page(session)
    rng = np.random.default_rng(3)
    for _ in range(4):
        play_on(session, page, rng, moves=1)
        if session.over:
            break
        positions = list(session._human_game.positions)
        last = len(positions) - 1
        told, hint = session.page(), session.analyse(last)()
        game = session.game
        session._human_game.positions = [
            one._replace(state=game.conceal(one.state, session.seat, rng)) for one in positions
        ]
        assert (session._human_game.positions[-1].state != positions[-1].state).all()
        assert session.page() == told
        assert session.analyse(last)() == hint
        session._human_game.positions = positions


def test_the_page_plays_the_same_game_as_the_terminal(monkeypatch, capsys):
    from agents.play import terminal
    from agents.play.screen import marked

    game = boardenvs.make("goat_race")
    opponents = specs_of(["greedy"], game)
    session = Session(game, opponents, 1, seed=8)
    page = Page(session)
    to_turn(session, page)
    typed = []
    while not session.over:
        typed.append(page.rest["turn"]["legal"][-1]["text"])
        page.take(session.move(typed[-1]))
        to_turn(session, page)
    monkeypatch.setattr("builtins.input", lambda: typed.pop(0))
    terminal.play(game, opponents, [1], 8)
    assert typed == []
    out = capsys.readouterr().out
    last = session._human_game.positions[-1].state[0]
    assert f"Game over:\n{marked(game.to_text(last), game.presentation.spans(last))}" in out


def test_illegal_moves_are_refused():
    game = boardenvs.make("gekitai")
    session = Session(game, specs_of(["random"], game), 0, seed=1)
    before = session.page()
    for text, said in [("Z9", "Z9"), ("", "expected"), ("a" * 2000, "expected"), ("b\n2x", "exp")]:
        with pytest.raises(ValueError, match=said):
            session.move(text)
    with pytest.raises(ValueError, match="no agent is to move"):
        session.advance()
    assert session.page() == before
    session.move("b2")
    with pytest.raises(ValueError, match="it is not your turn"):
        session.move("c3")
    taken = session.advance()["moves"][-1]["text"]
    with pytest.raises(ValueError, match=f"{taken} is not legal here; [A-F][1-6] would be"):
        session.move(f" {taken}")


def test_hints_and_analyses_are_returned():
    game = boardenvs.make("gekitai")
    opponent, adviser = specs_of(["mcts:20", "mcts:30"], game)
    session = Session(game, [opponent], 1, seed=1, adviser=adviser)
    page = Page(session)
    to_turn(session, page)
    now = len(page.moves)
    hint = session.analyse(now)()
    assert hint == session.analyse(now)()
    assert hint["thought"]["kind"] == "visits"
    [chosen] = [one for one in hint["thought"]["actions"] if one["chosen"]]
    assert (chosen["text"], chosen["area"]) == (hint["hint"], hint["area"])
    assert hint["hint"] in [one["text"] for one in page.rest["turn"]["legal"]]
    while not session.over:
        assert page.rest["analysis"] is None  # it would reveal too much
        page.take(session.move(page.rest["turn"]["legal"][0]["text"]))
        to_turn(session, page)
    assert [one is not None for one in page.rest["analysis"]] == [
        move["player"] == "Searcher" for move in page.moves
    ]


def test_invalid_arguments_are_refused():
    game = boardenvs.make("game112")
    with pytest.raises(ValueError, match="seat must be"):
        Session(game, specs_of(["random"], game), 2, 1)


def test_a_failing_agent_is_reported(own_module):
    own_module(
        "failing",
        """
class Agent:
    def act(self, states):
        raise RuntimeError("no more\\nmoves")

def make(game, seed):
    return Agent()
""",
    )
    game = boardenvs.make("game112")
    session = Session(game, specs_of(["failing:make"], game), 0, seed=1)
    session.move("1 1")
    with pytest.raises(ValueError, match="agent failing:make failed: RuntimeError: no more moves"):
        session.advance()
    session.undo()
    assert session.is_persons_turn


def test_an_opponent_that_cannot_play_from_the_start_is_refused(refused):
    game = boardenvs.make("gomoku")
    with refused("exact.* gomoku from the start"):
        Session(game, specs_of(["exact"], game), 0, seed=1)
