"""Open damaged files of every kind as a user's program does.

Edits change, cut, repeat and drop bytes. They also replace, move, nest, rename and enlarge values,
with corrected checksums, so that later checks are reached. Allowed results are a clear one-line
error, or a usable object: a playable position, a network that chooses legal actions. Everything
else is a failure, including the end of the process `opened_files.py` that opens the files.
"""

from __future__ import annotations

import functools
import json

import mutations
import numpy as np
import opened_files
import pytest
from apart import Caller
from attack import Attack
from shrinking import smallest

FILES = 50
"""Number of files in a round."""
EDITS = list(range(10))


@pytest.fixture
def caller():
    made = Caller(opened_files.__file__)
    yield made
    made.stop()


def opened(caller, kind, seed, keep):
    return caller.call(json.dumps({"kind": kind, "seed": seed, "keep": keep}))


def smallest_failure(open_with, case, wrong):
    """Return the smallest failing case and its reason; the given ones if it passes now."""
    keep = smallest(EDITS, lambda some: open_with(some)[1])
    again, told = open_with(keep)
    if told is None:
        return case, f"{wrong}; opened again, the same file passed"
    return again, told


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=pytest.mark.attack(f"mutated files: {kind}", "files", share=0.5))
        for kind in opened_files.KINDS
    ],
)
def test_mutated_files_are_read_or_refused_in_one_line(attack, caller, kind):
    seen = set()
    for seed in attack.rounds():
        rng = np.random.default_rng(seed)
        for one in [seed, *rng.integers(2**32, size=FILES - 1).tolist()]:
            open_with = functools.partial(opened, caller, kind, one)
            case, wrong = open_with(EDITS)
            attack.count()
            if wrong is not None and wrong not in seen:
                seen.add(wrong)
                attack.failed(one, *smallest_failure(open_with, case, wrong))
            if attack.only is not None:
                break


def test_a_failure_that_is_not_repeated_keeps_its_reason():
    class Busy:
        """A caller of which only the first call times out."""

        def __init__(self):
            self.answers = iter([("the whole file", "no answer within 120 s")])

        def call(self, asked):
            return next(self.answers, ("a part of it", None))

    attack = Attack("planted", "files", seed=0, seconds=0, only=1)
    test_mutated_files_are_read_or_refused_in_one_line(attack, Busy(), "card")
    (failure,) = attack.failures
    assert failure.case == "the whole file"
    assert failure.told.startswith("no answer within 120 s")


@pytest.mark.parametrize("kind", [mutations.ByteEdit, mutations.ValueEdit])
def test_edits_change_their_input(kind):
    rng = np.random.default_rng(0)
    whole = b"0123456789" * 20 if kind is mutations.ByteEdit else {"a": [1, {"b": "x"}], "c": 2.5}
    changed = [repr(edit(whole)) for edit in (kind(rng) for _ in range(300))]
    assert sum(one != repr(whole) for one in changed) > 270
    assert len(set(changed)) > 100
    assert changed == [
        repr(kind(rng)(whole)) for rng in [np.random.default_rng(0)] for _ in changed
    ]
