"""The sequential test: its error rate, when it stops, and its interval."""

import numpy as np
import pytest

from agents.arena.sequential import ERROR, confidence_sequence, decided_after


def capital(scores, mean, up):
    """Return the capital after each score, bet by bet, with the formula of the source."""
    wealth, told, squares, result = 1.0, 0.5, 0.25, []
    variance = 0.25
    for t, x in enumerate(scores, 1):
        bet = np.sqrt(2 * np.log(2 / 0.05) / (variance * t * np.log(t + 1)))
        if up:
            wealth *= 1 + min(bet, 0.5 / mean) * (x - mean)
        else:
            wealth *= 1 - min(bet, 0.5 / (1 - mean)) * (x - mean)
        result.append(wealth)
        told += x
        squares += (x - told / (t + 1)) ** 2
        variance = squares / (t + 1)
    return np.array(result)


@pytest.mark.parametrize("mean", [0.5, 0.58, 0.9])
def test_the_test_stops_at_the_threshold_of_the_paper(mean):
    scores = np.random.default_rng(1).choice(
        [0, 0.5, 1], 3000, p=[0.8 - mean * 0.8, 0.2, mean * 0.8]
    )
    either = np.maximum(capital(scores, 0.5, True), capital(scores, 0.5, False)) / 2
    reached = np.flatnonzero(either >= 1 / 0.05)
    assert decided_after(scores) == (reached[0] + 1 if len(reached) else None)
    assert (len(reached) > 0) == (mean > 0.5)


def test_equal_agents_are_rarely_called_different():
    rng = np.random.default_rng(2)
    for values, chances in (([0, 1], [0.5, 0.5]), ([0, 0.5, 1], [0.1, 0.8, 0.1])):
        draws = rng.choice(values, (1000, 400), p=chances)
        found = np.mean([decided_after(scores) is not None for scores in draws])
        print(f"\n{chances}: {found:.3f} of 1,000 sequences of 400")
        assert found <= ERROR


def test_no_interval_of_a_confidence_sequence_misses_the_mean():
    rng = np.random.default_rng(3)
    missed = 0
    for scores in rng.choice([0, 0.5, 1], (200, 200), p=[0.2, 0.2, 0.6]):
        intervals = [confidence_sequence(scores[:n]) for n in range(1, 201, 20)]
        missed += any(not low <= 0.7 <= high for low, high in intervals)
    assert missed / 200 <= ERROR


def test_the_interval_excludes_one_half_at_the_stop():
    rng = np.random.default_rng(4)
    for p in (0.35, 0.6, 0.99):
        scores = (rng.random(2000) < p).astype(float)
        stop = decided_after(scores)
        low, high = confidence_sequence(scores[:stop])
        assert (low > 0.5) == (p > 0.5)
        assert (high < 0.5) == (p < 0.5)
        low, high = confidence_sequence(scores[: stop - 1])
        assert low < 0.5 < high


def test_intervals_narrow_and_are_symmetric():
    scores = np.tile([1.0, 0.5, 1.0, 0.0], 500)
    widths = []
    for n in (0, 4, 40, 400, 2000):
        low, high = confidence_sequence(scores[:n])
        assert 0 <= low <= scores[:n].mean() <= high <= 1 if n else (low, high) == (0, 1)
        assert confidence_sequence(1 - scores[:n]) == pytest.approx((1 - high, 1 - low))
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.1


def test_draws_never_stop_the_test():
    assert decided_after(np.full(10_000, 0.5)) is None
    assert decided_after(np.zeros(0)) is None
