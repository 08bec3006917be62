"""Ratings on a ladder: intervals contain the truth, and chosen opponents save games."""

import numpy as np
import pytest
from simulated import drawn, ladder, mixture, rated, truths

from agents.benchmark.rating import Evidence, Scale, fit, next_opponent

SCALE = Scale(np.array([0.0, 200, 400]), np.zeros((3, 3)))


def evidence(pairs, scores, squares):
    return Evidence(*(np.array(x, float) for x in (pairs, scores, squares)))


def test_an_even_score_gives_the_mean_rating_of_the_opponents():
    found = fit(SCALE, evidence([0, 400, 0], [0, 400, 0], [0, 600, 0]))
    assert abs(found.elo - 200) < 0.01
    # The standard error of 400 pairs of two even games is 400 / ln 10 / sqrt(800 / 4).
    assert abs(found.half_width - 1.96 * 173.7 / np.sqrt(200)) < 0.3


def test_draws_make_intervals_narrower():
    even = fit(SCALE, evidence([0, 400, 0], [0, 400, 0], [0, 600, 0]))
    drawish = fit(SCALE, evidence([0, 400, 0], [0, 400, 0], [0, 450, 0]))
    assert drawish.half_width < 0.7 * even.half_width


def test_a_policy_that_won_all_games_has_a_finite_interval():
    found = fit(SCALE, evidence([0, 0, 50], [0, 0, 100], [0, 0, 200]))
    assert 400 + 400 * np.log10(100) < found.elo < 400 + 400 * np.log10(400)
    assert found.low > 700
    assert np.isfinite(found.high)


def test_intervals_include_the_uncertainty_of_the_ladder():
    unsure = Scale(SCALE.elo, np.diag([0.0, 30.0**2, 0]))
    told = evidence([0, 400, 0], [0, 400, 0], [0, 600, 0])
    sure, found = fit(SCALE, told), fit(unsure, told)
    assert found.elo == sure.elo
    assert abs(found.by_ladder - 1.96 * 30) < 0.1
    assert abs(found.half_width - np.hypot(sure.half_width, found.by_ladder)) < 0.1
    even = fit(unsure, evidence([200, 0, 200], [300, 0, 100], [500, 0, 100]))
    assert even.by_ladder == 0  # the uncertain agent does not matter


def test_the_most_informative_opponent_is_chosen():
    for elo, place in ((20, 0), (210, 1), (900, 2)):
        pairs = np.full(3, 100.0)
        rates = 1 / (1 + 10 ** ((SCALE.elo - elo) / 400))
        told = Evidence(pairs, 200 * rates, 400 * rates**2 + 200 * rates * (1 - rates))
        estimate = fit(SCALE, told)
        assert next_opponent(SCALE, estimate, pairs) == place
        allowed = np.arange(3) != place
        assert next_opponent(SCALE, estimate, pairs, allowed) != place


@pytest.mark.slow
@pytest.mark.parametrize("draws", [0, 0.5])
@pytest.mark.parametrize(("one", "other", "share"), [(3, 4, 0.5), (0, 1, 0.5), (9, 10, 0.3)])
def test_intervals_contain_the_true_rating(one, other, share, draws):
    scale, rng = ladder(), np.random.default_rng(11)
    real = drawn(scale, 1000, rng)
    rates = mixture(real, one, other, share)
    estimate, found = rated(scale, rates, rng, 50, draws=draws)
    truth = truths(real, rates, found.pairs.sum(0), rng, draws)
    held = ((estimate.low <= truth) & (truth <= estimate.high)).mean()
    assert 0.93 <= held <= 0.97
    assert (estimate.half_width <= 50).all()
    _, uniform = rated(scale, rates[:50], rng, 50, adaptive=False, draws=draws)
    assert found.pairs[:50].sum() <= 0.5 * uniform.pairs.sum()
