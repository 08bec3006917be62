"""Ratings compared with published figures, a plain likelihood and known strengths."""

import itertools
import json
import math
import random

import numpy as np
import pytest

from agents.arena.ratings import rate

LOGIT = math.log(10) / 400


def pair(a, b, wins, draws, losses):
    games = wins + draws + losses
    return {"a": a, "b": b, "games": games, "wins": wins, "draws": draws, "losses": losses}


def by_name(ratings):
    return {r.agent: r for r in ratings}


def same(some, others):
    """Return whether two lists contain the same ratings within 1e-4 points, in any order."""
    ordered = [sorted(ratings, key=lambda r: r.agent) for ratings in (some, others)]
    return len(some) == len(others) and all(
        r.agent == q.agent
        and (r.elo, r.low, r.high) == pytest.approx((q.elo, q.low, q.high), abs=1e-4)
        for r, q in zip(*ordered, strict=True)
    )


# -- Published figures ------------------------------------------------------------------


def test_ratings_agree_with_the_published_example_of_four_journals():
    # D. Firth, "Bradley-Terry models in R", Journal of Statistical Software 12 (2005). Its
    # estimates and standard errors have no half games.
    cited = [
        pair("Biometrika", "Comm Statist", 730, 0, 33),
        pair("Biometrika", "JASA", 498, 0, 320),
        pair("Biometrika", "JRSS-B", 221, 0, 284),
        pair("Comm Statist", "JASA", 68, 0, 813),
        pair("Comm Statist", "JRSS-B", 17, 0, 276),
        pair("JASA", "JRSS-B", 142, 0, 325),
    ]
    journals = ["Biometrika", "Comm Statist", "JASA", "JRSS-B"]
    ratings = rate(cited, journals)
    assert [r.agent for r in ratings] == ["JRSS-B", "Biometrika", "JASA", "Comm Statist"]
    found = by_name(ratings)
    published = {
        "Comm Statist": (-2.94907, 0.10255),
        "JASA": (-0.47957, 0.06059),
        "JRSS-B": (0.26895, 0.07083),
    }
    for journal, (estimate, error) in published.items():
        r = found[journal]
        assert r.elo * LOGIT == pytest.approx(estimate, abs=0.005)
        assert (r.high - r.low) * LOGIT == pytest.approx(2 * 1.96 * error, rel=0.005)


def test_ratings_predict_the_number_of_wins():
    # These equations are those of the maximum of the likelihood, without any prior.
    games = [("AB", (1, -1)), ("CA", (1, -1)), ("BA", (1, -1)), ("BC", (1, -1))]
    elo = {r.agent: r.elo for r in rate(games, "ABC", "A")}
    for agent, wins in {"A": 1, "B": 2, "C": 1}.items():
        others = [seats.replace(agent, "") for seats, _ in games if agent in seats]
        expected = sum(1 / (1 + 10 ** ((elo[k] - elo[agent]) / 400)) for k in others)
        assert expected == pytest.approx(wins, abs=1e-6)


def plain_likelihood(games, point):
    """Return the logarithm of the likelihood, game by game, with half a game for each size of tie.

    `point` maps every agent and every size of tie to a logarithm.
    """

    def odds(picked):
        mean = sum(point[k] for k in picked) / len(picked)
        return math.exp(mean + (point[len(picked)] if len(picked) > 1 else 0))

    sizes = [k for k in point if isinstance(k, int)]
    total = 0.0
    for seats, returns in games:
        left = list(zip(seats, returns, strict=True))
        while left:
            best = max(r for _, r in left)
            contenders = [k for k, _ in left]
            picked = [k for k, r in left if r == best]
            if len(picked) == len(left) < len(seats):
                break
            possible = sum(
                odds(some)
                for size in [1, *sizes]
                for some in itertools.combinations(contenders, size)
            )
            total += math.log(odds(picked) / possible)
            left = [(k, r) for k, r in left if r < best]
    for size in sizes:
        total -= 0.5 * math.log(size + math.exp(point[size]))
    return total


def plain_peak(games, agents, sizes, fixed):
    """Return the maximum of the likelihood, by trying steps along every axis."""
    point = dict.fromkeys([*agents, *sizes], 0.0) | fixed
    reached = plain_likelihood(games, point)
    step = 1.0
    while step > 1e-4:
        moved = False
        for key, sign in itertools.product(point, (-1, 1)):
            if key not in fixed:
                tried = point | {key: point[key] + sign * step}
                value = plain_likelihood(games, tried)
                if value > reached:
                    point, reached, moved = tried, value, True
        if not moved:
            step /= 2
    return point, reached


