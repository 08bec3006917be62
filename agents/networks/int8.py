"""Quantisation of convolutional networks to int8 for searches, by ONNX Runtime.

The quantisation is static, in the QDQ format of ONNX's own operators. Weights are signed and scaled
by channel, activations are unsigned. The convolutions of the trunk are in integers. The heads, the
layers on the means and maxima of the board, and a first layer that looks up lines stay in float32.

Processors without VNNI sum two products of 8-bit integers in 16 bits, which can overflow. So
weights have 7 bits, from -64 to 64, and the sums are equal on every processor. The first layer has
8 bits, because its inputs are small integers that are not scaled.
"""

from __future__ import annotations

import copy
import functools
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.networks.int8_preparation import (
    ADDED,
    Proto,
    looks_up,
    padded,
    prepared,
    trunk,
    up_to_the_stem,
)

__all__ = ["Int8Template", "bias_corrected", "check_convolutions", "int8_template"]

_OBSERVATION = "observation"
_POLICY = "policy."
"""Prefix of the names of a policy's parameters, as `agents.networks.export` writes them."""
_BATCH = 256
_LARGEST_FIRST, _LARGEST = 127, 64
"""Largest integer of weights, in the first layer and the others."""

Observations = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Int8Template:
    """An int8 network whose weights can be replaced quickly; it can be pickled.

    The ranges of its activations fit the weights and observations that it was made from. If
    training has changed the weights much, make a new template, which takes about a second.
    """

    network: bytes
    """ONNX file."""

    def with_weights(self, weights: Mapping[str, npt.ArrayLike]) -> bytes:
        """Return the network with other weights and the same ranges.

        Args:
            weights: float32 arrays or CPU tensors, by the names of the policy's `state_dict()`;
                other names are ignored.

        Returns:
            The ONNX file, equal to a quantisation of these weights with these ranges. Biases are
            not corrected (see `bias_corrected`).

        Raises:
            ValueError: weights are missing or have other shapes.
        """
        import onnx

        model = _parsed(self.network)
        layers = _layers(model.graph)
        parts = {part.name for layer in layers for part in layer.parts}
        for tensor in model.graph.initializer:
            plain = tensor.data_type == onnx.TensorProto.FLOAT and tensor.name not in parts
            if plain and tensor.name.startswith(_POLICY):
                tensor.raw_data = _weight(weights, tensor.name, tuple(tensor.dims)).tobytes()
        for layer in layers:
            dims = tuple(layer.kernel.dims)
            shape = dims[0], layer.planes, *dims[2:]
            layer.set(
                _weight(weights, _before(layer.kernel.name), shape),
                _weight(weights, _before(layer.bias.name), tuple(layer.bias.dims)),
            )
        data: bytes = model.SerializeToString()
        return data


def int8_template(
    network: bytes, observations: Observations | Sequence[Observations]
) -> Int8Template:
    """Quantise a network.

    Args:
        network: ONNX file with a trunk of convolutions, as `agents.networks.export` writes it.
        observations: at least 1,000 observations of positions from searches, which set the ranges
            of the activations; int8 of shape (N, *observation_shape), at least 0. For a network
            with free axes, a sequence of such arrays, one for each board size.

    Raises:
        ValueError: the network does not begin with a convolution, or observations are negative.
    """
    import onnx
    from onnx import numpy_helper
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

    parts = _parts(observations)
    least = min(part.min(initial=0) for part in parts)
    if least < 0:
        raise ValueError(f"observations must be at least 0, got {least}")
    model = prepared(onnx.load_from_string(network), _largest(parts))
    kinds = ("Conv", "Add", "Relu", "Pad", "MaxPool", "GlobalAveragePool")
    nodes = [node.name for node in trunk(model.graph) if node.op_type in kinds]
    seen, stem = up_to_the_stem(model.graph)
    whole = {"scale": np.array(1, np.float32), "zero_point": np.array(0, np.uint8)}
    precise = {
        "axis": 0, "quant_type": QuantType.QInt8, "symmetric": True, "reduce_range": False
    }  # fmt: skip
    overrides = {}
    if not looks_up(model.graph):
        overrides = {**{name: [whole] for name in seen}, stem.input[1]: [precise]}
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "float32.onnx", Path(folder) / "int8.onnx"
        onnx.save(model, given)
        quantize_static(
            given,
            made,
            _Reader(parts),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=list(kinds),
            nodes_to_quantize=nodes,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            extra_options={"TensorQuantOverrides": overrides},
        )
        quantised = onnx.load(made)
    for tensor in quantised.graph.initializer:  # use one of ONNX's two encodings for all
        tensor.CopyFrom(numpy_helper.from_array(_array(tensor), tensor.name))
    return Int8Template(quantised.SerializeToString())


