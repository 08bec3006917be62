"""The `exact` of Goat Race, compared with plain expectimax and with iteration on the rules."""

import math

import numpy as np
import pytest
import small_race
from plain_race import PlainRace

import agents
import boardenvs
from agents.analysis.judgement import judge
from agents.dev.__main__ import main
from agents.dev.values.goat_race_values import race
from agents.games.goat_race.exact import GoatRaceExactAgent
from agents.games.goat_race.solution import Solution
from boardenvs.goat_race.rules import FORWARD, PLACE, SIDEWAYS

WALLS = [(1, "B"), (2, "D")]
SPREAD = ((1, "B"), (2, "D"), (3, "B"))
"""Obstacles that leave the way to all other cells open."""


def small(goats, players=2, **params):
    return race(goats, num_players=players, width=5, height=2, **{"obstacles": WALLS} | params)


def plain_of(game, state):
    walls = [int(bits).bit_length() - 1 for bits in state["blocked"]]
    jump = game.params["draw_rule"] == "jump"
    goats, arrivals = (int(game.constants[name][0]) for name in ("goats", "arrivals"))
    return PlainRace(game.num_players, goats, arrivals, 2, 5, walls, jump=jump)


def board_of(state):
    """Return stacks of places in the order of play, from the bottom."""
    places = np.argsort(state["order"])
    rows = []
    for row in state["stacks"].tolist():
        digits = [f"{stack:o}" if stack else "" for stack in row]
        rows.append(tuple("".join(str(places[int(d) - 1]) for d in digit) for digit in digits))
    return tuple(rows)


def plain_values(game, plain, state):
    """Return the results by seat after each action, by plain expectimax."""
    board, left = board_of(state), game.max_plies - int(state["ply"])
    order = state["order"].tolist()
    place = order.index(state["to_move"])
    row = int(state["die"]) - 1
    if state["decision"] == PLACE:
        found = plain.place_values(board, int(state["ply"]), left)
    elif state["decision"] == FORWARD:
        ways = plain.ahead_values(board, place, row, left)
        found = {game.stay + 1 + start[1]: value for (start, _), value in ways.items()}
    else:
        ways = plain.aside_values(board, place, row, left)
        found = {game.stay: ways.pop(None)}
        for ((r, c), (to, _)), value in ways.items():
            found[2 + 2 * (5 * r + c) + (to > r)] = value
    return {action: [v[order.index(seat)] for seat in range(len(v))] for action, v in found.items()}


def random_states(game, num, seed):
    """Return all unfinished positions of random games."""
    rng = np.random.default_rng(seed)
    states, seen = game.new(num, seed), []
    while len(states):
        seen.append(states.copy())
        legal = game.legal(states)
        game.play(states, np.argmax(rng.random(legal.shape) * legal, axis=1))
        states = states[~game.over(states)]
    return np.concatenate(seen)


@pytest.mark.parametrize("rule", ["forward", "jump"])
@pytest.mark.parametrize(
    ("players", "goats", "plies", "longest"),
    [(2, 1, 16, 16), (2, 1, 17, 17), (2, 2, 30, 8), (3, 1, 14, 9)],
)
def test_values_near_the_longest_game_agree_with_plain_expectimax(
    players, goats, plies, longest, rule
):
    game = small(goats, players, draw_rule=rule, max_plies=plies)
    agent = agents.make("exact", game)
    states = random_states(game, 25, 1)
    states = states[plies - states["ply"] <= longest]
    plain = plain_of(game, states[0])
    values, own = agent.values(states), agent.action_values(states)
    assert values.dtype == own.dtype == np.float32
    kinds = set()
    for k, state in enumerate(states):
        found = plain_values(game, plain, state)
        seat = int(state["to_move"])
        assert sorted(found) == np.flatnonzero(~np.isnan(own[k])).tolist()
        for action, results in found.items():
            assert own[k, action] == pytest.approx(results[seat], abs=1e-6)
        expected = plain.best(seat, [tuple(results) for results in found.values()])
        assert values[k] == pytest.approx(expected, abs=1e-6)
        kinds.add((int(state["decision"]), max(expected) > 0.01))
    assert len(kinds) >= 4


def test_values_agree_with_value_iteration_on_the_rules():
    game = small_race.small_race()
    iterated = small_race.Solution(game)
    states, expected = small_race.choices(iterated, 300, 4)
    states["ply"] = 10
    found = agents.make("exact", game).action_values(states)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("rule", ["forward", "jump"])
