"""Episodes that players play: the states they receive and the actions they may return."""

import numpy as np
import pytest
from episodes import GAME112
from players import First

from boardenvs import Episode


class Chooser(First):
    """A player with `choose`; `act` must not be called."""

    def act(self, states):
        raise AssertionError

    def choose(self, states, words):
        self.shown.append(words.copy())
        legal = [np.flatnonzero(mask) for mask in self.game.legal(states)]
        return np.array([a[int(w) % len(a)] for a, w in zip(legal, words, strict=True)])


class Fixed:
    """A player that returns the same for every state."""

    def __init__(self, answer):
        self.answer = answer

    def act(self, states):
        return self.answer


def test_play_follows_the_seed(game):
    players = ["random"] * game.num_players
    first = Episode.play(game, players, seed=1)
    assert first.terminated or first.truncated
    assert first.states()[0] == game.new(1, seed=1)[0]
    assert Episode.play(game, players, seed=1) == first
    assert len({tuple(Episode.play(game, players, s).actions) for s in range(8)}) > 4
    assert Episode.play(game, players) != Episode.play(game, players)


def test_random_players_draw_every_legal_action():
    players = ["random", "random"]
    openings = [Episode.play(GAME112, players, seed).actions[:2] for seed in range(300)]
    assert {first for first, _ in openings} == set(range(10))
    assert {second for _, second in openings} == set(range(10))


def test_players_receive_concealed_states():
    one, two = First(GAME112), First(GAME112)
    episode = Episode.play(GAME112, [one, two], seed=1)
    # Each action writes a 1 on the next position.
    assert episode.actions == [0, 2, 4, 6, 8]
    true = episode.states()
    for k, shown in enumerate([one.shown[0], two.shown[0], one.shown[1], two.shown[1]]):
        assert shown.shape == (1,)
        assert shown["rng"][0] != true["rng"][k]
        assert shown["cells"].tolist() == [true["cells"][k].tolist()]
        assert shown["to_move"] == k % 2


def test_choose_is_preferred_and_follows_the_seed():
    one, two = Chooser(GAME112), Chooser(GAME112)
    first = Episode.play(GAME112, [one, "random"], seed=1)
    assert Episode.play(GAME112, [two, "random"], seed=1) == first
    assert np.array_equal(one.shown, two.shown)
    assert len(np.unique(one.shown)) == len(one.shown)


def test_players_have_independent_random_streams():
    """A player's random choices do not depend on the number of choices of another player."""
    one, two = Chooser(GAME112), Chooser(GAME112)
    Episode.play(GAME112, [one, "random"], seed=1)
    Episode.play(GAME112, [two, First(GAME112)], seed=1)
    shared = min(len(one.shown), len(two.shown))
    assert shared >= 2
    assert np.array_equal(one.shown[:shared], two.shown[:shared])


def test_an_illegal_answer_is_recorded_as_a_forfeit():
    episode = Episode.play(GAME112, [Fixed([4]), Fixed(np.array([4]))], names=["ann", "bob"])
    assert episode.actions == [4, 4]
    assert episode.result == "bob loses by an illegal action"


@pytest.mark.parametrize("answer", [[10], [-1], 1.0, [1, 2], None, "1", []])
def test_an_invalid_action_is_refused(answer):
    with pytest.raises(ValueError, match="action"):
        Episode.play(GAME112, [Fixed(answer), "random"])


@pytest.mark.parametrize("players", ["random", ["random"], ["random"] * 3, []])
def test_a_wrong_number_of_players_is_refused(players):
    with pytest.raises(ValueError, match=r"^players .*game112"):
        Episode.play(GAME112, players)


@pytest.mark.parametrize("player", [None, 3, object()])
def test_invalid_players_are_refused(player):
    with pytest.raises(ValueError, match=r"^players .*act\(states\)"):
        Episode.play(GAME112, [player, "random"])


def test_play_can_start_from_a_position():
    position = {"board": [2, 0, 1, 2, 0]}
    episode = Episode.play(GAME112, ["random", Fixed([2])], seed=1, state=position)
    assert episode.actions == [2]
    first = episode.states()[0]
    assert first == GAME112.from_dict({**position, "rng": int(first["rng"])})
    again = Episode.play(GAME112, ["random", Fixed([2])], state=episode.states()[0])
    assert again == episode
    with pytest.raises(ValueError, match="state must"):
        Episode.play(GAME112, ["random", "random"], state=episode.states()[-1])


@pytest.mark.parametrize("seed", [-1, 1.5, "1"])
def test_a_bad_seed_is_refused(seed):
    with pytest.raises(ValueError, match=r"^seed "):
        Episode.play(GAME112, ["random", "random"], seed)
