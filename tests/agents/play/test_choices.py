"""All choices offered for a game can be created and played."""

import pytest

import boardenvs
from agents.naming.spec import Spec
from agents.play.choices import OPPONENTS, adviser_of, name_of, opponents_of, tables_of

GAMES = list(boardenvs.GAMES)


@pytest.mark.parametrize("name", GAMES)
def test_every_offered_game_can_be_made(name):
    tables = tables_of(boardenvs.make(name))
    assert tuple(boardenvs.make(name).params[one.key] for one in tables.parameters) in tables.games
    for values, game in tables.games.items():
        for parameter, value in zip(tables.parameters, values, strict=True):
            assert game.params[parameter.key] == value
            assert parameter.label
            assert parameter.values[value]
        opponents = opponents_of(game)
        assert len({one.name for one in opponents if "Searcher" not in one.name}) >= 2
        for one in opponents:
            assert one.name.isprintable()
            assert one.does
            assert not set("{}:_") & set(one.name + one.does)
            one.spec.make(0)
        adviser_of(game).make(0)


def test_agents_without_a_shipped_network_are_not_offered():
    small, usual = (boardenvs.make("game112", board_size=size) for size in (5, 9))
    assert [one.spec.text for one in opponents_of(small)] == [
        "random",
        "greedy",
        "mcts:100",
        "exact",
    ]
    assert "trained" in [one.spec.text for one in opponents_of(usual)]
    assert adviser_of(boardenvs.make("gekitai", line_length=4)).text == "mcts:2000"
    assert adviser_of(boardenvs.make("gekitai")).text == "puct:1600"


def test_max_plies_follows_the_board_size():
    game = boardenvs.make("gomoku")
    games = tables_of(game).games
    assert games[(9,)] == boardenvs.make("gomoku", board_size=9)
    assert games[(9,)].max_plies == 81
    # Given values are kept and offered, even if no list contains them.
    odd = boardenvs.make("gomoku", board_size=10, win_length=4, max_plies=30)
    tables = tables_of(odd)
    assert sorted(tables.parameters[0].values) == [7, 9, 10, 11, 13, 15, 17, 19]
    assert tables.games[(10,)] == odd
    assert tables.games[(7,)].params["max_plies"] == 30
    assert tables.games[(7,)].params["win_length"] == 4
    # The game refuses some sizes for this value.
    many = boardenvs.make("gomoku", win_length=15)
    assert list(tables_of(many).games) == [(15,), (17,), (19,)]


def test_a_game_without_its_own_choices_has_the_defaults(monkeypatch):
    from agents.play import choices

    monkeypatch.setattr(choices, "constant", lambda _game, _name, default: default)
    for cached in (opponents_of, tables_of):
        cached.cache_clear()
    game = boardenvs.make("gekitai")
    assert [one.spec.text for one in opponents_of(game)] == list(OPPONENTS)
    assert [one.name for one in opponents_of(game)][2:4] == ["Searcher"] * 2
    assert tables_of(game).games == {(): game}
    for cached in (opponents_of, tables_of):
        cached.cache_clear()


def test_agents_have_names_and_descriptions():
    game = boardenvs.make("gekitai")
    for number in ("400", "7"):
        spec = Spec.of(f"mcts:{number}", game)
        assert name_of(spec) == (spec, "Searcher", f"tries {number} games before each move")
    for text in ("mcts:2s", "puct:400:mine.onnx", "mine:make", "neighbour", "mcts"):
        spec = Spec.of(text, game)
        assert name_of(spec) == (spec, text, "")