def test_sweeps_that_are_left_out_change_no_value(rule):
    agent = agents.make("exact", small(2, draw_rule=rule))
    one = agent.race(agent.game.new(1, 0)[0])
    solution, whole = Solution(one), Solution(one)
    for (left, found), (same, expected) in zip(
        solution.at([398, 399], 2000), whole._computed([398, 399], -1.0), strict=True
    ):
        assert left == same
        for values, others in zip(found, expected, strict=True):
            np.testing.assert_allclose(values, others, atol=1e-10)
    assert solution._final.sweeps < 200
    assert whole._final is None
    even, odd = solution._final.by_parity
    assert np.allclose(even.turn, odd.turn, atol=1e-9) is (rule == "forward")
    again = [found.turn.copy() for _, found in solution.at([3, 1000], 2000)]
    np.testing.assert_array_equal(again[1], even.turn)
    ((_, few),) = whole._computed([3], -1.0)
    np.testing.assert_array_equal(again[0], few.turn)


@pytest.mark.parametrize("seats", [2, 3])
def test_perfect_play_scores_its_value(seats):
    game = small(2 if seats == 2 else 1, seats)
    exact = agents.make("exact", game, seed=1)
    num = 3000
    states = game.new(num, 5)
    expected = exact.values(states).mean(0)
    while not game.over(states).all():
        live = np.flatnonzero(~game.over(states))
        part = states[live]
        game.play(part, exact.act(part), illegal="raise")
        states[live] = part
    error = 4 / math.sqrt(num)
    assert game.returns(states).mean(0) == pytest.approx(expected, abs=error)


def test_choices_are_uniform_among_the_best_actions():
    game = small(2)
    exact = agents.make("exact", game, seed=0)
    states = random_states(game, 20, 3)[::9]
    shares, own = exact.policies(states), exact.action_values(states)
    np.testing.assert_allclose(shares.sum(1), 1)
    best = own >= np.nanmax(own, 1, keepdims=True) - 1e-6
    np.testing.assert_array_equal(shares > 0, best)
    bits = np.random.default_rng(0).integers(0, 2**64, len(states), np.uint64)
    actions, analyses = exact.consider(states, bits)
    np.testing.assert_array_equal(actions, exact.choose(states, bits))
    assert best[np.arange(len(states)), actions].all()
    for analysis, values in zip(analyses, exact.values(states), strict=True):
        assert analysis.values == pytest.approx(values.tolist(), abs=1e-4)
    counts = np.bincount(exact.act(states[:1].repeat(4000)), minlength=game.num_actions)
    assert counts / 4000 == pytest.approx(shares[0], abs=0.05)


def test_memory_changes_no_value():
    states = random_states(small(2), 10, 2)
    values = [
        agents.make("exact", small(2, memory=memory)).values(states) for memory in (False, True)
    ]
    np.testing.assert_array_equal(*values)


def test_each_deal_of_obstacles_has_its_values():
    game = small(1, obstacles=None)
    states = game.new(40, 0)
    values = agents.make("exact", game).values(states)
    for state, value in zip(states[:6], values, strict=False):
        walls = [(k + 1, "ABCDE"[int(b).bit_length() - 1]) for k, b in enumerate(state["blocked"])]
        fixed = small(1, obstacles=walls)
        np.testing.assert_allclose(agents.make("exact", fixed).values(state)[0], value, atol=1e-6)
    assert len(np.unique(values[:, 0])) > 1


def test_races_that_are_over_have_their_result():
    game = small(1)
    states = game.new(20, 0)
    rng = np.random.default_rng(0)
    for _ in range(200):
        live = ~game.over(states)
        part = states[live]
        game.play(part, np.argmax(rng.random((len(part), game.num_actions)) * game.legal(part), 1))
        states[live] = part
    agent = agents.make("exact", game)
    assert game.over(states).all()
    assert game.returns(states).any()
    np.testing.assert_array_equal(agent.values(states), game.returns(states))
    assert np.isnan(agent.action_values(states)).all()
    assert not agent.plies(states).any()
    assert (agent.plies(game.new(2, 0)) == -1).all()


# -- Measures and pages. --------------------------------------------------------------------


