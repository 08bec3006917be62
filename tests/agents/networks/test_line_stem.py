"""The first layer that reads lines treats all directions equally, also while it learns."""

import functools

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from board_policies import board_policy

import boardenvs
from agents.networks import export
from agents.networks.export import export_policy
from agents.networks.int8 import int8_template
from agents.networks.line_stem import LineStem, _by_group, _by_input, _star
from agents.networks.muon import MuonAdamW
from agents.networks.policy_networks import copied, logits_and_values
from agents.networks.sizes import make_sizes

DIRECTIONS = [(0, 1), (1, 0), (1, 1), (1, -1)]


line_policy = functools.partial(board_policy, lines=6)


def assert_alike(stem):
    for layer, of_weight in (
        (stem.first, _star),
        (stem.second, _by_group),
        (stem.third, _by_input),
    ):
        torch.testing.assert_close(layer.weight.data, of_weight(layer.weight.data))
    for layer in (stem.first, stem.second):
        torch.testing.assert_close(layer.bias.data, _by_group(layer.bias.data))


@pytest.mark.parametrize("number", range(4))
def test_each_direction_reads_its_line_with_the_same_weights(number):
    torch.manual_seed(0)
    stem = LineStem(2, 5, 3)
    rows, columns = DIRECTIONS[number]
    for reach in range(-6, 7):
        board = torch.zeros(1, 2, 13, 13)
        board[0, 1, 6 + reach * rows, 6 + reach * columns] = 1
        seen = stem.first(board)[0, :, 6, 6].unflatten(0, (4, 5))
        # In one dimension, the row's kernel reads stones up to a distance of four.
        row = stem.first.weight[:5, 1, 4]
        expected = row[:, reach + 4] if abs(reach) <= 4 else torch.zeros(5)
        torch.testing.assert_close(seen[number], expected)
        others = [k for k in range(4) if k != number]
        if reach:
            assert not seen[others].any()


def test_the_stem_agrees_with_plain_layers_on_four_lines():
    torch.manual_seed(1)
    stem = LineStem(3, 4, 6)
    for layer in (stem.first, stem.second):
        layer.bias.data = _by_group(torch.randn(layer.bias.shape))
    board = torch.randn(1, 3, 9, 11)
    padded = torch.nn.functional.pad(board, (4, 4, 4, 4))[0]
    kernel = stem.first.weight[:4, :, 4]
    found = stem(board)[0]
    for row, column in ((0, 0), (4, 5), (8, 10), (2, 9)):
        told = []
        for down, right in DIRECTIONS:
            steps = range(-4, 5)
            line = torch.stack(
                [padded[:, 4 + row + k * down, 4 + column + k * right] for k in steps], 1
            )
            first = torch.relu((kernel * line).sum((1, 2)) + stem.first.bias[:4])
            second = stem.second.weight[:2, :, 0, 0] @ first + stem.second.bias[:2]
            told.append(torch.relu(second))
        joined = stem.third.weight[:, :2, 0, 0] @ sum(told) + stem.third.bias
        torch.testing.assert_close(found[:, row, column], joined, rtol=1e-4, atol=1e-5)


def test_gradients_are_the_mean_over_the_directions():
    torch.manual_seed(0)
    stem = LineStem(2, 3, 4)
    board = torch.randn(2, 2, 9, 9)
    layer = stem.first
    loss = layer(board).square().sum()
    (found,) = torch.autograd.grad(loss, [layer.weight])
    plain = torch.nn.functional.conv2d(board, layer.weight, layer.bias, padding=4).square().sum()
    (expected,) = torch.autograd.grad(plain, [layer.weight])
    torch.testing.assert_close(found, _star(expected))
    # For equal changes in all directions, the loss changes as that of the plain layer.
    step = _star(torch.randn(layer.weight.shape))
    torch.testing.assert_close((found * step).sum(), (expected * step).sum(), rtol=1e-4, atol=1e-3)


def test_initial_features_have_the_scale_of_their_input():
    torch.manual_seed(0)
    stem = LineStem(32, 64, 64)
    seen = torch.randn(4, 32, 19, 19)
    inside = stem.first(seen)[..., 4:-4, 4:-4]
    assert 1.2 < inside.std() < 1.6  # the square root of two, which the rectifier halves
    assert 0.5 < stem(seen)[..., 4:-4, 4:-4].std() < 3


def _muon(policy):
    found = MuonAdamW(policy, muon=True, weight_decay=1e-4)
    found.lr = 1e-2
    return found


