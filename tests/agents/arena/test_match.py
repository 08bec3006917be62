"""Matches: fair seats, shared openings, and equal results for equal seeds."""

import numpy as np
import pytest
from two_games import others_slow

import agents
import boardenvs
from agents.arena import match, play_match
from agents.arena.match import Match


class First:
    """A player of the first legal action that records the states it receives."""

    def __init__(self, game, spec="first"):
        self.game = game
        self.spec = spec
        self.seen = [game.new(0)]

    def act(self, states):
        self.seen.append(states.copy())
        return self.game.legal(states).argmax(1)

    def all_seen(self):
        return np.concatenate(self.seen)


class Answers(First):
    """A player that returns a function of the states."""

    def __init__(self, game, answer):
        super().__init__(game, "mine:answers")
        self.answer = answer

    def act(self, states):
        return self.answer(states)


def same(a, b):
    return np.array_equal(a.returns, b.returns) and np.array_equal(a.plies, b.plies)


def pairs(game, tiny):
    """Return players of every kind, one for each seat."""
    others = ["random"] * (game.num_players - 1)
    result = [["random", *others], ["greedy", *others], [First(game), *others]]
    if game.name == "gekitai":
        warm = agents.make(tiny.spec, game, temperature=1.0)
        result += [[tiny.spec, "greedy"], [warm, tiny.spec], [tiny.spec, First(game)]]
    return result


# -- Effects of the seed ----------------------------------------------------------------


def test_the_seed_determines_a_match(game, tiny):
    for players in pairs(game, tiny):
        one, again, other = (play_match(game, players, 60, seed) for seed in (1, 1, 2))
        assert same(one, again)
        if "random" in players:
            assert not same(one, other)


def test_without_a_seed_matches_differ(gekitai):
    assert not same(*(play_match(gekitai, ["random", "random"], 30) for _ in range(2)))


def test_a_longer_match_begins_like_a_shorter_one(game, tiny):
    for players in pairs(game, tiny):
        long, short = (play_match(game, players, num, seed=3) for num in (60, 21))
        np.testing.assert_array_equal(long.returns[:21], short.returns)
        np.testing.assert_array_equal(long.plies[:21], short.plies)


@pytest.mark.parametrize("side_by_side", [1, 7])
def test_the_batch_size_does_not_change_a_match(game, tiny, monkeypatch, side_by_side):
    whole = [play_match(game, players, 40, seed=4) for players in pairs(game, tiny)]
    monkeypatch.setattr(match, "_SIDE_BY_SIDE", side_by_side)
    parts = [play_match(game, players, 40, seed=4) for players in pairs(game, tiny)]
    assert all(map(same, whole, parts))


def test_games_of_one_match_differ(gekitai, tiny):
    for players in pairs(gekitai, tiny):
        assert len(set(play_match(gekitai, players, 60, seed=5).plies.tolist())) > 5


# -- Seats and openings -----------------------------------------------------------------


def opened(player, plies):
    """Return a player's boards right after the opening, sorted."""
    states = player.all_seen()
    return sorted(boards(player.game, states[states["ply"] == plies]))


def boards(game, states):
    return [game.to_text(state) for state in states]


FOR_TWO = [name for name in boardenvs.GAMES if boardenvs.make(name).num_players == 2]


@pytest.fixture(params=others_slow(FOR_TWO))
def for_two(request):
    """Return each two-player game in turn."""
    return boardenvs.make(request.param)


@pytest.mark.parametrize("plies", [0, 2, 3])
def test_both_seatings_have_the_same_opening(for_two, plies):
    players = [First(for_two), First(for_two)]
    play_match(for_two, players, 60, seed=6, opening_plies=plies)
    openings = [opened(player, plies) for player in players]
    assert len(openings[0]) == len(openings[1]) == 30
    assert openings[0] == openings[1]
    assert len(set(openings[0])) > (10 if plies else 0)
    # Each player moves in each seat in 30 games.
    for player in players:
        states = player.all_seen()
        assert (states["ply"] == plies).sum() == 30
        assert set(states["to_move"].tolist()) == {0, 1}
        assert states["ply"].min() == plies


class Seats(First):
    """A player that records its seat in each deal; the obstacles identify the deal."""

    def act(self, states):
        self.deals.update(zip(map(bytes, states["blocked"]), states["to_move"], strict=True))
        return super().act(states)


