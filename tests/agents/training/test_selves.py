"""The learner's opponents: its earlier selves."""

import numpy as np
import pytest
import torch

import agents
from agents.training.selves import EarlierSelves, PolicyAgent


def weights(model):
    return model.policy.state_dict()


def equal(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)


def played_out(earlier, reward=0.0):
    """Report that the current games ended, and as many later ones."""
    for _ in range(2):
        earlier.note(np.ones(4, bool), np.full(4, reward, np.float32))


def nudge(model):
    with torch.no_grad():
        for parameter in model.policy.parameters():
            parameter.add_(0.1)


def test_the_latest_self_is_the_learner(learner, gekitai, live_positions):
    latest = PolicyAgent(gekitai, learner.policy, temperature=1.0)
    states = live_positions(gekitai, 10, 0)
    words = np.random.default_rng(0).integers(0, 2**64, len(states), np.uint64)
    drawn = agents.from_sb3(learner, gekitai, temperature=1.0)
    before = latest.choose(states, words)
    np.testing.assert_array_equal(before, drawn.choose(states, words))
    with torch.no_grad():
        learner.policy.action_net.bias[:18] += 100
    after = latest.choose(states, words)
    np.testing.assert_array_equal(after, drawn.choose(states, words))
    assert (before != after).any()


def test_earlier_selves_do_not_change(learner, gekitai, live_positions):
    earlier = EarlierSelves(gekitai, 5, 4, seed=0)
    earlier.attach(learner)
    states = live_positions(gekitai, 10, 0)
    words = np.random.default_rng(0).integers(0, 2**64, len(states), np.uint64)
    before = earlier.choose(states, words)
    with torch.no_grad():
        learner.policy.action_net.bias[:18] += 100
    np.testing.assert_array_equal(earlier.choose(states, words), before)
    earlier.remember()
    played = set()
    for _ in range(40):
        played_out(earlier)
        earlier.draw()
        played.add(tuple(earlier.choose(states, words).tolist()))
    assert len(played) == 2
    assert tuple(before.tolist()) in played


def test_an_earlier_self_plays_until_enough_games_end(learner, gekitai):
    earlier = EarlierSelves(gekitai, 5, 4, seed=0)
    earlier.attach(learner)
    for _ in range(4):
        nudge(learner)
        earlier.remember()
    playing = []
    for _ in range(30):
        for over in ([1, 1, 1, 1], [1, 1, 1, 0], [0, 0, 0, 1]):
            playing.append(earlier._playing)
            earlier.note(np.array(over, bool), np.zeros(4, np.float32))
            earlier.draw()
    assert playing[0::3] == playing[1::3] == playing[2::3]
    assert len(set(playing)) == 5


def test_stronger_earlier_selves_play_more_often(learner, gekitai):
    earlier = EarlierSelves(gekitai, 3, 4, seed=0)
    earlier.attach(learner)
    earlier.remember()
    earlier.remember()
    rewards = {0: 1.0, 1: 0.0, 2: -1.0}
    counts = [0, 0, 0]
    for round_ in range(1500):
        played_out(earlier, rewards[earlier._playing])
        earlier.draw()
        if round_ >= 500:
            counts[earlier._playing] += 1
    assert earlier.scores == pytest.approx([1, 0.5, 0], abs=0.1)
    assert 0 < counts[0] < counts[1] / 2 < counts[2] / 4


def test_running_games_do_not_count_for_the_next_self(learner, gekitai):
    earlier = EarlierSelves(gekitai, 3, 4, seed=0)
    earlier.attach(learner)
    earlier.note(np.array([True, True, False, False]), np.ones(4, np.float32))
    assert earlier.scores == [0.5]  # these games started before this self joined
    earlier.note(np.array([True, False, False, True]), np.ones(4, np.float32))
    assert earlier.scores == [pytest.approx(0.5 + 0.5 / 200)]


@pytest.mark.parametrize("size", [1, 2, 5])
def test_the_number_of_earlier_selves_is_limited(learner, gekitai, size):
    earlier = EarlierSelves(gekitai, size, 4, seed=0)
    earlier.attach(learner)
    for count in range(2, 12):
        nudge(learner)
        earlier.remember()
        assert len(earlier.selves) == min(size, count)
        assert equal(earlier.selves[-1], weights(learner))  # the newest self always stays
        earlier.draw()


def test_older_selves_are_removed_evenly(learner, gekitai):
    earlier = EarlierSelves(gekitai, 6, 4, seed=0)
    earlier.attach(learner)
    born = [weights(learner)["action_net.bias"][0].item()]
    for _ in range(30):
        nudge(learner)
        earlier.remember()
        born.append(weights(learner)["action_net.bias"][0].item())
    ages = [born.index(w["action_net.bias"][0].item()) for w in earlier.selves]
    assert ages == sorted(ages)
    assert ages[3:] == [28, 29, 30]  # only the older half is thinned
    assert ages[0] < 25
