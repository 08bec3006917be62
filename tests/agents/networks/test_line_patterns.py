"""Distinct lines of a batch of boards, and a first layer that reads each of them once."""

import numpy as np
import pytest
import torch

from agents.networks import line_stem
from agents.networks.line_patterns import line_patterns, summed_over_lines
from agents.networks.line_stem import LineStem, _by_group

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


def boards(num=5, rows=9, columns=11, seed=0):
    owners = np.random.default_rng(seed).integers(0, 3, (num, rows, columns))
    return torch.from_numpy(np.stack([owners == k for k in range(3)], 1).astype(np.float32))


@pytest.mark.parametrize("reach", [1, 4])
def test_each_cell_has_the_numbers_of_its_lines(reach):
    planes = boards()
    lines, numbers = line_patterns(planes, reach)
    assert len(np.unique(lines.numpy(), axis=0)) == len(lines)
    assert sorted(np.unique(numbers.numpy())) == list(range(len(lines)))
    padded = np.pad(planes.numpy(), ((0, 0), (0, 0), (reach, reach), (reach, reach)))
    for n in range(5):
        for row in range(9):
            for column in range(11):
                for k, (down, right) in enumerate(STEPS):
                    cells = [
                        padded[n, :, reach + row + step * down, reach + column + step * right]
                        for step in range(-reach, reach + 1)
                    ]
                    found = lines[numbers[n, row, column, k]].numpy()
                    np.testing.assert_array_equal(found, np.stack(cells, 1).ravel())


def test_boards_of_one_kind_of_cell_have_patterns():
    for planes in (torch.ones(2, 1, 5, 5), torch.zeros(2, 1, 5, 5)):
        lines, numbers = line_patterns(planes, 4)
        assert numbers.shape == (2, 5, 5, 4)
        assert len(lines) == (25 if planes.any() else 1) or len(lines) <= 25


@pytest.mark.parametrize(
    "planes",
    [
        boards() * 0.5,
        -boards(),
        boards() + 1,
        boards()[:0],
        boards().requires_grad_(),
        torch.randint(0, 2, (4, 9, 9, 9)).float(),  # more planes than bits
        torch.randint(0, 2, (40, 6, 9, 9)).float(),  # more kinds of lines than places
    ],
    ids=["halves", "negative", "two", "none", "gradient", "planes", "kinds"],
)
def test_unsupported_planes_have_no_patterns(planes):
    assert line_patterns(planes, 4) is None


def test_planes_with_nan_have_no_patterns():
    planes = boards()
    planes[2, 1, 3, 3] = torch.nan
    assert line_patterns(planes, 4) is None


def test_sums_and_their_gradients_agree_with_embeddings():
    _, numbers = line_patterns(boards(), 4)
    told = torch.randn(int(numbers.max()) + 1, 7, requires_grad=True)
    weights = torch.randn(numbers[..., 0].numel(), 7)
    found, expected = (
        summed_over_lines(told, numbers),
        told[numbers.long()].sum(3).flatten(0, 2),
    )
    torch.testing.assert_close(found, expected)
    gradients = [torch.autograd.grad((one * weights).sum(), told)[0] for one in (found, expected)]
    torch.testing.assert_close(*gradients)


@pytest.mark.parametrize("memory", [torch.contiguous_format, torch.channels_last])
def test_patterns_and_convolutions_give_the_same_stem_and_gradients(memory, monkeypatch):
    torch.manual_seed(0)
    stem = LineStem(3, 8, 6)
    for layer in (stem.first, stem.second):
        layer.bias.data = _by_group(torch.randn(layer.bias.shape))
    planes = boards().contiguous(memory_format=memory)
    weights = torch.randn(5, 6, 9, 11)

    def stem_and_gradients():
        cells = stem(planes)
        loss = (weights * cells).sum() + cells.square().sum()
        return [cells, *torch.autograd.grad(loss, list(stem.parameters()))]

    asked = []
    monkeypatch.setattr(
        line_stem, "line_patterns", lambda *given: asked.append(given) or line_patterns(*given)
    )
    by_patterns = stem_and_gradients()
    monkeypatch.setattr(line_stem, "line_patterns", lambda *_: None)
    by_convolutions = stem_and_gradients()
    assert len(asked) == 1
    for found, expected in zip(by_patterns, by_convolutions, strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-3)


def test_other_numbers_use_convolutions():
    torch.manual_seed(0)
    stem = LineStem(3, 8, 6)
    halves = stem(boards() * 0.5)
    assert not torch.allclose(halves, stem(boards()))
    torch.testing.assert_close(
        halves, stem.third(stem.second(stem.first(boards() * 0.5).relu_()).relu_())
    )