@pytest.mark.parametrize("num_players", [3, 5])
def test_each_game_of_several_players_has_its_own_deal(num_players):
    game = boardenvs.make("goat_race", num_players=num_players)
    players = [Seats(game) for _ in range(num_players)]
    for player in players:
        player.deals = {}
    num = 4 * num_players
    play_match(game, players, num, seed=6)
    deals = [player.deals for player in players]
    assert len({deal for told in deals for deal in told}) == num
    # Each player has each seat equally often, and one seat per deal.
    for told in deals:
        assert np.bincount(list(told.values())).tolist() == [4] * num_players
    for deal in deals[0]:
        assert sorted(told[deal] for told in deals) == list(range(num_players))


def test_mirrored_games_of_two_agents_in_several_seats_have_the_same_deal():
    game = boardenvs.make("goat_race", num_players=3)
    player = Seats(game)
    player.deals = {}
    two = Match(game, [player, agents.make("random", game)], 0)
    assert sum(len(games) for games in two.play(np.arange(60)) if games is not None) == 60
    assert len(player.deals) == 30


def test_openings_vary_as_much_as_random_play(gekitai):
    first = First(gekitai)
    play_match(gekitai, [first, First(gekitai)], 600, seed=6, opening_plies=2)
    # 300 samples of 36 * 35 pairs of cells contain about 267 different pairs.
    assert len(set(opened(first, 2))) > 230


def test_equal_agents_have_equal_scores(for_two):
    # Each opening is played twice with swapped seats, so equal players score equally.
    scores = play_match(for_two, [First(for_two), First(for_two)], 40, seed=7)
    assert scores[0] == scores[1] == 0.5
    np.testing.assert_array_equal(scores.returns[::2], -scores.returns[1::2])
    np.testing.assert_array_equal(scores.plies[::2], scores.plies[1::2])


@pytest.mark.parametrize(
    ("other", "plies"), [("first", 2), ("tiny", 2), ("greedy", 0), ("random", 0), ("warm", 0)]
)
def test_openings_are_random_if_no_agent_is(gekitai, tiny, other, plies):
    first = First(gekitai)  # does not declare itself deterministic
    players = {
        "first": First(gekitai),
        "tiny": tiny.spec,
        "warm": agents.make(tiny.spec, gekitai, temperature=1.0),
    }
    play_match(gekitai, [first, players.get(other, other)], 20, seed=8)
    assert first.all_seen()["ply"].min() == plies


def test_an_agent_that_declares_randomness_gets_no_random_opening(gekitai):
    first, second = First(gekitai), First(gekitai)
    second.deterministic = False
    play_match(gekitai, [first, second], 10, seed=8)
    assert first.all_seen()["ply"].min() == 0


@pytest.mark.parametrize(("name", "plies"), [("game112", 6), ("game112", 8), ("gekitai", 12)])
def test_no_game_ends_in_its_opening(name, plies):
    game = boardenvs.make(name)
    first = First(game)
    scores = play_match(game, [first, "random"], 200, seed=9, opening_plies=plies)
    assert scores.plies.min() > plies
    asked = first.all_seen()
    assert not game.over(asked).any()


@pytest.mark.parametrize("players", [2, "greedy"])
@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("game112", {"board_size": 1}),
        ("game112", {"board_size": 2}),
        ("game112", {"board_size": 3}),
        ("game112", {"max_plies": 2}),
        ("gekitai", {"max_plies": 2}),
    ],
)
def test_short_games_have_shorter_openings(name, params, players):
    game = boardenvs.make(name, **params)
    opponent = First(game) if players == 2 else players
    assert play_match(game, [First(game), opponent], 10, seed=0).games == 10


def test_an_opening_as_long_as_the_game_is_refused(refused):
    game = boardenvs.make("game112", board_size=3)
    with refused("opening_plies .*game112.* 3"):
        play_match(game, ["random", "random"], 4, seed=0, opening_plies=3)


# -- States and actions of agents -------------------------------------------------------


def test_agents_receive_concealed_states(game, monkeypatch):
    true = []
    ask = match.ask

    def spy(player, asked_game, states, words):
        if not isinstance(player, str):
            true.append(states.copy())
        return ask(player, asked_game, states, words)

    monkeypatch.setattr(match, "ask", spy)
    players = [First(game, f"player {k}") for k in range(game.num_players)]
    play_match(game, players, 50, seed=10)
    asked = np.concatenate(true)
    told = [states for player in players for states in player.seen[1:]]
    assert sum(map(len, told)) == len(asked)
    told = np.concatenate(told)
    assert not np.isin(told["rng"], asked["rng"]).any()
    assert len(np.unique(told["rng"])) == len(told)
    assert game.legal(told).any(1).all()
    # Agents receive everything that is visible.
    assert sorted(boards(game, told)) == sorted(boards(game, asked))
    shown = [game.observe(states, game.to_move(states)) for states in (told, asked)]
    assert sorted(o.tobytes() for o in shown[0]) == sorted(o.tobytes() for o in shown[1])


