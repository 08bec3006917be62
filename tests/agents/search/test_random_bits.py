"""The random bits of a search: 64 bits for each state, otherwise an error."""

import numpy as np
import pytest

import agents


@pytest.mark.parametrize("options", [{}, {"time_limit": 1e6}], ids=["free", "clock"])
@pytest.mark.parametrize("spec", ["mcts:30", "puct:30"])
def test_invalid_random_bits_are_refused(spec, options, gekitai, refused):
    agent = agents.make(spec, gekitai, seed=0, **options)
    states = gekitai.new(3, 0)
    for random_bits, got in (
        (np.zeros(1, np.uint64), r"uint64 of shape \(1,\)"),
        (np.zeros((3, 1), np.uint64), r"uint64 of shape \(3, 1\)"),
        (np.uint64(1), r"uint64 of shape \(\)"),
        (np.zeros(3), r"float64 of shape \(3,\)"),
        (["a", "b", "c"], r"<U1 of shape \(3,\)"),
    ):
        with refused(rf"random_bits .*\(3,\), got {got}"):
            agent.search(states, random_bits)


@pytest.mark.parametrize("spec", ["mcts:30", "puct:30"])
def test_random_bits_can_have_any_integer_type(spec, gekitai):
    agent = agents.make(spec, gekitai, seed=0)
    states = gekitai.new(3, 0)
    random_bits = np.arange(5, 8, dtype=np.uint64)
    given = random_bits.copy()
    found = agent.search(states, given)
    np.testing.assert_array_equal(given, random_bits)  # they are not modified
    given.setflags(write=False)
    for same in (
        given,
        random_bits.astype(np.int64),
        random_bits.tolist(),
        np.repeat(random_bits, 2)[::2],
    ):
        np.testing.assert_array_equal(agent.search(states, same).visits, found.visits)
    assert agent.search(states[:0], random_bits[:0]).visits.shape == (0, gekitai.num_actions)
