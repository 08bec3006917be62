"""A tabular learner with one mistake fails certain probes, with the right cause first.

The learner learns from samples and knows nothing of the models of `agents.checking.mistakes`.
"""

import pytest
from tabular import learner

import agents
from agents.checking.mistakes import MISTAKES, UNMASKED
from boardenvs.probes import PROBES

LOSER = "the loser's transition ends before the opponent's reply"
BEST = "a draw is worth its best outcome"
SWITCHES = {
    "no mask": (UNMASKED, "one_legal_action changing_masks unseen_actions"),
    "all actions": (
        "the target's maximum is over illegal actions",
        "changing_masks unseen_actions",
    ),
    "other mask": (
        "the target's maximum is over the mask of another seat",
        "changing_masks unseen_actions",
    ),
    "loser": (
        LOSER,
        "second_ends changing_masks unseen_actions reply reply_swapped moves_twice third_wins "
        "next_game corridor",
    ),
    "twice": (
        "the final reward is added twice",
        "second_ends unseen_actions reply_swapped moves_twice third_wins corridor changing_masks",
    ),
    "signs by plies": (
        "the sign of a value follows the plies, not the seats",
        "moves_twice third_wins",
    ),
    "no signs": (
        "the value of another seat is taken for one's own",
        "second_ends changing_masks unseen_actions reply reply_swapped moves_twice third_wins "
        "next_game corridor",
    ),
    "two seats": ("every rival's loss is taken for one's own win", "third_wins"),
    "best case": (
        BEST,
        "changing_masks unseen_actions reply reply_swapped moves_twice dice hidden_coin ply_limit "
        "corridor",
    ),
    "hidden": ("hidden information is used", "hidden_coin"),
    "discount": ("values are discounted too much", "corridor"),
    "limit is loss": ("a truncated game counts as a loss", "ply_limit"),
    "limit is next game": ("a truncated game takes the value of the next one", "ply_limit"),
    "next game": (
        "a transition goes on into the next game",
        "second_ends changing_masks unseen_actions reply reply_swapped moves_twice third_wins "
        "next_game ply_limit corridor",
    ),
    "dropped": (
        "the first and only transition of a seat is dropped",
        "one_ply second_ends changing_masks unseen_actions reply reply_swapped moves_twice "
        "third_wins dice hidden_coin next_game ply_limit",
    ),
    "normalised": (
        "rewards are normalised",
        "second_ends changing_masks unseen_actions moves_twice third_wins corridor",
    ),
}
"""The first cause and the probes that fail, for each mistake of the tabular learner."""


def test_every_mistake_has_a_switch():
    assert {cause for cause, _ in SWITCHES.values()} == {*MISTAKES, UNMASKED}


@pytest.mark.parametrize("switch", SWITCHES)
def test_one_mistake_fails_these_probes_with_this_cause_first(switch):
    cause, probes = SWITCHES[switch]
    report = agents.check_learner(learner(switch), seeds=1, seconds=1)
    causes = {one.probe: one.causes[:1] for one in report.results if one.verdict != "right"}
    assert {one.verdict for one in report.results} == {"right", "wrong"}
    assert causes == {f"probe_{name}": [cause] for name in probes.split()}
    assert not report.passed


def test_every_probe_finds_a_mistake():
    found = " ".join(probes for _, probes in SWITCHES.values()).split()
    assert {f"probe_{name}" for name in found} == set(PROBES)


@pytest.mark.parametrize("seeds", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_without_a_mistake_no_probe_fails(seeds):
    report = agents.check_learner(learner(), seeds=seeds, seconds=1)
    assert [one.verdict for one in report.results] == ["right"] * len(PROBES)
    assert report.passed


@pytest.mark.parametrize("switch", ["loser", "signs by plies", "dropped"])
def test_actions_alone_find_a_mistake_too(switch):
    def train(*given):
        return learner(switch)(*given)[0]

    cause, _ = SWITCHES[switch]
    report = agents.check_learner(train, seeds=1, seconds=1)
    wrong = [one for one in report.results if one.verdict == "wrong"]
    assert wrong
    for one in wrong:
        assert cause in one.causes, one.probe