MIXED = [
    (("a", "b", "c"), (1, -0.5, -0.5)),
    (("a", "b", "c"), (1, -0.5, -0.5)),
    (("b", "c", "a"), (-0.5, 1, -0.5)),
    (("c", "a", "b"), (0, 0, 0)),  # a draw of three
    (("a", "a", "b"), (-0.5, 1, -0.5)),  # two seats of one agent
    (("a", "b", "b"), (-0.5, 1, -0.5)),
    (("b", "c", "c"), (0.5, -1, 0.5)),  # one loser
    (("a", "c"), (1, -1)),
    (("c", "a"), (0, 0)),
    (("c", "b", "a", "b"), (4, 3, 2, 1)),  # a ranking
    (("b", "a", "c"), (3, 1, 2)),
]


def test_ratings_and_intervals_agree_with_a_plain_likelihood():
    agents, sizes = ["a", "b", "c"], [2, 3]
    at, best = plain_peak(MIXED, agents, sizes, {"c": 0.0})
    for r in rate(MIXED, agents, "c"):
        assert r.elo * LOGIT == pytest.approx(at[r.agent], abs=0.002)
        if r.agent != "c":
            for end in (r.low, r.high):
                fixed = {"c": 0.0, r.agent: end * LOGIT}
                _, value = plain_peak(MIXED, agents, sizes, fixed)
                assert 2 * (best - value) == pytest.approx(1.959964**2, abs=0.002)


def test_ratings_of_three_players_follow_their_shares_of_wins():
    wins = {"a": 500, "b": 300, "c": 200}
    games = [
        (("a", "b", "c"), [1 if k == winner else -0.5 for k in "abc"])
        for winner, n in wins.items()
        for _ in range(n)
    ]
    found = by_name(rate(games, "abc", "c"))
    assert found["a"].elo == pytest.approx(400 * math.log10(2.5), abs=1)
    assert found["b"].elo == pytest.approx(400 * math.log10(1.5), abs=1)


def test_an_equal_agent_in_two_of_three_seats_wins_two_thirds():
    games = [(("a", "a", "b"), (1, -0.5, -0.5))] * 20 + [(("a", "a", "b"), (-0.5, -0.5, 1))] * 10
    assert rate(games, ["a", "b"])[0].elo == pytest.approx(0, abs=1e-6)


# -- Against known strengths ------------------------------------------------------------

TRUE = {"random": 0, "a": 150, "b": 350, "c": 900}


LINKS = {f"agent {k:02}": 400 * math.log10(9) * k for k in range(12)}
"""Agents of a chain: each one wins nine of ten games against the one before."""


def result_of(rng, true, a, b, games, draws):
    """Return a simulated result of two agents; `draws` is the odds of a draw between equals."""
    p, q = 10 ** (true[a] / 400), 10 ** (true[b] / 400)
    weights = np.array([p, draws * math.sqrt(p * q), q])
    return pair(a, b, *map(int, rng.multinomial(games, weights / weights.sum())))


def simulated_pairs(rng, games=40):
    return TRUE, [
        result_of(rng, TRUE, a, b, games, 0.4) for a, b in itertools.combinations(TRUE, 2)
    ]


def simulated_few(rng):
    return simulated_pairs(rng, 10)


def simulated_chain(rng, games=100):
    return LINKS, [result_of(rng, LINKS, a, b, games, 0) for a, b in itertools.pairwise(LINKS)]


def simulated_short(rng):
    return simulated_chain(rng, 20)


def simulated_tables(rng):
    games = []
    for _ in range(150):
        seats = rng.choice(list(TRUE), 3)
        strengths = np.array([10 ** (TRUE[k] / 400) for k in seats])
        weights = np.append(strengths, 0.3 * strengths.prod() ** (1 / 3))
        winner = rng.choice(4, p=weights / weights.sum())
        games.append((list(seats), [0.0 if winner == 3 else 1.5 * (k == winner) for k in range(3)]))
    return TRUE, games


