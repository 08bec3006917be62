"""Slots of leaves that wait for evaluation: evaluators and turns."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardenvs
from agents.search.slots import Slot, take_turns

GAME = boardenvs.make("game112")
ROOM = 40


def slots_of(num):
    slots = [Slot(GAME, ROOM) for _ in range(num)]
    for slot in slots:
        slot.leaves.states[:] = GAME.new(1, 0)
    return slots


def asking(judge):
    """Return the function that evaluates a slot with `judge`."""
    return lambda slot: slot.evaluate(judge)


def judged(leaves):
    """Return each position's number of plies as logits, and its negative as value."""
    plies = leaves["ply"].astype(np.float32)
    return np.repeat(plies[:, None], GAME.num_actions, 1), -plies


@given(
    found=st.lists(st.integers(0, 3), max_size=12),
    num_slots=st.integers(1, 3),
    alone=st.booleans(),
)
def test_a_turn_starts_after_the_leaves_of_its_slot_are_evaluated(found, num_slots, alone):
    slots = slots_of(num_slots)
    expected = [np.zeros(0, np.float32) for _ in slots]
    numbers = []

    def turn(slot, number):
        place = number % num_slots
        assert slot is slots[place]
        plies = expected[place]
        assert slot.num == len(plies)
        np.testing.assert_array_equal(slot.leaves.estimates[: slot.num, 0], -plies)
        np.testing.assert_array_equal(slot.leaves.logits[: slot.num, -1], plies)
        num = found[number] if number < len(found) else 0
        expected[place] = np.arange(num, dtype=np.float32) + number
        slot.leaves.states["ply"][:num] = expected[place]
        numbers.append(number)
        return num

    take_turns(slots, turn, asking(judged), 1 if alone else num_slots)
    # Turns end exactly when one turn of each slot in a row has found nothing.
    padded = [*found, *[0] * 2 * num_slots]
    over = next(k for k in range(num_slots, len(padded)) if not any(padded[k - num_slots : k]))
    assert numbers == list(range(over))


def test_a_turn_runs_while_the_other_slot_is_evaluated():
    third_turn = threading.Event()

    def turn(_, number):
        if number == 2:
            third_turn.set()
        return int(number < 2)

    def judge(leaves):
        # The first slot's leaf is evaluated before a second thread has work.
        assert leaves["ply"][0] == 0 or third_turn.wait(20)
        return judged(leaves)

    slots = slots_of(2)
    slots[0].leaves.states["ply"], slots[1].leaves.states["ply"] = 0, 1
    take_turns(slots, turn, asking(judge), 2)
    assert third_turn.is_set()


def test_single_leaves_are_evaluated_in_the_same_thread():
    asked = set()

    def judge(leaves):
        asked.add(threading.get_ident())
        return judged(leaves)

    take_turns(
        slots_of(2), lambda _, number: int(number % 2 == 0 and number < 40), asking(judge), 2
    )
    assert asked == {threading.get_ident()}


@pytest.mark.parametrize("found", [[3], [1, 3]])
def test_outputs_of_an_evaluator_with_a_wrong_shape_are_refused(found, refused):
    def judge(leaves):
        logits, values = judged(leaves)
        return (logits, values) if len(leaves) == 1 else (logits[1:], values[1:])

    with refused(r"evaluator .*logits .*\(3, 18\) .*\(3,\).*, got"):
        take_turns(slots_of(2), lambda _, number: [*found, 0, 0, 0][number], asking(judge), 2)