def check_convolutions(network: bytes) -> None:
    """Raise `ValueError` for a network that `int8_template` cannot quantise."""
    import onnx

    up_to_the_stem(onnx.load_from_string(network).graph)


def bias_corrected(
    quantised: bytes, network: bytes, observations: Observations | Sequence[Observations]
) -> bytes:
    """Shift the biases of each layer so that rounded weights do not change its mean output.

    Layers are corrected one after another, from the first (M. Nagel et al., "Data-free quantization
    through weight equalization and bias correction", ICCV 2019).

    Args:
        quantised: ONNX file, made from `network` by `int8_template`.
        network: the float32 ONNX file.
        observations: as for `int8_template`.

    Returns:
        An ONNX file.
    """
    import onnx

    model = onnx.load_from_string(quantised)
    layers = _layers(model.graph)
    parts = _parts(observations)
    plain = prepared(onnx.load_from_string(network), _largest(parts))
    outputs = {node.name: node.output[0] for node in plain.graph.node}
    right = _channel_means(plain, [outputs[layer.name] for layer in layers], parts)
    for layer, mean in zip(layers, right, strict=True):
        (found,) = _channel_means(model, [layer.output], parts)
        scales = layer.input_scale * _array(layer.scales).astype(np.float64)
        shifted = _array(layer.bias) - np.round((found - mean) / scales)
        layer.bias.raw_data = shifted.astype(np.int32).tobytes()
    data: bytes = model.SerializeToString()
    return data


class _Reader:
    """Observations with the interface of `onnxruntime.quantization.CalibrationDataReader`."""

    def __init__(self, parts: Sequence[Observations]) -> None:
        self._batches = _batches(parts)

    def get_next(self) -> dict[str, npt.NDArray[np.float32]] | None:
        return next(self._batches, None)


def _parts(observations: Observations | Sequence[Observations]) -> Sequence[Observations]:
    return [observations] if isinstance(observations, np.ndarray) else observations


def _largest(parts: Sequence[Observations]) -> tuple[int, ...]:
    """Return the shape of an observation on the largest board."""
    return max(part.shape[1:] for part in parts)


def _batches(parts: Sequence[Observations]) -> Iterator[dict[str, npt.NDArray[np.float32]]]:
    for part in parts:
        for low in range(0, len(part), _BATCH):
            yield {_OBSERVATION: part[low : low + _BATCH].astype(np.float32)}


@functools.lru_cache(maxsize=4)
def _kept(network: bytes) -> Proto:
    import onnx

    return onnx.load_from_string(network)


def _parsed(network: bytes) -> Proto:
    """Return a network as a message that may be changed."""
    return copy.deepcopy(_kept(network))


@dataclass
class _Layer:
    """A quantised convolution, with the tensors of its weights."""

    name: str
    output: str
    """Name of the output."""
    input_scale: np.float32
    kernel: Proto
    scales: Proto
    """Scales of the kernel's channels."""
    bias: Proto
    bias_scales: Proto
    planes: int
    """Number of input planes, without padding."""
    largest: int
    """Largest integer of the kernel."""

    @property
    def parts(self) -> tuple[Proto, ...]:
        return self.kernel, self.scales, self.bias, self.bias_scales

    def set(self, kernel: npt.NDArray[np.float32], bias: npt.NDArray[np.float32]) -> None:
        """Quantise new weights, of shapes (channels, planes, ...) and (channels,)."""
        found = _quantised(kernel, bias, self.input_scale, self.largest)
        scales, integers, biases = found
        self.kernel.raw_data = padded(integers, self.kernel.dims[1]).tobytes()
        self.scales.raw_data = scales.tobytes()
        self.bias.raw_data = biases.tobytes()
        self.bias_scales.raw_data = (self.input_scale * scales).tobytes()


