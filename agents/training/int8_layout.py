"""An int8 network in the operators that ONNX Runtime runs fastest: the same sums, from fewer steps.

ONNX Runtime lays what is in int8 channels last, and turns it round wherever an operator with a
fixed order of axes follows. What turns it round in the same way before such an operator cancels
that. What comes out is the same to the bit; a call takes 4 to 9% less time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from agents.training.int8_preparation import Proto

__all__ = ["lay_out"]

_LAST, _FIRST = [0, 2, 3, 1], [0, 3, 1, 2]
"""Axes in the order that puts the channels last, and back."""
_BETWEEN = "axes_between"
_BOARD = "board"


def lay_out(model: Proto, board: Sequence[int] | None) -> None:
    """Change a network in place; one that was changed before stays as it is.

    Args:
        model: as ONNX Runtime's static quantisation leaves what
            `agents.training.int8_preparation.prepared` gives, in the QDQ format.
        board: rows and columns of the trunk; `None` where they are the observation's own.
    """
    graph = model.graph
    _pad_once(graph)
    _flatten_channels_last(graph)
    _spread_over_the_board(graph, board)


def _pad_once(graph: Proto) -> None:
    """Add planes to what is observed before it is quantised, not between two quantisations."""
    made = _made(graph)
    for pad in [node for node in graph.node if node.op_type == "Pad"]:
        dequantise = _source(made, pad, "DequantizeLinear")
        quantise = _source(made, dequantise, "QuantizeLinear")
        if quantise is not None:
            pad.input[0] = quantise.input[0]
            graph.node.remove(dequantise)
            graph.node.remove(quantise)


def _flatten_channels_last(graph: Proto) -> None:
    """Turn each pool's mean or maxima round before they are flattened."""
    made = _made(graph)
    for flatten in [node for node in graph.node if node.op_type == "Flatten"]:
        if _source(made, flatten, "DequantizeLinear") is not None:
            turned = f"{flatten.input[0]}_channels_last"
            _insert(graph, flatten, "Transpose", [flatten.input[0]], turned, perm=_LAST)
            flatten.input[0] = turned


def _spread_over_the_board(graph: Proto, board: Sequence[int] | None) -> None:
    """Repeat in every cell what a block adds to its channels; to add cell by cell is faster."""
    made = _made(graph)
    for quantise in [node for node in graph.node if node.op_type == "QuantizeLinear"]:
        outer = _source(made, quantise, "Unsqueeze")
        inner = _source(made, outer, "Unsqueeze")
        if inner is None:
            continue
        if _BETWEEN not in {tensor.name for tensor in graph.initializer}:
            _give(graph, _BETWEEN, [1, 2])
            _give_board(graph, board)
        shift, given, out = quantise.input[0], inner.input[0], quantise.output[0]
        row, integers, cells = f"{shift}_row", f"{shift}_integers", f"{shift}_cells"
        _insert(graph, inner, "Unsqueeze", [given, _BETWEEN], row)
        _insert(graph, inner, "QuantizeLinear", [row, *quantise.input[1:]], integers)
        _insert(graph, inner, "Expand", [integers, _BOARD], cells)
        _insert(graph, inner, "Transpose", [cells], out, perm=_FIRST)
        for node in (inner, outer, quantise):
            graph.node.remove(node)


def _give_board(graph: Proto, board: Sequence[int] | None) -> None:
    """The shape of one channel of a board, channels last: (1, rows, columns, 1)."""
    if board is not None:
        _give(graph, _BOARD, [1, *board, 1])
        return
    _give(graph, "one", [1])
    first = graph.node[0]
    _insert(graph, first, "Shape", ["observation"], "rows_and_columns", start=2, end=4)
    _insert(graph, first, "Concat", ["one", "rows_and_columns", "one"], _BOARD, axis=0)


def _made(graph: Proto) -> dict[str, Proto]:
    """The operators by the names of what they give."""
    return {name: node for node in graph.node for name in node.output}


def _source(made: dict[str, Proto], node: Proto | None, kind: str) -> Proto | None:
    """What gives an operator its first input, if it is of this kind."""
    source = None if node is None else made.get(node.input[0])
    return source if source is not None and source.op_type == kind else None


def _give(graph: Proto, name: str, numbers: list[int]) -> None:
    from onnx import numpy_helper

    graph.initializer.append(numpy_helper.from_array(np.array(numbers, np.int64), name))


def _insert(
    graph: Proto, before: Proto, kind: str, inputs: list[str], output: str, **attributes: Any
) -> None:
    """Put an operator before another one."""
    from onnx import helper

    place = list(graph.node).index(before)
    node = helper.make_node(kind, inputs, [output], f"{output}_{kind}", **attributes)
    graph.node.insert(place, node)
