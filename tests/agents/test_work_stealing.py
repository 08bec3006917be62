"""Work that threads take from each other: all of it is done, once, and nobody waits for ever."""

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.in_threads import StoppedError, in_threads, never
from agents.work_stealing import WorkStealing


@given(
    pieces=st.lists(st.integers(1, 40), max_size=6),
    threads=st.integers(1, 4),
)
def test_everything_is_done_once_however_it_is_parted(pieces, threads):
    work = [list(range(100 * k, 100 * k + size)) for k, size in enumerate(pieces)]
    expected = sorted(unit for piece in work for unit in piece)
    stealing = WorkStealing(work, threads)
    done = []

    def run(place, stopping):
        while (piece := stealing.next(place, stopping)) is not None:
            while piece:
                if len(piece) > 1 and stealing.is_wanted():
                    half = len(piece) // 2
                    stealing.give(piece[half:])
                    del piece[half:]
                done.append(piece.pop())
            stealing.finish()

    in_threads(run, threads)
    assert sorted(done) == expected
    assert stealing.next(0, never) is None


def test_who_has_nothing_to_do_gets_a_part():
    stealing = WorkStealing(["all"], 2)
    by = {}

    def run(place, stopping):
        while (piece := stealing.next(place, stopping)) is not None:
            by[piece] = place
            end = time.monotonic() + 60
            if piece == "all":
                while not stealing.is_wanted():
                    assert time.monotonic() < end
                    time.sleep(0.001)
                stealing.give("half")
                while "half" not in by:
                    assert time.monotonic() < end
                    time.sleep(0.001)
            stealing.finish()

    in_threads(run, 2)
    assert by["all"] != by["half"]


def test_nothing_is_wanted_of_one_thread():
    stealing = WorkStealing(["first", "second"], 1)
    assert stealing.next(0, never) == "first"
    assert not stealing.is_wanted()
    stealing.finish()
    assert stealing.next(0, never) == "second"
    stealing.finish()
    assert stealing.next(0, never) is None


def test_who_waits_for_work_is_stopped():
    stealing = WorkStealing(["endless"], 2)
    assert stealing.next(0, never) == "endless"
    with pytest.raises(StoppedError):
        stealing.next(1, lambda: True)


def test_an_error_ends_the_waiting_of_the_others():
    stealing = WorkStealing(["bad"], 2)
    waiting = threading.Event()

    def run(place, stopping):
        while stealing.next(place, stopping) is not None:
            waiting.wait(60)
            raise ValueError("bad piece")

    def wait(place, stopping):
        if stealing.is_wanted():
            waiting.set()
        return stopping()

    def work(place, stopping):
        run(place, lambda: wait(place, stopping))

    with pytest.raises(ValueError, match="bad piece"):
        in_threads(work, 2)
