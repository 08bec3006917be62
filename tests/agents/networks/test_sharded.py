"""Batches split between threads give bitwise equal results on any number of cores."""

import os
import signal
import sys
import threading

import pytest
import torch
from torch import nn

from agents.networks import sharded
from agents.networks.sharded import in_shards, shards, side_by_side


@pytest.fixture
def on_cores(monkeypatch):
    """Return the function that sets the number of cores to use."""
    return lambda number: monkeypatch.setattr(sharded, "cores", lambda: number)


WORK = 1e6
"""Assumed multiplications per row, for which 120 rows need two threads."""


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(7, 32), nn.Tanh(), nn.Linear(32, 3))


def gradients(net, rows, compute):
    """Return a loss that couples all rows, and its gradients."""
    params = list(net.parameters())
    outs, squares = compute(params)
    scaled = (outs - outs.mean()) / outs.std()
    loss = (scaled * rows[:, :3]).mean() + squares.exp().mean()
    return loss, torch.autograd.grad(loss, params)


@pytest.mark.parametrize("size", [2, 5, 119, 120, 121, 1000, 1025])
def test_gradients_of_shards_agree_with_those_of_the_batch(on_cores, size):
    net, rows = network(), torch.randn(size, 7)

    def both(part):
        outs = net(part)
        return outs, (outs**2).sum(1)

    on_cores(2)
    found = gradients(net, rows, lambda params: in_shards(both, params, WORK, rows))
    expected = gradients(net, rows, lambda params: both(rows))
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-6)
    with torch.no_grad():
        outs, squares = in_shards(both, list(net.parameters()), WORK, rows)
    assert not outs.requires_grad
    torch.testing.assert_close((outs, squares), both(rows))


def test_results_do_not_depend_on_the_number_of_cores(on_cores):
    net, rows = network(), torch.randn(1500, 7)

    def compute(params):
        return in_shards(lambda part: (net(part), net(part)[:, 0]), params, WORK, rows)

    found = []
    for number in (1, 2, 3, 8):
        on_cores(number)
        found.append(gradients(net, rows, compute))
    for loss, grads in found[1:]:
        assert torch.equal(loss, found[0][0])
        assert all(map(torch.equal, grads, found[0][1]))


@pytest.mark.parametrize("size", [1, 2, 119, 120, 255, 500, 1000, 1001, 2048, 5000])
def test_shards_are_about_equal_and_cover_the_batch(size):
    parts = shards(torch.empty(size), WORK)
    assert [i for part in parts for i in range(size)[part]] == list(range(size))
    lengths = [part.stop - part.start for part in parts]
    assert max(lengths) - min(lengths) <= 1
    assert max(lengths) <= 500
    assert len(parts) == 1 if size < 120 else len(parts) % 2 == 0


def test_a_batch_on_another_device_is_not_split():
    assert len(shards(torch.empty(5000, device="meta"), WORK)) == 1


def test_each_core_has_a_thread_and_each_thread_uses_one_torch_thread(on_cores):
    on_cores(2)
    torch_threads = torch.get_num_threads()
    both_here = threading.Barrier(2, timeout=60)

    def work(_):
        both_here.wait()
        return threading.get_ident(), torch.get_num_threads()

    found = side_by_side(work, 4)
    assert len({ident for ident, _ in found}) == 2
    assert threading.get_ident() in {ident for ident, _ in found}
    assert {threads for _, threads in found} == {1}
    assert torch.get_num_threads() == torch_threads
    on_cores(1)
    both_here = threading.Barrier(1)
    assert {ident for ident, _ in side_by_side(work, 4)} == {threading.get_ident()}


def test_parallel_work_can_be_nested(on_cores):
    on_cores(2 + (os.cpu_count() or 1))  # more than the number of threads
    found = side_by_side(lambda k: side_by_side(lambda i: 10 * k + i, 4), 8)
    assert found == [[10 * k + i for i in range(4)] for k in range(8)]


def test_an_exception_is_raised_after_all_threads_end(on_cores):
    on_cores(2)
    both_here, done = threading.Barrier(2, timeout=60), []
    main = threading.get_ident()

    def work(k):
        both_here.wait()
        if threading.get_ident() == main:
            raise KeyboardInterrupt
        threading.Event().wait(0.05)
        done.append(k)

    with pytest.raises(KeyboardInterrupt):
        side_by_side(work, 2)
    assert len(done) == 1

    def other(_):
        both_here.wait()
        if threading.get_ident() != main:
            raise ValueError("there")

    with pytest.raises(ValueError, match="there"):
        side_by_side(other, 2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python warns about forks with threads")
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # JAX's warning, if imported
def test_a_forked_process_starts_its_own_threads(on_cores):
    on_cores(2)
    assert side_by_side(abs, 2) == [0, 1]
    child = os.fork()
    if not child:
        signal.alarm(20)  # ends the child if it waits for missing threads
        found = []
        try:
            found = side_by_side(abs, 2)
        finally:
            os._exit(found != [0, 1])
    assert os.waitpid(child, 0)[1] == 0
