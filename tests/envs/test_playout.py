"""Playing games to their ends, and which games are over."""

from __future__ import annotations

import numpy as np
import pytest

import boardenvs
from boardenvs.envs.playout import playout, plies


def first_legal(game):
    """Return a player of the first legal action, and the list of places it was asked for."""
    asked = []

    def choose(states, places):
        asked.append(places.tolist())
        return game.legal(states).argmax(1)

    return choose, asked


def test_over_is_terminated_or_truncated(game, random_positions):
    states = random_positions(game, 4, 0)
    over = game.over(states)
    assert over.dtype == np.bool_
    np.testing.assert_array_equal(over, game.terminated(states) | game.truncated(states))
    assert over.any()
    assert not over.all()
    cut = type(game)(max_plies=game.num_players)
    assert cut.over(random_positions(cut, 1, 0)).tolist()[-1]
    assert game.over(states[:0]).shape == (0,)
    for one in (states[-1], states[-1:], states[::-1]):
        assert game.over(one)[0]


def test_over_depends_only_on_the_two_flags():
    game = boardenvs.make("game112")
    states = game.new(2, 0)
    states["to_move"] = 9
    states["terminated"] = [True, False]
    assert game.over(states).tolist() == [True, False]
    with pytest.raises(ValueError, match="game112"):
        game.terminated(states)
    with pytest.raises(ValueError, match="game112"):
        game.over(np.zeros(2))
    with pytest.raises(ValueError, match="game112"):
        game.over(states.reshape(2, 1))


def test_games_are_played_to_their_ends(game):
    states = game.new(5, 0)
    choose, asked = first_legal(game)
    ended = [places.tolist() for places in plies(game, states, choose)]
    assert game.over(states).all()
    assert sorted(place for places in ended for place in places) == list(range(5))
    assert len(asked) == len(ended) == states["ply"].max()
    live = list(range(5))
    for places, done in zip(asked, ended, strict=True):
        assert places == live
        live = [place for place in live if place not in done]
    again = game.new(5, 0)
    playout(game, again, first_legal(game)[0])
    assert (again == states).all()
    for place in range(5):  # each game alone ends in the same way
        alone = game.new(5, 0)[place : place + 1]
        playout(game, alone, first_legal(game)[0])
        assert alone[0] == states[place]


def test_finished_games_do_not_change():
    game = boardenvs.make("gekitai")
    states = game.new(3, 0)
    playout(game, states[1:2], first_legal(game)[0])
    before = states.copy()
    choose, asked = first_legal(game)
    playout(game, states, choose)
    assert asked[0] == [0, 2]
    assert states[1] == before[1]
    playout(game, states, lambda states, places: pytest.fail("nobody is to move"))
    assert not list(plies(game, game.new(0), choose))


def test_illegal_actions_lose_and_invalid_ones_are_refused():
    game = boardenvs.make("gekitai")
    states = game.new(2, 0)
    next(plies(game, states, lambda states, places: [7, 8]))
    ended = next(plies(game, states, lambda states, places: [7, 9]))
    assert ended.tolist() == [0]
    assert game.returns(states).tolist() == [[1, -1], [0, 0]]
    before = states.copy()
    with pytest.raises(ValueError, match=r"action.*99"):
        playout(game, states, lambda states, places: [99])
    with pytest.raises(ValueError, match=r"action 7.*game 0"):
        playout(game, states, lambda states, places: [7], illegal="raise")
    assert (states == before).all()
