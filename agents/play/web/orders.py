"""Requests of a page to the program, and their checks."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["ORDERS", "read_order"]

ORDERS: dict[str, dict[str, type]] = {
    "move": {"move": str},
    "advance": {},
    "undo": {},
    "analyse": {"at": int},
    "resign": {},
    "restart": {},
    "new": {"values": list, "opponents": list, "seat": int},
    "ready": {},
}
"""Names of the orders, and the types of their entries."""
_CALLED = {str: "a text", int: "a whole number", list: "a list"}


def read_order(body: bytes) -> dict[str, Any]:
    """Return a checked request with `do`, `version` and the entries of `ORDERS`.

    Raises:
        ValueError: the request is not an order.
    """
    try:
        order = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError("an order must be JSON") from None
    if not isinstance(order, dict) or order.get("do") not in list(ORDERS):
        raise ValueError(f"do must be one of {', '.join(ORDERS)}")
    expected = {"do": str, "version": int, **ORDERS[order["do"]]}
    if order.keys() != expected.keys():
        raise ValueError(
            f"the order {order['do']} must have the keys {', '.join(sorted(expected))}"
        )
    for key, kind in expected.items():
        if type(order[key]) is not kind:
            raise ValueError(f"{key} must be {_CALLED[kind]}")
    values, opponents = (order.get(key, ()) for key in ("values", "opponents"))
    for value in [*order.values(), *values, *opponents]:
        if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
            raise ValueError("texts must be valid UTF-8")  # answers may quote them
    if not all(type(value) in (int, str) for value in values):
        raise ValueError("values must be a list of whole numbers or texts")
    if not all(type(spec) is str for spec in opponents):
        raise ValueError("opponents must be a list of texts")
    return order