def _before(name: str) -> str:
    """Return a parameter's name before ONNX Runtime quantised it."""
    return name.removesuffix("_quantized")


def _layers(graph: Proto) -> list[_Layer]:
    """Return the quantised convolutions in order."""
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    sources = {
        node.output[0]: node.input for node in graph.node if node.op_type == "DequantizeLinear"
    }
    added = _array(tensors[ADDED])[5] if ADDED in tensors else 0
    looked_up = looks_up(graph)
    layers: list[_Layer] = []
    for node in graph.node:
        if node.op_type == "Conv" and node.input[1] in sources:
            seen, kernel, bias = (sources[name] for name in node.input)
            weights, scales, biases, bias_scales = (
                tensors[name] for name in (*kernel[:2], *bias[:2])
            )
            first = not (layers or looked_up)
            layers.append(
                _Layer(
                    name=node.name,
                    output=node.output[0],
                    input_scale=np.float32(_array(tensors[seen[1]])),
                    kernel=weights,
                    scales=scales,
                    bias=biases,
                    bias_scales=bias_scales,
                    planes=weights.dims[1] - (int(added) if first else 0),
                    largest=_LARGEST_FIRST if first else _LARGEST,
                )
            )
    return layers


def _array(tensor: Proto) -> npt.NDArray[Any]:
    from onnx import numpy_helper

    return numpy_helper.to_array(tensor)


def _weight(
    weights: Mapping[str, npt.ArrayLike], name: str, shape: tuple[int, ...]
) -> npt.NDArray[np.float32]:
    """Return a parameter by its name in the network."""
    key = name.removeprefix(_POLICY)
    if key not in weights:
        raise ValueError(f"weights must contain {key!r}, which the network has")
    array = np.asarray(weights[key], np.float32)
    if array.shape != shape:
        raise ValueError(f"weights[{key!r}] must have shape {shape}, got {array.shape}")
    return array


def _quantised(
    kernel: npt.NDArray[np.float32],
    bias: npt.NDArray[np.float32],
    input_scale: np.float32,
    largest: int,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    """Quantise a kernel and a bias as `onnxruntime.quantization` does.

    Returns:
        Scales of the channels, and the kernel and the bias in integers.
    """
    rows = kernel.reshape(len(kernel), -1)
    scales = (np.abs(rows).max(1).astype(np.float64) / largest).astype(np.float32)
    scales[scales < np.finfo(np.float32).tiny] = 1
    # A bias has the scale of input times kernel and must fit in 32 bits.
    least = 1.0001 * np.abs(bias.astype(np.float64)) / (2**31 - 0.5)
    small = np.float64(input_scale) * scales < least
    scales[small] = (least[small] / input_scale).astype(np.float32)
    integers = np.clip(np.round(rows / scales[:, None]), -128, 127).astype(np.int8)
    biases = np.round(bias.astype(np.float64) / (input_scale * scales))
    biases = np.clip(biases, -(2**31), 2**31 - 1).astype(np.int32)
    return scales, integers.reshape(kernel.shape), biases


def _channel_means(
    model: Proto, names: list[str], parts: Sequence[Observations]
) -> list[npt.NDArray[np.float64]]:
    """Return the channel means of the named tensors of a network, each of shape (channels,)."""
    import onnxruntime
    from onnx import TensorProto, helper

    model = copy.deepcopy(model)
    del model.graph.output[:]
    for name in names:
        model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    # The outputs of fused layers would not be available.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    sums: list[Any] = [0.0] * len(names)
    for batch in _batches(parts):
        for k, found in enumerate(session.run(names, batch)):
            sums[k] = sums[k] + found.mean((2, 3), np.float64).sum(0)
    return [total / sum(map(len, parts)) for total in sums]