@pytest.mark.parametrize(
    ("simulated", "number"),
    [
        (simulated_pairs, 150),
        (simulated_tables, 150),
        (simulated_chain, 40),
        *(
            pytest.param(simulated, 200, marks=pytest.mark.slow)
            for simulated in (simulated_few, simulated_pairs, simulated_short, simulated_chain)
        ),
    ],
)
def test_95_of_100_intervals_contain_the_true_rating(simulated, number):
    held = []
    errors = []
    held_by_leads = []
    for seed in range(number):
        true, results = simulated(np.random.default_rng(seed))
        ratings = rate(results, list(true))
        zero, *_, best = true
        rated = [r for r in ratings if r.agent != zero]
        held += [r.low <= true[r.agent] <= r.high for r in rated]
        errors += [r.elo - true[r.agent] for r in rated]
        # Only for the best agent, which is nearly always the same. Agents next to each other in the
        # table are selected by luck.
        if ratings[0].agent == best:
            lead = ratings[0].lead
            held_by_leads.append(lead.low <= true[best] - true[lead.over] <= lead.high)
    print(f"\n{np.mean(held):.3f} of {len(held)}, mean error {np.mean(errors):.1f}")
    print(f"{np.mean(held_by_leads):.3f} of {len(held_by_leads)} leads")
    assert 0.92 < np.mean(held) < 0.99
    assert 0.91 < np.mean(held_by_leads) <= 1
    assert abs(np.mean(errors)) < np.std(errors) / 1.5


@pytest.mark.parametrize(("agents", "games"), [(50, 10), (20, 100)])
def test_ratings_of_a_long_chain_add_up(agents, games):
    names = [str(k) for k in range(agents)]
    won = 9 * games // 10
    results = [pair(a, b, won, 0, games - won) for b, a in itertools.pairwise(names)]
    top, *_ = rate(results, names)
    true = 400 * math.log10(9) * (agents - 1)
    assert (top.agent, top.elo) == (names[-1], pytest.approx(true, abs=0.1))
    # The standard error of a sum of independent differences.
    half = 1.96 * math.sqrt((agents - 1) / (0.09 * games)) / LOGIT
    assert top.high - top.low == pytest.approx(2 * half, rel=0.03)


# -- Changes without effect -------------------------------------------------------------


@pytest.fixture(scope="module")
def games():
    rng = np.random.default_rng(5)
    return simulated_tables(rng)[1] + MIXED


@pytest.fixture(scope="module")
def agents():
    return [*TRUE]


def test_ratings_do_not_depend_on_the_order_of_agents_games_and_seats(games, agents):
    expected = rate(games, agents, "random")
    shuffled = random.Random(1).sample(games, len(games))
    turned = [(seats[::-1], returns[::-1]) for seats, returns in shuffled]
    assert same(rate(turned, agents[::-1], "random"), expected)


def test_pairs_can_be_swapped_split_and_given_as_games():
    whole = [pair("x", "y", 5, 2, 3), pair("y", "z", 4, 0, 6)]
    expected = rate(whole, "xyz")
    turned = [pair("y", "x", 3, 2, 5), pair("z", "y", 6, 0, 4)]
    assert same(rate(turned, "xyz"), expected)
    split = [pair("x", "y", 5, 0, 3), pair("y", "x", 0, 2, 0), *whole[1:]]
    assert same(rate(split, "xyz"), expected)
    single = (
        [("xy", (1, -1))] * 5 + [("xy", (0, 0))] * 2 + [("yx", np.float32([1, -1]))] * 3 + whole[1:]
    )
    assert same(rate(single, "xyz"), expected)


def test_another_anchor_shifts_all_ratings_equally(games, agents):
    one, other = (by_name(rate(games, agents, k)) for k in ("random", "b"))
    for k in agents:
        assert one[k].elo - other[k].elo == pytest.approx(one["b"].elo, abs=1e-4)
        assert one[k].lead == (None if other[k].lead is None else one[k].lead)
    turned = other["random"]
    assert (one["b"].low, one["b"].high) == pytest.approx((-turned.high, -turned.low), abs=1e-4)


def test_the_scale_of_results_does_not_matter():
    won = rate([("xyz", (1, -0.5, -0.5)), ("xyz", (0, 0, 0))], "xyz")
    assert same(rate([("xyz", (9, 2, 2)), ("xyz", (7, 7, 7))], "xyz"), won)


# -- Draws ------------------------------------------------------------------------------


def test_draws_between_equal_agents_keep_their_ratings_equal():
    for draws in (0, 1, 10, 1000):
        x, y = rate([pair("x", "y", 10, draws, 10)], "xy")
        assert (x.elo, y.elo) == pytest.approx((0, 0), abs=1e-6)


def test_draws_do_not_change_the_odds_of_two_agents():
    found = [
        by_name(rate([pair("x", "y", 200, draws, 100)], "xy", "y"))["x"].elo
        for draws in (0, 50, 500)
    ]
    assert found == pytest.approx([400 * math.log10(2)] * 3, abs=1)


