"""Learners of other libraries on single probes, with small budgets."""

import logging

import pytest

import agents

pytest.importorskip("torch")


def verdicts(train, *probes, seconds):
    report = agents.check_learner(train, probes=probes, seeds=1, seconds=seconds)
    return [one.verdict for one in report.results]


def test_maskable_ppo_through_a_vector_environment():
    pytest.importorskip("sb3_contrib")
    from agents.checking.learners.sb3 import maskable_ppo_vec

    assert verdicts(maskable_ppo_vec, "probe_second_ends", seconds=2) == ["right"]


def test_a_dqn_of_tianshou_for_each_seat():
    pytest.importorskip("tianshou")
    from agents.checking.learners.tianshou_dqn import mended

    logging.getLogger("tianshou").setLevel(logging.ERROR)
    assert verdicts(mended, "probe_second_ends", seconds=0.5) == ["right"]
