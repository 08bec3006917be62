"""Self-play by search: its training samples, checked on single positions."""

from types import SimpleNamespace

import numpy as np
import pytest

import agents
import boardenvs
from agents.training.self_play.searched_games import SearchedGames
from agents.training.settings import GuidedSettings


def uniform(game):
    """Return an evaluator that gives every position the value 0."""

    def evaluate(states):
        return np.zeros((len(states), game.num_actions), np.float32), np.zeros(len(states))

    return SimpleNamespace(evaluate=evaluate)


@pytest.fixture(scope="module")
def gomoku():
    return boardenvs.make("gomoku", board_size=5, win_length=4)


def begun(game, seed=0, opponents=(), evaluator=None, **changes):
    """Return games with small searches, all of them full."""
    small = {"games": 6, "simulations": 40, "cheap_simulations": 4, "full_share": 1.0}
    settings = GuidedSettings(**{**small, "temperature_plies": 0, "warm_up": 0, **changes})
    rng = np.random.default_rng(seed)
    return SearchedGames(
        game, settings, rng, evaluator or uniform(game), opponents, num=settings.games
    )


def set_up(games, *actions):
    """Bring all games to the position after these actions."""
    states = games.game.new(len(games.states))
    for action in actions:
        games.game.play(states, np.full(len(states), action))
    games.states = states


@pytest.mark.parametrize("seat", [0, 1])
def test_an_immediate_win_gets_the_visits_and_both_seats_get_the_result(seat, gomoku):
    games = begun(gomoku, considered=25)
    # Three in the second row, which cell 9 completes. Cell 5 belongs to the other colour.
    waiting = [24] if seat else []
    set_up(games, *waiting, 6, 5, 7, 0, 8)
    first = games.play_ply()  # the defender has only the move 9
    assert len(first.samples) == 0
    assert first.searched == 6
    np.testing.assert_array_equal(games.pending["policy"].argmax(1), 9)
    np.testing.assert_array_equal(games.states["last_action"], 9)
    set_up(games, *waiting, 6, 5, 7, 0, 8, 4)
    ended = games.play_ply()
    samples = ended.samples
    np.testing.assert_array_equal(ended.lengths, np.full(6, 7 + seat))
    won = samples["seats"][:, 0] == seat
    winners, losers = samples[won], samples[~won]
    assert len(winners) == len(losers) == 6
    np.testing.assert_array_equal(winners["policy"][:, 9], 1)
    np.testing.assert_array_equal(winners["value"], 1)
    np.testing.assert_array_equal(losers["value"], -1)
    # The winner's stones come first in its observation, in either seat.
    assert (winners["observation"][:, 0].reshape(6, -1)[:, [6, 7, 8]] == 1).all()
    assert len(games.pending) == 0
    assert (games.states["ply"] == 0).all()


def test_the_values_target_mixes_result_and_search_value(gomoku):
    games = begun(gomoku, search_value_share=0.25, full_share=1.0)
    games.states["ply"] = 0
    set_up(games, 6, 5, 7, 0, 8, 4)
    games.pending = np.zeros(1, games.pending.dtype)
    games.pending["value"], games.pending["share"] = 0.5, 0.25
    games.pending["seats"] = 1
    samples = games.play_ply().samples
    assert samples[samples["seats"][:, 0] == 1]["value"] == pytest.approx(-0.75 + 0.25 * 0.5)


def test_policy_targets_are_shares_of_the_legal_actions(gomoku):
    games = begun(gomoku)
    set_up(games, 12, 7)
    games.play_ply()
    pending = games.pending
    legal = np.unpackbits(pending["legal"], axis=1, count=25)
    np.testing.assert_array_equal(np.flatnonzero(legal[0] == 0), [7, 12])
    assert (pending["policy"][:, [7, 12]] == 0).all()
    assert pending["policy"].sum(1, dtype=np.float64) == pytest.approx(np.ones(6), abs=2e-3)


def test_full_searches_become_samples_and_sample_their_actions(gomoku):
    games = begun(gomoku, games=200, full_share=0.3)
    assert games.play_ply().searched == 200
    assert 30 <= len(games.pending) <= 90
    # All games are at their start, so searches without noise would agree.
    first = games.states["last_action"]
    assert len(np.unique(first[games.pending["game"]])) > 10
    cheap = np.setdiff1d(np.arange(200), games.pending["game"])
    assert len(np.unique(first[cheap])) == 1


def test_early_cheap_searches_sample_their_actions(gomoku):
    games = begun(gomoku, games=100, full_share=1e-9, temperature_plies=1)
    games.play_ply()
    assert len(np.unique(games.states["last_action"])) > 10
    set_up(games, 12)
    games.play_ply()
    assert len(np.unique(games.states["last_action"])) == 1
    assert len(games.pending) == 0


def test_openings_are_random_and_not_searched(gomoku):
    games = begun(gomoku, games=300, opening_plies=2)
    counts = [games.play_ply().searched for _ in range(3)]
    # Openings have none, one or two plies with equal probability.
    assert counts[0] == pytest.approx(100, abs=30)
    assert counts[1] == pytest.approx(200, abs=30)
    assert counts[2] == 300


def test_the_fixed_opponents_have_their_share_of_the_games(gomoku):
    random, greedy = (agents.make(spec, gomoku, 0) for spec in ("random", "greedy"))
    games = begun(gomoku, games=40, opponents=[random, greedy], opponent_share=0.5)
    seats = games.seats
    assert (seats[20:] == -1).all()
    assert set(seats[:20]) == {0, 1}
    played = games.play_ply()
    assert played.searched == 40 - np.count_nonzero(seats == 1)
    # Each ply of the learner gives one sample with the value for its seat.
    for _ in range(30):
        samples = games.play_ply().samples
        against = samples[samples["game"] < 20]
        for game in np.unique(against["game"]):
            assert len(np.unique(against["seats"][against["game"] == game])) == 1


@pytest.mark.slow
def test_the_search_does_not_know_future_dice():
    game = boardenvs.make("goat_race")
    shown = []

    def evaluate(states):
        shown.append(states.copy())
        return np.zeros((len(states), game.num_actions), np.float32), np.zeros(len(states))

    games = begun(game, simulations=5, evaluator=SimpleNamespace(evaluate=evaluate))
    before = games.states.copy()
    games.play_ply()
    roots = shown[0]
    assert not np.isin(roots["rng"], before["rng"]).any()


@pytest.mark.slow
def test_each_of_three_players_gets_its_own_result():
    game = boardenvs.make("goat_race")
    games = begun(game, simulations=5, games=20)
    draws = {(seat, 0.0) for seat in range(3)}
    results = set()
    while len(results - draws) < 6:
        for sample in games.play_ply().samples:
            results.add((int(sample["seats"][0]), float(sample["value"][0])))
    assert results - draws == {(seat, value) for seat in range(3) for value in (1.0, -0.5)}