def test_draws_with_a_stronger_agent_raise_a_rating():
    strong = pair("z", "y", 90, 0, 10)
    lost, drawn = (
        by_name(rate([strong, pair("x", "z", *r)], "xyz")) for r in ((2, 0, 8), (2, 8, 0))
    )
    assert drawn["x"].elo - drawn["z"].elo > lost["x"].elo - lost["z"].elo + 100


def test_agents_with_only_draws_have_equal_ratings():
    x, y = rate([pair("x", "y", 0, 100, 0)], "xy")
    assert x.elo == pytest.approx(0, abs=1e-6)
    assert y.elo == pytest.approx(0, abs=1e-6)
    assert -2000 < y.low < 0 < y.high < 2000


# -- Agents that always win -------------------------------------------------------------


@pytest.mark.parametrize("games", [10, 1000, 10**7])
def test_an_agent_that_won_all_games_has_a_finite_rating(games):
    top, bottom = rate([pair("x", "y", games, 0, 0)], "xy", "y")
    assert top.agent == "x"
    assert top.elo == pytest.approx(400 * math.log10(2 * games), abs=110)
    assert top.low < top.elo < top.high < top.elo + 1500
    assert (bottom.elo, bottom.low, bottom.high) == (0, 0, 0)
    # The interval excludes agents that win all games with probability 1%, but not 25%.
    often = [q ** (1 / games) for q in (0.01, 0.25)]
    rare, usual = (400 * math.log10(p / (1 - p)) for p in often)
    assert rare < top.low < usual


def test_more_wins_raise_the_rating_of_an_unbeaten_agent():
    found = [by_name(rate([pair("x", "y", n, 0, 0)], "xy", "y"))["x"] for n in (5, 50, 500)]
    assert sorted(found, key=lambda r: r.elo) == sorted(found, key=lambda r: r.low) == found


def test_a_lead_can_be_clear_although_intervals_overlap():
    results = [
        pair("random", "x", 0, 0, 1000),
        pair("random", "y", 0, 0, 1000),
        pair("x", "y", 300, 0, 700),
    ]
    y, x, last = rate(results, ["random", "x", "y"])
    assert (y.agent, x.agent, last.agent) == ("y", "x", "random")
    assert y.low < x.high
    assert y.lead.over == "x"
    assert y.lead.low > 100
    assert y.lead.elo == pytest.approx(y.elo - x.elo)
    assert (x.lead.elo, x.lead.low, x.lead.high) == (x.elo, x.low, x.high)
    assert last.lead is None


def test_unbeaten_agents_lose_half_a_game_only_to_the_next_weaker_agents():
    # Each agent won all its games, so each lead is that of 20 games to a half.
    names = ["z", "y", "x", "w"]
    results = [pair(a, b, 20, 0, 0) for b, a in itertools.combinations(names, 2)]
    ratings = rate(results, names)
    assert [r.agent for r in ratings] == names[::-1]
    for r in ratings[:-1]:
        assert r.lead.elo == pytest.approx(400 * math.log10(40), abs=10)
    # Agents that won against each other lose half a game together.
    shared = [pair("x", "z", 30, 0, 0), pair("y", "z", 10, 0, 0), pair("x", "y", 5, 0, 5)]
    found = by_name(rate(shared, "xyz", "z"))
    assert found["x"].elo == pytest.approx(400 * math.log10(80), abs=1)
    assert found["y"].elo == pytest.approx(found["x"].elo, abs=1)


def test_draws_make_an_unbeaten_agents_rating_finite():
    # No half game is lost, since x and y show how often equal agents draw.
    games = [(seats, returns) for seats in ("xy", "xz", "yz") for returns in [(1, -1)] * 8]
    games += [(seats, (0, 0)) for seats in ("xy", "xz", "yz") for _ in range(4)]
    games += [("xy", (-1, 1))] * 8
    at, _ = plain_peak(games, ["x", "y", "z"], [2], {"z": 0.0})
    found = by_name(rate(games, "xyz", "z"))
    assert found["x"].elo * LOGIT == pytest.approx(at["x"], abs=0.002)


# -- Agents that never met --------------------------------------------------------------


def test_agents_that_never_met_have_wide_intervals():
    (r,) = [r for r in rate([], ["random", "x"]) if r.agent == "x"]
    assert r.elo == pytest.approx(0, abs=1e-6)
    assert -2000 < r.low < -500
    assert 500 < r.high < 2000