def test_an_agent_cannot_change_the_game(gekitai):
    def cheat(states):
        actions = gekitai.legal(states).argmax(1)
        states["to_move"] = 0
        states["returns"] = 1
        states["terminated"] = True
        return actions

    honest = play_match(gekitai, [First(gekitai), "random"], 20, seed=0)
    assert same(play_match(gekitai, [Answers(gekitai, cheat), "random"], 20, seed=0), honest)


def test_an_illegal_action_loses(gekitai):
    # This plays the cell of the previous action, which is occupied. Any action is legal on the
    # empty board.
    repeats = Answers(gekitai, lambda states: np.maximum(states["last_action"], 0))
    scores = play_match(gekitai, [repeats, "random"], 40, seed=0, opening_plies=0)
    assert scores.losses == [40, 0]
    assert scores.wins == [0, 40]
    np.testing.assert_array_equal(scores.plies, [2, 1] * 20)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda s: np.full(len(s), 36), "action.* 36$"),
        (lambda s: np.full(len(s), -1), "action.* -1$"),
        (lambda s: np.zeros(len(s)), "actions .*float64"),
        (lambda s: np.zeros(len(s), bool), "actions .*bool"),
        (lambda s: np.zeros((len(s), 1), int), "actions "),
        (lambda s: np.zeros(len(s) + 1, int), "actions "),
        (lambda s: 3, "actions "),
        (lambda s: ["A1"] * len(s), "actions "),
        (lambda _: None, "actions "),
        (lambda _: "A1", "actions "),
        (lambda _: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda _: {}["no"], "KeyError: 'no'"),
        (lambda _: int("two\nlines"), "ValueError: invalid literal"),
        (lambda _: (_ for _ in ()).throw(RuntimeError("two\nlines")), "RuntimeError: two lines"),
    ],
)
def test_an_invalid_action_raises_an_error_with_the_agents_name(gekitai, refused, answer, said):
    with refused(f"agent mine:answers failed: .*{said}"):
        play_match(gekitai, [Answers(gekitai, answer), "random"], 10, seed=0)


def test_an_agent_without_a_spec_is_named_by_its_class(gekitai, refused):
    class Mute:
        act = None

    for player, name in ((Mute(), "Mute"), (object(), "object"), (3, "int")):
        with refused(name):
            play_match(gekitai, ["random", player], 10, seed=0)


# -- Arguments --------------------------------------------------------------------------


@pytest.mark.parametrize("num", [0, -1, 1.5, "10", True, None])
def test_a_bad_number_of_games_is_refused(gekitai, refused, num):
    with refused("num_games must be "):
        play_match(gekitai, ["random", "random"], num)


@pytest.mark.parametrize("players", [[], ["random"], ["random"] * 3])
def test_a_wrong_number_of_agents_is_refused(gekitai, refused, players):
    with refused(f"2 agents.* {len(players)}"):
        play_match(gekitai, players, 10)


@pytest.mark.parametrize("plies", [-1, 200, 0.5, "2"])
def test_a_bad_opening_is_refused(gekitai, refused, plies):
    with refused("opening_plies must be "):
        play_match(gekitai, ["random", "random"], 10, opening_plies=plies)


@pytest.mark.parametrize("seed", [-1, "0", 0.5])
def test_a_bad_seed_is_refused(gekitai, refused, seed):
    with refused("seed must be "):
        play_match(gekitai, ["random", "random"], 10, seed)


def test_game_and_agents_may_be_names(gekitai, refused):
    by_name = play_match("gekitai", ["greedy", "random"], 20, seed=1)
    made = [agents.make(spec, gekitai) for spec in ("greedy", "random")]
    assert same(by_name, play_match(gekitai, made, 20, seed=1))
    with refused("agent 'gready'"):
        play_match("gekitai", ["gready", "random"], 20)


def test_progress_counts_every_game(gekitai):
    finished = []
    play_match(gekitai, ["random", "random"], 33, seed=1, progress=finished.append)
    assert sum(finished) == 33
    assert min(finished) > 0
    assert len(finished) > 5


def test_greedy_beats_random(gekitai):
    scores = play_match(gekitai, ["greedy", "random"], 1000, seed=0)
    low, high = scores.interval(0)
    print(f"\n{scores.games} games: {scores[0]:.3f} ({low:.3f} to {high:.3f})")
    assert low > 0.9


def test_greedy_beats_random_in_the_112_game(game112):
    scores = play_match(game112, ["greedy", "random"], 1000, seed=0)
    print(f"\n{scores.games} games: {scores[0]:.3f} {scores.interval(0)}")
    assert scores.interval(0)[0] > 0.5
