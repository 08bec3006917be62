"""Networks in 8-bit integers stay close to float32 for any weights."""

import functools
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from board_policies import board_policy
from onnx import numpy_helper

import boardenvs
from agents.networks.card import shipped
from agents.networks.export import export_policy
from agents.networks.int8 import Int8Template, bias_corrected, int8_template


@pytest.fixture(scope="module")
def board():
    """Return the game of the network."""
    return boardenvs.make("gomoku", board_size=9)


@pytest.fixture(scope="module")
def network():
    """Return a trained convolutional network for 9x9, with 32 channels and two blocks."""
    return Path(__file__).with_name("convolutional.onnx").read_bytes()


@pytest.fixture(scope="module")
def seen(board):
    """Return observations of random games, int8 of shape (N, planes, 9, 9)."""
    states = board.new(256, 0)
    rng = np.random.default_rng(0)
    found = []
    for _ in range(6):
        found.append(board.observe(states, states["to_move"]))
        legal = board.legal(states)
        board.play(states, (rng.random(legal.shape) * legal).argmax(1), illegal="raise")
    return np.concatenate(found)


@pytest.fixture(scope="module")
def template(network, seen):
    return int8_template(network, seen)


def weights_of(network):
    model = onnx.load_from_string(network)
    return {
        tensor.name.removeprefix("policy."): numpy_helper.to_array(tensor)
        for tensor in model.graph.initializer
    }


def changed(network, seed=1):
    """Return a network with changed weights, and the weights."""
    model = onnx.load_from_string(network)
    rng = np.random.default_rng(seed)
    for tensor in model.graph.initializer:
        old = numpy_helper.to_array(tensor)
        new = (old + rng.normal(0, 0.02, old.shape)).astype(np.float32)
        tensor.CopyFrom(numpy_helper.from_array(new, tensor.name))
    data = model.SerializeToString()
    return data, weights_of(data)


@functools.lru_cache(maxsize=8)
def session_of(network):
    return onnxruntime.InferenceSession(network, providers=["CPUExecutionProvider"])


def judged(network, observations):
    given = {"observation": observations.astype(np.float32)}
    return session_of(network).run(["logits", "value"], given)