def test_groups_that_never_met_do_not_change_each_other():
    one = [pair("a", "b", 30, 0, 10), pair("b", "c", 20, 0, 20)]
    other = [("xyz", (1, -0.5, -0.5)), ("xyz", (-0.5, 1, -0.5)), ("xyz", (-0.5, -0.5, 1))]
    names = [*"abc", *"xyz", "idle"]
    ratings = rate([*one, *other], names, "c")
    found = by_name(ratings)
    for results, agents in ((one, "abc"), (other, "xyz")):
        for r in rate(results, agents, agents[-1]):
            assert found[r.agent].elo - found[agents[-1]].elo == pytest.approx(r.elo, abs=1e-4)
    groups = {r.agent: r.group for r in ratings}
    assert groups["a"] == groups["b"] == groups["c"] == 0
    assert groups["x"] == groups["y"] == groups["z"] != groups["idle"]
    assert {*groups.values()} == {0, 1, 2}
    for r, below in itertools.pairwise(ratings):
        assert (r.lead is None) == (groups[r.agent] != groups[below.agent])


def test_tables_of_all_kinds_have_ratings():
    rng = np.random.default_rng(0)
    for _ in range(30):
        names = [f"agent {k}" for k in range(rng.integers(1, 7))]
        results = [
            pair(a, b, *(int(10 ** rng.uniform(0, 6)) * int(rng.random() < 0.5) for _ in range(3)))
            for a, b in itertools.product(names, names)
            if rng.random() < 0.5
        ]
        ratings = rate(results, names)
        assert sorted(r.agent for r in ratings) == names
        assert [r.elo for r in ratings] == pytest.approx(
            sorted((r.elo for r in ratings), reverse=True)
        )
        for r in ratings:
            anchored = r.agent == names[0]
            assert (r.low == r.elo == r.high == 0) if anchored else r.low < r.elo < r.high
            assert math.isfinite(r.low)
            assert math.isfinite(r.high)


# -- Arguments --------------------------------------------------------------------------


def test_the_anchor_is_random_or_the_first():
    results = [pair("x", "y", 3, 0, 1), pair("random", "y", 1, 0, 3)]
    for names, anchor in ((["x", "random", "y"], "random"), (["y", "x"], "y")):
        ratings = rate(results if "random" in names else results[:1], names)
        assert [r.agent for r in ratings if r.low == r.high == 0] == [anchor]


def test_an_agent_named_twice_is_rated_once():
    (r,) = rate([pair("greedy", "greedy", 20, 1, 19)], ["greedy", "greedy"])
    assert (r.agent, r.elo) == ("greedy", 0)


def test_ratings_convert_to_the_json_of_the_arena():
    ratings = rate([pair("x", "y", 10, 0, 3)], "xy", "y")
    data = [r.to_dict() for r in ratings]
    assert json.loads(json.dumps(data)) == data
    assert [list(d) for d in data] == [["agent", "elo", "low", "high"]] * 2
    assert data[0]["elo"] == round(ratings[0].elo, 1)
    assert data[1] == {"agent": "y", "elo": 0.0, "low": 0.0, "high": 0.0}


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([pair("x", "z", 1, 0, 0)], "results .*'z'"),
        ([(("x", "z"), (1, -1))], "results .*'z'"),
        ([(("x", ["y"]), (1, -1))], r"results .*\['y'\]"),
        ([{"a": "x", "b": "y", "wins": 3}], "result .*games is missing"),
        ([pair("x", "y", 1, 0, 0) | {"games": 2}], "x - y: games must be .*2"),
        ([pair("x", "y", -1, 0, 2)], "wins must be .*-1"),
        ([pair("x", "y", 0.5, 0, 0.5)], "games must be .*1.0"),
        ([(("x", "y"), (1, 2, 3))], "game must be .*3"),
        ([(("x",), (1,))], "game must be .*x"),
        ([(("x", "y"), (1, math.nan))], "game must be .*nan"),
        ([3], "game must be .*3"),
        ([("x", "y", "z")], "game must be .*z"),
        ([("xy", ("won", "lost"))], "game must be .*won"),
    ],
)
def test_invalid_results_are_refused(refused, results, said):
    with refused(said):
        rate(results, ["x", "y"])


def test_invalid_agents_and_anchors_are_refused(refused):
    with refused("agents "):
        rate([], [])
    with refused("anchor .*'z'"):
        rate([], ["x", "y"], "z")
