"""Conversion of a float32 network to operators that ONNX Runtime can quantise."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["ADDED", "Proto", "looks_up", "padded", "prepared", "trunk", "up_to_the_stem"]

Proto = Any
"""A message of ONNX."""
ADDED = "planes_to_add"
"""Name of the tensor with the number of zero planes that pad the input of the first layer."""
_ALIGNED = 4
"""The input planes of the first layer are padded to a multiple of this number, because ONNX Runtime
copies such inputs faster."""


_STEM = "/stem/"
"""Part of the node names of a layer that looks up lines; see `agents.networks.line_stem`."""


def prepared(model: Proto, shape: tuple[int, ...]) -> Proto:
    """Return the same network with operators that ONNX Runtime supports in int8.

    Args:
        model: the network.
        shape: shape of an observation. If rows or columns are free, the shape on the largest board;
            the network fails on larger boards.
    """
    from onnx import helper

    model = copy.deepcopy(model)
    graph = model.graph
    _give_each_its_own(graph)
    board = list(shape[1:]) if len(shape) == 3 else [1, *shape[1:]]
    whole: dict[str, Any] = {"kernel_shape": board}
    if any(dim.dim_param for dim in graph.input[0].type.tensor_type.shape.dim[2:]):
        # This pool takes the maximum over any board up to this size, as padding does not count.
        # ONNX Runtime has no int8 operator for a global maximum.
        whole |= {"strides": board, "pads": [0, 0, *(side - 1 for side in board)]}
    for node in list(graph.node):
        if node.op_type not in ("ReduceMax", "ReduceMean"):
            continue
        place = list(graph.node).index(node)
        (source,), (out,) = node.input, node.output
        flat = f"{out}_as_pool"
        if node.op_type == "ReduceMax":
            pool = helper.make_node("MaxPool", [source], [flat], node.name, **whole)
        else:
            pool = helper.make_node("GlobalAveragePool", [source], [flat], node.name)
        flatten = helper.make_node("Flatten", [flat], [out], f"{node.name}_flatten", axis=1)
        graph.node.remove(node)
        graph.node.insert(place, flatten)
        graph.node.insert(place, pool)
    if not looks_up(graph):
        _add_planes(graph)
    entry = model.metadata_props.add()
    entry.key, entry.value = "onnx.quant.pre_process", "onnxruntime.quant"
    return model


def _add_planes(graph: Proto) -> None:
    """Pad the input planes of the first layer to a multiple of `_ALIGNED`."""
    from onnx import helper, numpy_helper

    _, stem = up_to_the_stem(graph)
    kernel = next(tensor for tensor in graph.initializer if tensor.name == stem.input[1])
    weights = numpy_helper.to_array(kernel)
    missing = -weights.shape[1] % _ALIGNED
    if missing:
        kernel.CopyFrom(
            numpy_helper.from_array(padded(weights, weights.shape[1] + missing), kernel.name)
        )
        pads = np.array([0, 0, 0, 0, 0, missing, 0, 0], np.int64)
        graph.initializer.append(numpy_helper.from_array(pads, ADDED))
        pad = helper.make_node("Pad", [stem.input[0], ADDED], ["observation_padded"], "pad_planes")
        graph.node.insert(list(graph.node).index(stem), pad)
        stem.input[0] = "observation_padded"


def looks_up(graph: Proto) -> bool:
    """Return whether a network looks up lines, so that its first layer has no kernel."""
    return any(node.op_type == "Gather" and _STEM in node.name for node in graph.node)


def _give_each_its_own(graph: Proto) -> None:
    """Split parameters that PyTorch merged because they are equal, such as initial biases."""
    from onnx import numpy_helper

    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for node in list(graph.node):
        if node.op_type == "Identity" and node.input[0] in values:
            graph.initializer.append(numpy_helper.from_array(values[node.input[0]], node.output[0]))
            graph.node.remove(node)


def padded(kernel: npt.NDArray[Any], planes: int) -> npt.NDArray[Any]:
    """Return a kernel of shape (channels, planes, ...), padded with zeros to `planes` planes."""
    missing = planes - kernel.shape[1]
    return np.pad(kernel, ((0, 0), (0, missing), (0, 0), (0, 0)))


def up_to_the_stem(graph: Proto) -> tuple[list[str], Proto]:
    """Return the names of the observations up to the first convolution, and the convolution."""
    names = ["observation"]
    for node in graph.node:
        if node.input and node.input[0] == names[-1]:
            if node.op_type == "Conv":
                return names, node
            names.append(node.output[0])
    raise ValueError("a network must begin with a convolution to be quantised")


def trunk(graph: Proto) -> list[Proto]:
    """Return the nodes up to the policy's convolution, which is the last one, and all pools.

    Nodes that look up lines are left out, because the numbers of lines must be exact.
    """
    by_output = {output: node for node in graph.node for output in node.output}
    policy = [node for node in graph.node if node.op_type == "Conv"][-1]
    exact = {node.name for node in graph.node if looks_up(graph) and _STEM in node.name}
    waiting, found = [policy.input[0]], set()
    while waiting:
        node = by_output.get(waiting.pop())
        if node is not None and node.name not in found and node.name not in exact:
            found.add(node.name)
            waiting += node.input
    pools = ("MaxPool", "GlobalAveragePool")
    return [node for node in graph.node if node.name in found or node.op_type in pools]