@pytest.mark.parametrize(
    "make_optimizer",
    [
        lambda policy: torch.optim.Adam(policy.parameters(), 1e-2),
        lambda policy: torch.optim.AdamW(policy.parameters(), 1e-2),
        _muon,
    ],
    ids=["Adam", "AdamW", "Muon"],
)
def test_directions_keep_equal_weights_in_training(make_optimizer):
    game = boardenvs.make("gomoku", board_size=9)
    policy = line_policy(game)
    stem = policy.features_extractor.stem
    assert_alike(stem)  # the policy's own initialisation keeps the symmetry
    before = stem.first.weight.detach().clone()
    steps = make_optimizer(policy)
    generator = torch.Generator().manual_seed(0)
    for _ in range(20):
        seen = torch.randint(0, 2, (32, *game.observation_shape), generator=generator).float()
        logits, values = logits_and_values(policy, seen)
        loss = torch.nn.functional.cross_entropy(logits, torch.arange(32)) + values.square().mean()
        steps.zero_grad()
        loss.backward()
        steps.step()
    assert_alike(stem)
    assert not torch.equal(before, stem.first.weight)
    same = copied(policy)
    torch.testing.assert_close(logits_and_values(same, seen), logits_and_values(policy, seen))


def kinds_of_nodes(path):
    return {node.op_type for node in onnx.load(path).graph.node}


@pytest.mark.parametrize("look_up", [True, False])
def test_the_stem_can_be_exported_and_quantised(look_up, tmp_path, monkeypatch):
    if not look_up:
        monkeypatch.setattr(export, "has_line_table", lambda *_: False)
    game = boardenvs.make("gomoku", board_size=9)
    policy = line_policy(game)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for layer in (policy.features_extractor.stem.first, policy.features_extractor.stem.second):
            layer.bias.copy_(_by_group(torch.randn(layer.bias.shape, generator=generator)))
        policy.features_extractor.stem.third.bias.normal_(generator=generator)
    path = tmp_path / "agent.onnx"
    export_policy(policy, (game,), path, {})
    assert ("ScatterElements" in kinds_of_nodes(path)) == look_up
    rng = np.random.default_rng(0)
    owner = rng.integers(0, 3, (64, 9, 9))
    seen = np.stack([owner == 0, owner == 1, owner == 2], 1).astype(np.int8)
    with torch.no_grad():
        logits, values = logits_and_values(policy, torch.from_numpy(seen).float())
    template = int8_template(path.read_bytes(), seen)
    assert template.with_weights(policy.state_dict()) == template.network
    for network, bound in ((path.read_bytes(), 1e-4), (template.network, 0.1)):
        session = onnxruntime.InferenceSession(network, providers=["CPUExecutionProvider"])
        given = {"observation": seen.astype(np.float32)}
        found, worth = session.run(["logits", "value"], given)
        assert np.abs(found - logits.numpy()).max() <= bound * np.ptp(logits.numpy())
        assert np.abs(worth.ravel() - values.numpy()).max() <= bound * max(
            1, np.ptp(values.numpy())
        )


def test_an_exported_network_has_lines_of_every_size():
    sizes = make_sizes("gomoku", {}, "board_size", [7, 11])
    policy = line_policy(sizes[0])
    network = export.policy_to_onnx(policy, sizes)
    assert len(network) < 600_000
    template = export.NetworkTemplate(policy, sizes)
    session = onnxruntime.InferenceSession(network, providers=["CPUExecutionProvider"])
    again = onnxruntime.InferenceSession(
        template.filled(policy), providers=["CPUExecutionProvider"]
    )
    for side in (7, 9, 11):
        game = boardenvs.make("gomoku", board_size=side)
        owner = np.random.default_rng(side).integers(0, 3, (16, side, side))
        seen = np.stack([owner == k for k in range(3)], 1).astype(np.float32)
        same = line_policy(game)
        same.load_state_dict(policy.state_dict())
        with torch.no_grad():
            expected = logits_and_values(same, torch.from_numpy(seen))
        for one in (session, again):
            found = one.run(["logits", "value"], {"observation": seen})
            for part, right in zip(found, expected, strict=True):
                np.testing.assert_allclose(part.ravel(), right.numpy().ravel(), atol=1e-4)


def test_impossible_observations_give_finite_outputs():
    game = boardenvs.make("gomoku", board_size=7)
    network = export.policy_to_onnx(line_policy(game), (game,))
    session = onnxruntime.InferenceSession(network, providers=["CPUExecutionProvider"])
    for number in (0, 1, -5, 200):
        seen = np.full((2, *game.observation_shape), number, np.float32)
        logits, value = session.run(["logits", "value"], {"observation": seen})
        assert np.isfinite(logits).all()
        assert np.isfinite(value).all()


def test_a_one_dimensional_game_has_no_line_stem(refused):
    game = boardenvs.make("game112")
    with refused(r"lines .*\(3, 9\)"):
        line_policy(game)
