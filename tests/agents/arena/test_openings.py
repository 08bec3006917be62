"""Matches from given positions, each in all seatings in turn."""

import itertools
import json

import numpy as np
import pytest

import boardenvs
from agents.arena import play_match
from boardenvs.envs.playout import playout


class First:
    """A player of the first legal action that records the states it receives."""

    deterministic = True

    def __init__(self, game):
        self.game = game
        self.asked = []

    def act(self, states):
        self.asked.append(states.copy())
        return self.game.legal(states).argmax(1)


def positions(game, num, plies=3):
    """Return unfinished positions of different games after some plies."""
    states = game.new(num, 5)
    rng = np.random.default_rng(1)
    for _ in range(plies):
        masks = game.legal(states)
        game.play(states, np.argmax(rng.random(masks.shape) * masks, 1))
    return states


def without_chance(states):
    states = states.copy()
    states["rng"] = 0
    return states


@pytest.mark.parametrize("kind", ["records", "dictionaries", "an array"])
def test_each_opening_is_played_in_all_seatings(versus, kind):
    openings = positions(versus, 3)
    given = {
        "records": list(openings),
        "dictionaries": [json.loads(json.dumps(versus.to_dict(state))) for state in openings],
        "an array": openings,
    }[kind]
    before = openings.copy()
    agents = [First(versus) for _ in range(versus.num_players)]
    scores = play_match(versus, agents, seed=0, openings=given)
    orders = len(list(itertools.permutations(range(versus.num_players))))
    assert scores.games == 3 * orders
    np.testing.assert_array_equal(openings, before)
    # The first player to move in a game receives the opening itself.
    asked = [np.concatenate([part[part["ply"] == 3] for part in one.asked]) for one in agents]
    for seen in asked:
        assert len(seen) == 3 * orders // versus.num_players
        for opening in openings:
            same = without_chance(seen) == without_chance(opening[None])
            assert same.sum() == orders // versus.num_players


def test_games_continue_from_their_opening(gekitai):
    openings = positions(gekitai, 2, 4)
    scores = play_match(gekitai, [First(gekitai), First(gekitai)], seed=0, openings=openings)
    for number, opening in enumerate(openings):
        states = opening[None].copy()
        playout(gekitai, states, lambda live, _: gekitai.legal(live).argmax(1))
        result = gekitai.returns(states)[0]
        for game, seats in ((2 * number, result), (2 * number + 1, result[::-1])):
            assert scores.returns[game].tolist() == seats.tolist()
            assert scores.plies[game] == states["ply"][0]


def test_openings_repeat_if_there_are_more_games(gekitai):
    openings = positions(gekitai, 2)
    once, thrice = (
        play_match(gekitai, [First(gekitai)] * 2, games, seed=0, openings=openings)
        for games in (None, 12)
    )
    assert (once.games, thrice.games) == (4, 12)
    np.testing.assert_array_equal(thrice.plies, np.tile(once.plies, 3))
    np.testing.assert_array_equal(thrice.returns, np.tile(once.returns, (3, 1)))


def test_the_seed_determines_chance():
    game = boardenvs.make("goat_race", num_players=2)
    openings = positions(game, 1, 20)

    def plies(seed):
        return play_match(game, ["random"] * 2, 40, seed, openings=openings).plies.tolist()

    assert plies(1) == plies(1) != plies(2)
    assert len(set(plies(1))) > 3


def test_both_seatings_have_the_same_chance():
    game = boardenvs.make("goat_race", num_players=2)
    openings = positions(game, 2, 20)
    scores = play_match(game, [First(game), First(game)], 8, 3, openings=openings)
    np.testing.assert_array_equal(scores.plies[::2], scores.plies[1::2])
    assert len(set(scores.plies.tolist())) > 1


def test_random_plies_can_follow_an_opening(gekitai):
    agents = [First(gekitai), First(gekitai)]
    play_match(gekitai, agents, 8, 0, openings=positions(gekitai, 2), opening_plies=2)
    assert min(part["ply"].min() for one in agents for part in one.asked) == 5


@pytest.mark.parametrize(
    ("openings", "said"),
    [
        ([], r"openings .*\[\]"),
        ("start", "openings .*'start'"),
        ({}, r"openings .*\{\}"),
        ([7], "opening 0"),
        ([{}], "opening 0"),
        (lambda game: game.new(1, 0)[0], "openings "),
        (lambda game: [game.new(1, 0)[0], boardenvs.make("game112").new(1, 0)[0]], "opening 1"),
        (lambda game: [over(game)], "opening 0 is over"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_invalid_openings_are_refused(gekitai, refused, openings, said):
    given = openings(gekitai) if callable(openings) else openings
    with refused(said):
        play_match(gekitai, ["random", "random"], seed=0, openings=given)


def over(game):
    states = game.new(1, 0)
    game.play(states, [0])
    game.play(states, [0])  # no legal action is left
    return states[0]


@pytest.mark.parametrize("games", [1, 3, 6])
def test_num_games_must_play_each_opening_equally_often(gekitai, refused, games):
    with refused(f"num_games .*multiple of 4.* got {games}"):
        play_match(gekitai, ["random"] * 2, games, seed=0, openings=positions(gekitai, 2))


def test_the_number_of_games_is_required_without_openings(gekitai, refused):
    with refused("num_games must be"):
        play_match(gekitai, ["random", "random"], seed=0)
