"""Safety checks of untrusted ONNX files, before they are run."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["check_network"]

# An ONNX file is a message of Protocol Buffers. A message consists of fields, each with a number
# and a wire type. These fields of the messages in onnx.proto contain messages to check.
_PARTS = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: "tensor", 15: "sparse tensor"},
    "node": {5: "attribute"},
    "attribute": {
        5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse tensor", 23: "sparse tensor"
    },
    "sparse tensor": {1: "tensor", 2: "tensor"},
    "tensor": {},
}  # fmt: skip
_OPERATOR, _DOMAIN = 4, 7
_EXTERNAL_DATA, _DATA_LOCATION = 13, 14

_LOOPS = {"Loop", "Scan", "SequenceMap"}
_STANDARD = {"", "ai.onnx"}
_DAMAGED = "is damaged or not an ONNX network"


def check_network(data: bytes) -> None:
    """Check that an ONNX file has no content that could do harm and that no policy needs.

    The file must not contain:

    - weights in other files, which ONNX Runtime would look for in the current folder
    - loops, which may never end
    - functions that the file defines
    - operators that are not ONNX's own

    Args:
        data: content of an ONNX file.

    Raises:
        ValueError: the content is not allowed, or is not ONNX. The caller must put the name of the
            file before the message.
    """
    waiting = [("model", memoryview(data))]
    while waiting:
        kind, message = waiting.pop()
        parts = _PARTS[kind]
        for number, value in _fields(message):
            if kind == "tensor" and (
                number == _EXTERNAL_DATA or (number == _DATA_LOCATION and value != 0)
            ):
                raise ValueError("stores weights in another file, but must contain all weights")
            if kind == "node" and number in (_OPERATOR, _DOMAIN):
                _check_operator(number, value)
            part = parts.get(number)
            if part == "function":
                raise ValueError("defines functions, which must be inlined")
            if part is not None and isinstance(value, memoryview):
                waiting.append((part, value))


def _check_operator(number: int, value: int | memoryview) -> None:
    if not isinstance(value, memoryview):
        raise ValueError(f"{_DAMAGED}: an operator has no name")
    name = bytes(value).decode("utf-8", "replace")
    if number == _OPERATOR and name in _LOOPS:
        raise ValueError(f"has the operator {name}: loops are not allowed, as they may never end")
    if number == _DOMAIN and name not in _STANDARD:
        raise ValueError(f"has an operator of the domain {name!r}: only ONNX's own are allowed")


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield the fields of a message: number and value, an int or the bytes of other types."""
    place = 0
    while place < len(message):
        tag, place = _whole(message, place)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, place = _whole(message, place)
            yield number, value
            continue
        if kind == 2:
            size, place = _whole(message, place)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError(f"{_DAMAGED}: a field has an unknown type")
        if size > len(message) - place:
            raise ValueError(f"{_DAMAGED}: a field is truncated")
        yield number, message[place : place + size]
        place += size


def _whole(message: memoryview, place: int) -> tuple[int, int]:
    """Return the varint at a place, which has seven bits in a byte, and the place after it."""
    number = 0
    for shift in range(0, 70, 7):
        if place == len(message):
            break
        byte = message[place]
        place += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, place
    raise ValueError(f"{_DAMAGED}: a number is truncated or too long")
