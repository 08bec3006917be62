"""The frozen ladders: unchanged agents, and ratings that follow from the games."""

import itertools

import numpy as np
import pytest
from two_games import TWO

import agents
from agents.analysis.intervals import wilson
from agents.arena.match import Match
from agents.benchmark.ladder import choices_of, read_ladder
from agents.benchmark.tasks import SUITES
from agents.benchmark.tournament import Crosstable, neighbour_errors, next_pair, rate_ladder
from agents.naming.spec import Spec
from agents.seeds import agent_seed

LADDERS = [(name, task.name) for name, tasks in SUITES.items() for task in tasks]
REPLAYED = 4


@pytest.mark.parametrize("suite", SUITES)
def test_a_task_has_the_name_of_its_game(suite):
    """Tasks have the name of their game, with a suffix after a hyphen if there are several."""
    for task in SUITES[suite]:
        assert task.name == task.game or task.name.startswith(f"{task.game}-")
        assert read_ladder(suite, task.name).data["game"] == task.game


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(one, marks=[] if one[1] in TWO else pytest.mark.slow, id="-".join(one))
        for one in LADDERS
    ],
)
def ladder(request):
    return read_ladder(*request.param)


def cheap(spec):
    """Return whether an agent needs neither a network nor many simulations."""
    return spec.rpartition(":")[2] in ("random", "greedy")


def check_choices(ladder, wanted):
    game = ladder.task.make()
    for agent in ladder.data["agents"]:
        if wanted(agent["spec"]):
            assert choices_of(Spec.of(agent["spec"], game)) == agent["choices"], (
                f"{agent['spec']} plays otherwise than when suite {ladder.suite} was made: "
                "the suite needs a new version"
            )


def test_cheap_agents_choose_the_recorded_actions(ladder):
    check_choices(ladder, cheap)


@pytest.mark.slow
def test_other_agents_choose_the_recorded_actions(ladder):
    check_choices(ladder, lambda spec: not cheap(spec))


def test_an_agent_that_plays_differently_fails_the_check(monkeypatch):
    ladder = read_ladder("v1", "game112")
    name = "agents.players.greedy.GreedyAgent.choose"
    monkeypatch.setattr(name, lambda self, states, words: self.game.legal(states).argmax(1))
    with pytest.raises(AssertionError, match="the suite needs a new version"):
        check_choices(ladder, cheap)


def replay(ladder, wanted):
    """Replay the first games of matches and compare them."""
    game, task, seed = ladder.task.make(), ladder.task, ladder.data["made"]["seed"]
    matches = ladder.data.get("pairs") or ladder.data["solos"]
    for told in matches:
        specs = [told["a"], told["b"]] if "a" in told else [told["agent"]]
        if not wanted(specs):
            continue
        players = [agents.make(s, game, agent_seed(seed, k)) for k, s in enumerate(specs)]
        match = Match(game, players, seed, task.opening_plies, task.openings)
        found = {}
        for games in match.play(np.arange(REPLAYED)):
            for k, number in enumerate([] if games is None else games.numbers.tolist()):
                returns = games.returns[k].astype(float)
                mine = returns[games.who[k] == 0].mean()
                rest = returns[games.who[k] == 1]
                lead = mine - (rest.mean() if len(rest) else 0)
                found[number] = f"{'ldw'[int(np.sign(lead)) + 1]}{games.plies[k]}"
        assert [found[k] for k in range(REPLAYED)] == told["first"].split()[:REPLAYED], specs


def test_the_first_games_of_cheap_agents_are_reproduced(ladder):
    replay(ladder, lambda specs: all(map(cheap, specs)))


@pytest.mark.slow
def test_the_first_games_of_other_agents_are_reproduced(ladder):
    replay(ladder, lambda specs: not all(map(cheap, specs)))


def test_ladder_ratings_follow_from_the_games(ladder):
    if ladder.scale is None:
        assert [solo["agent"] for solo in ladder.data["solos"]] == list(ladder.specs)
        assert ladder.shares[0] == min(ladder.shares)
        return
    table = Crosstable.none(len(ladder.specs))
    for pair in ladder.data["pairs"]:
        counts = np.array(pair["pair_scores"])
        values = np.arange(5) / 2
        a, b = (ladder.specs.index(pair[side]) for side in "ab")
        assert 2 * counts.sum() == pair["games"] == pair["wins"] + pair["draws"] + pair["losses"]
        assert counts @ values == pair["wins"] + pair["draws"] / 2
        table.pairs[a, b] = counts.sum()
        table.scores[a, b] = counts @ values
        table.squares[a, b] = counts @ (values - 1) ** 2
    scale = rate_ladder(table)
    np.testing.assert_allclose(scale.elo, ladder.scale.elo, atol=0.01)
    np.testing.assert_allclose(scale.covariance, ladder.scale.covariance, atol=0.01)
    np.testing.assert_allclose(neighbour_errors(scale), ladder.data["neighbours"], atol=0.01)
    assert ladder.specs[0] == "random"
    assert ladder.specs == ladder.task.agents
    assert (np.diff(scale.elo) > 0).all()


def test_neighbours_on_the_ladder_have_close_scores(ladder):
    """Neighbours score 0.55 to 0.85 against each other, within the intervals of few games."""
    if ladder.scale is None:
        return
    played = {(pair["a"], pair["b"]): pair for pair in ladder.data["pairs"]}
    for weaker, stronger in itertools.pairwise(ladder.specs):
        pair = played[stronger, weaker]
        low, high = wilson(pair["wins"] + pair["draws"] / 2, pair["games"])
        assert high >= 0.55, (stronger, weaker)
        assert low <= 0.85, (stronger, weaker)


def test_the_least_certain_difference_is_played_next():
    table = Crosstable.none(4)
    assert next_pair(table, 0, 50) == (0, 1)
    for high, low in ((1, 0), (2, 1), (3, 2)):
        table.pairs[high, low], table.scores[high, low], table.squares[high, low] = 100, 140, 60
    assert next_pair(table, 4, 50) == (0, 2)  # in every fifth round
    table.pairs[2, 1], table.scores[2, 1], table.squares[2, 1] = 50, 70, 30
    assert next_pair(table, 0, 50) == (1, 2)  # the least certain difference
    most = np.full((4, 4), np.inf)
    most[2, 1] = 50  # all of their games are played
    assert next_pair(table, 0, 50, most) in {(0, 2), (0, 3), (1, 3)}


def test_an_uncertain_pair_does_not_block_other_pairs():
    """A pair that has played all its games, but stays uncertain, does not block other pairs."""
    table, most = Crosstable.none(4), np.full((4, 4), np.inf)
    most[3, 2] = 50
    rounds = {}
    for number in range(200):
        low, high = next_pair(table, number, 50, most)
        rate = 1 / (1 + 3.0 ** (low - high))  # neighbours score 0.75
        table.pairs[high, low] += 25
        table.scores[high, low] += 25 * 2 * rate
        table.squares[high, low] += 25 * ((2 * rate - 1) ** 2 + 2 * rate * (1 - rate))
        rounds[low, high] = rounds.get((low, high), 0) + 1
    assert rounds[2, 3] == 2
    assert rounds[0, 1] > 25
    assert rounds[1, 2] > 25
    assert neighbour_errors(rate_ladder(table)).max() < 25  # 48 with only 50 pairs of games
