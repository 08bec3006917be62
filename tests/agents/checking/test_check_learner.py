"""`check_learner`: verdicts, arguments, errors and the report."""

import json

import numpy as np
import pytest
from tabular import learner

import agents
from agents.checking import LearnerReport
from agents.checking.report import ProbeResult

FEW = ["probe_one_ply", "probe_reply"]


def check(train, probes=FEW, seeds=1, seconds=1):
    return agents.check_learner(train, probes=probes, seeds=seeds, seconds=seconds)


def verdicts(report):
    return [one.verdict for one in report.results]


def best(game, seed, seconds):
    """Return a function of observations and masks that plays the two probes well."""

    def choose(observations, masks):
        place = observations.argmax(1)
        return np.where(place == 0, 2, 0) if game.num_actions == 3 else (place < 2).astype(int)

    return choose


def test_a_policy_may_be_a_spec_an_agent_or_a_function():
    assert verdicts(check(lambda *_: "mcts:200")) == ["right", "right"]
    assert verdicts(check(lambda game, seed, _: agents.make("mcts:200", game, seed))) == [
        "right",
        "right",
    ]
    assert verdicts(check(best)) == ["right", "right"]


def test_the_learner_gets_game_seed_and_time():
    given = []

    def train(game, seed, seconds):
        given.append((game.name, seed, seconds))
        return best(game, seed, seconds)

    check(train, seeds=2, seconds=1.5)
    assert given == [(name, seed, 1.5) for name in FEW for seed in range(2)]


def test_a_probe_that_fails_is_trained_again_with_other_seeds_and_twice_the_time():
    given = []

    def train(game, seed, seconds):
        given.append((game.name, seed, seconds))
        return best(game, seed, seconds) if game.name == FEW[0] else "random"

    report = check(train, seeds=2)
    assert given[2:] == [(FEW[1], 0, 1), (FEW[1], 1, 1), (FEW[1], 2, 2), (FEW[1], 3, 2)]
    assert not report.passed


def test_an_untrained_learner_is_not_called_wrong():
    for policy in ("random", lambda seen, masks: masks.argmax(1)):
        report = agents.check_learner(lambda *_, p=policy: p, seeds=1)
        assert "wrong" not in verdicts(report)
        assert report.passed


@pytest.mark.parametrize("plies", [1, 20])
def test_a_slow_learner_is_not_called_wrong(plies):
    report = agents.check_learner(learner(plies=plies), seeds=3, seconds=1)
    assert "wrong" not in verdicts(report)


@pytest.mark.parametrize(
    ("with_values", "verdict"), [(False, "not learned in the time"), (True, "wrong")]
)
def test_only_values_prove_a_mistake_in_a_probe_that_takes_long(with_values, verdict):
    def train(game, seed, seconds):
        if game.name != "probe_corridor":
            return best(game, seed, seconds)

        def throw(observations, masks):
            return np.zeros(len(masks), int)

        return (throw, lambda seen, masks: np.full(len(masks), 0.5)) if with_values else throw

    report = agents.check_learner(train, probes=["probe_reply", "probe_corridor"], seeds=1)
    assert verdicts(report) == ["right", verdict]


def test_a_slow_learner_is_told_how_far_it_is():
    def train(game, _, seconds):
        share = min(seconds / 4, 1) if game.name == "probe_reply" else 1
        rng = np.random.default_rng(0)

        def choose(observations, masks):
            right = best(game, 0, 0)(observations, masks)
            return np.where(rng.random(len(right)) < share, right, 1 - right)

        return best(game, 0, 0) if share == 1 else choose

    report = check(train)
    assert verdicts(report) == ["right", "not learned in the time"]
    first, second = report.results[1].progress
    assert first > second + 0.1
    assert f"{first:.2f} away, {second:.2f} in twice the time" in str(report)
    assert report.passed


@pytest.mark.parametrize("columns", [1, 2])
def test_wrong_values_are_wrong_though_the_actions_are_right(columns):
    def train(game, seed, seconds):
        policy, values = learner()(game, seed, seconds)
        if columns == 1:
            return policy, lambda *seen: 2 * np.array(values(*seen))
        return policy, lambda *seen: np.array(values(*seen))[:, None] * [2, -2]

    right = [f"probe_{name}" for name in ("one_legal_action", "dice")]
    report = check(train, probes=[*right, "probe_one_ply"])
    assert verdicts(report) == ["right", "right", "wrong"]
    assert report.results[2].causes[0] == "the final reward is added twice"
    assert abs(report.results[2].learned) == 2


@pytest.mark.parametrize(
    ("train", "said"),
    [
        (lambda *_: 1 / 0, "train on probe_one_ply with seed 0 failed: ZeroDivisionError"),
        (lambda *_: None, "probe_one_ply with seed 0: train must return an agent"),
        (lambda *_: 7, "probe_one_ply with seed 0: train must return an agent"),
        (lambda *_: "mcst", "probe_one_ply with seed 0: there is no agent 'mcst'"),
        (lambda *_: ("random", 7), "probe_one_ply with seed 0: values failed: TypeError"),
        (
            lambda *_: ("random", lambda seen, _: np.full(len(seen), np.nan)),
            "probe_one_ply with seed 0: values must be finite, got nan",
        ),
        (
            lambda *_: ("random", lambda seen, _: np.zeros((len(seen), 7))),
            r"values must have shape \(2,\) or \(2, 2\) for 2 observations, got \(2, 7\)",
        ),
        (
            lambda *_: lambda seen, _: np.full(len(seen), 9),
            "probe_one_ply with seed 0: the policy failed: .*action must be",
        ),
        (lambda *_: lambda seen, _: seen / 0, "with seed 0: the policy failed: "),
    ],
)
def test_a_failure_is_one_line_that_names_the_probe(train, said):
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=said) as error:
        check(train)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"probes": ["probe_replay"]}, "probes must be names of .*; did you mean probe_reply?"),
        ({"probes": []}, "probes must have at least one name, got none"),
        ({"seeds": 0}, "seeds must be a whole number of at least 1, got 0"),
        ({"seconds": -1}, "seconds must be"),
        ({"train": "mcts"}, "train must be a function"),
    ],
)
def test_bad_arguments(arguments, said):
    with pytest.raises(ValueError, match=said):
        check(**({"train": best} | arguments))


def test_the_report_is_a_table_and_json():
    results = [
        ProbeResult("probe_dice", "values are expectations", 0, 0, 1, "right", (), None),
        ProbeResult("probe_reply", "losses", -0.5, -1, 0, "wrong", ("one", "two"), (1, 1)),
        ProbeResult("probe_corridor", "credit", 1, 0.5, 0.5, "wrong", (), (1, 1)),
    ]
    report = LearnerReport(results, seeds=3, seconds=2.0)
    assert str(report).splitlines() == [
        "probe           checks that              exact  learned  verdict",
        "----------------------------------------------------------------",
        "probe_dice      values are expectations   0.00     0.00  right",
        "probe_reply     losses                   -0.50    -1.00  wrong",
        "probe_corridor  credit                    1.00     0.50  wrong",
        "",
        "probe_reply: likely causes, the most likely first",
        "  1. one",
        "  2. two",
        "",
        "probe_corridor: likely causes, the most likely first",
        "  1. no known mistake leads to these values and actions",
    ]
    data = json.loads(json.dumps(report.to_dict()))
    assert (data["passed"], data["seeds"], data["seconds"]) == (False, 3, 2.0)
    assert data["probes"][1]["causes"] == ["one", "two"]