def probabilities(logits):
    shares = np.exp(logits - logits.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


def assert_close(network, other, seen):
    (logits, values), (near_logits, near_values) = judged(network, seen), judged(other, seen)
    assert not np.array_equal(logits, near_logits)
    apart = np.abs(probabilities(logits) - probabilities(near_logits))
    assert apart.max() < 0.3  # small errors decide between equally good moves
    assert np.quantile(apart, 0.999) < 0.1
    assert apart.mean() < 0.002
    assert np.abs(values - near_values).mean() < 0.05


def test_the_int8_network_is_close_to_the_float_network(network, template, seen):
    assert_close(network, template.network, seen)
    assert len(template.network) < 0.6 * len(network)


def test_bias_correction_restores_the_mean_value(network, template, seen):
    model = onnx.load_from_string(template.network)
    for tensor in model.graph.initializer:
        if tensor.name.endswith("blocks.1.second.weight_quantized"):  # as if rounded up
            kernel = np.minimum(numpy_helper.to_array(tensor), 63) + 1
            tensor.CopyFrom(numpy_helper.from_array(kernel.astype(np.int8), tensor.name))
    rounded = model.SerializeToString()
    corrected = bias_corrected(rounded, network, seen)
    _, values = judged(network, seen)
    before, after = (judged(one, seen)[1] - values for one in (rounded, corrected))
    assert abs(before.mean()) > 0.05
    assert abs(after.mean()) < 0.02
    assert np.square(after).mean() < 0.5 * np.square(before).mean()


def test_outputs_do_not_depend_on_the_batch(template, seen):
    together = judged(template.network, seen[:64])
    for size in (1, 7):
        parts = [judged(template.network, seen[k : k + size]) for k in range(0, 63, size)]
        for whole, rows in zip(together, zip(*parts, strict=True), strict=True):
            np.testing.assert_array_equal(np.concatenate(rows), whole[:63])


def test_replaced_weights_equal_a_new_quantisation(network, template, seen):
    other, weights = changed(network)
    swapped = template.with_weights(weights)
    assert_close(other, swapped, seen)
    # With the template's ranges, quantising by ONNX Runtime gives the template itself.
    assert Int8Template(swapped).with_weights(weights_of(network)) == template.network
    # Other ranges change biases, but neither kernels nor scales.
    from_scratch = weights_of(int8_template(other, seen).network)
    found = weights_of(swapped)
    kernels = [name for name in found if name.endswith(("weight_quantized", "weight_scale"))]
    assert len(kernels) == 10
    for name in kernels:
        np.testing.assert_array_equal(found[name], from_scratch[name])


def test_tiny_weights_keep_their_biases(network, template):
    weights = weights_of(network)
    biases = np.linspace(-1, 2, 32, dtype=np.float32)
    weights["features_extractor.stem.weight"] = np.full((32, 3, 5, 5), 1e-30, np.float32)
    weights["features_extractor.stem.bias"] = biases
    found = weights_of(template.with_weights(weights))
    name = "features_extractor.stem.bias_quantized"
    np.testing.assert_allclose(found[name] * found[f"{name}_scale"], biases, rtol=1e-3)


def test_weights_prevent_saturation_of_16_bit_sums(template):
    """Two products of 8 bits fit into the 16 bits in which some processors add them."""
    kernels = {k: v for k, v in weights_of(template.network).items() if k.endswith("_quantized")}
    largest = {k: np.abs(v.astype(int)).max() for k, v in kernels.items() if v.dtype == np.int8}
    assert largest.pop("features_extractor.stem.weight_quantized") == 127  # zeros and ones
    assert set(largest.values()) == {64}


@pytest.mark.parametrize("name", ["gekitai", "pizza_order"])  # with and without heads by cell
def test_weights_of_a_policy_in_training_can_be_quantised(name, tmp_path):
    game = boardenvs.make(name)
    policy = board_policy(game)
    path = tmp_path / "agent.onnx"
    export_policy(policy, (game,), path, {})
    seen = np.random.default_rng(0).integers(0, 2, (64, *game.observation_shape), np.int8)
    template = int8_template(path.read_bytes(), seen)
    assert template.with_weights(policy.state_dict()) == template.network
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.add_(0.001)
    export_policy(policy, (game,), path, {})
    (logits, _), (near, _) = (
        judged(one, seen) for one in (path.read_bytes(), template.with_weights(policy.state_dict()))
    )
    assert np.abs(logits - near).max() < 0.05 * np.ptp(logits)


def test_a_one_dimensional_network_can_be_quantised():
    game = boardenvs.make("game112")
    network = shipped(game).read_bytes()
    seen = np.random.default_rng(0).integers(0, 2, (64, *game.observation_shape), np.int8)
    template = int8_template(network, seen)
    assert template.with_weights(weights_of(network)) == template.network
    assert judged(template.network, seen)[0].shape == (64, game.num_actions)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("value_net.bias", None, "weights .*'value_net.bias'"),
        (
            "features_extractor.stem.weight",
            np.zeros((32, 4, 5, 5)),
            r"'features_extractor.stem.weight'.* \(32, 3, 5, 5\)",
        ),
        ("features_extractor.stem.bias", np.zeros(31), r"'features_extractor.stem.bias'.* \(32,\)"),
    ],
)
def test_weights_of_another_network_are_refused(network, template, name, value, message):
    weights = weights_of(network)
    weights[name] = value
    if value is None:
        del weights[name]
    with pytest.raises(ValueError, match=message):
        template.with_weights(weights)


def test_networks_without_convolutions_are_refused():
    game = boardenvs.make("dominoes175")
    seen = np.zeros((8, *game.observation_shape), np.int8)
    with pytest.raises(ValueError, match="convolution"):
        int8_template(shipped(game).read_bytes(), seen)


def test_negative_observations_are_refused(network, seen):
    with pytest.raises(ValueError, match="observations"):
        int8_template(network, -seen)