def test_exploitability_is_what_the_agent_loses_against_perfect_players():
    game = small(2)
    assert agents.exploitability("exact", game, games=100).value == 0
    assert agents.exploitability("exact", game, games=100).interval[1] > 0
    found = agents.exploitability("random", game, games=1000, seed=1)
    assert found.best == pytest.approx(0, abs=0.1)
    exact = agents.make("exact", game, seed=3)
    scores = agents.play_match(game, ["random", exact], 1000, 2)
    lost = found.best - scores.returns[:, 0].mean()
    assert found.value == pytest.approx(lost, abs=0.15)
    low, high = found.interval
    assert 0 < low < found.value < high < 1.5
    assert found == agents.exploitability("random", game, games=1000, seed=1)


def test_a_judgement_has_the_expected_result_of_each_move():
    game = small(2)
    exact = agents.make("exact", game)
    states = random_states(game, 10, 2)
    state = states[np.flatnonzero(states["decision"] == SIDEWAYS)[3:4]]
    found = judge(game, state, exact, 0, 50)
    values = exact.action_values(state)[0]
    assert found.proven
    assert found.proof is None
    assert all(move.proof is None for move in found.moves)
    assert {move.action: move.value for move in found.moves} == {
        action: float(values[action]) for action in np.flatnonzero(~np.isnan(values))
    }
    assert found.moves[0].value == np.nanmax(values)


def test_the_program_prints_a_row_for_each_race(capsys):
    words = ["goat_race_values", "--goats", "1", "--goats", "2", "-p", "num_players=2"]
    words += ["-p", "width=5", "-p", "height=2", "-p", 'obstacles=[[1, "B"], [2, "D"]]']
    assert main(words) == 0
    rows = [row.split() for row in capsys.readouterr().out.splitlines()[2:]]
    assert [row[:2] for row in rows] == [
        [goats, rule] for goats in "12" for rule in ("forward", "jump")
    ]
    assert [row[4] for row in rows] == ["144", "144", "3,960", "3,960"]
    assert rows[2][5:7] == ["+0.040824", "-0.040824"]  # values on the game's page
    with pytest.raises(SystemExit, match="2"):
        main(["goat_race_values"])
    assert "positions, more than budget" in capsys.readouterr().err


# -- Errors. --------------------------------------------------------------------------------


def test_large_races_are_refused_with_their_size(refused):
    for ask in (lambda: agents.make("exact", "goat_race"), random_exploitability):
        with refused("exact.* goat_race: this race has up to [0-9,]+ positions, more than .*00$"):
            ask()
    tall = {"num_players": 2, "width": 5, "height": 3}
    with refused("this race has up to 10,581,480 positions, more than budget = 2,000,000$"):
        agents.make("exact", boardenvs.make("goat_race", **tall))
    for walls, size in (((1, "B"), (2, "D"), (3, "C")), "6,126,120"), (SPREAD, "10,581,480"):
        game = boardenvs.make("goat_race", **tall, obstacles=list(walls))
        with refused(f"this race has {size} positions, more than budget = 2,000,000$"):
            agents.make("exact", game)
        agents.make("exact", game, budget=int(size.replace(",", "")))
    closed = boardenvs.make("goat_race", **tall, obstacles=[(row, "B") for row in (1, 2, 3)])
    assert not agents.make("exact", closed).values(closed.new(3, 0)).any()


def random_exploitability():
    return agents.exploitability("random", "goat_race")


def test_a_goat_where_play_cannot_lead_is_refused(refused):
    game = boardenvs.make(
        "goat_race", num_players=2, width=5, height=2, obstacles=[(1, "B"), (2, "B")]
    )
    beyond = {"obstacles": [[1, "B"], [2, "B"]], "stacks": {"A1": "WWWBBB", "C1": "WB"}}
    rest = {"order": [0, 1], "decision": "forward", "die": 1, "last_die": 0}
    state = game.from_dict(beyond | rest)
    with refused("state 0 of goat_race has a goat that play cannot lead there"):
        agents.make("exact", game).values(state)


def test_other_games_and_budgets_are_refused(refused):
    with refused("agent 'exact' of Goat Race .*gomoku"):
        GoatRaceExactAgent(boardenvs.make("gomoku"))
    for budget in (0, 1.5, None):
        with refused("budget"):
            agents.make("exact", small(1), budget=budget)
