"""A temporary connection to a Ray cluster."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from typing import Any

from agents.agent import one_line
from agents.arena.workers.local import ONE_THREAD

__all__ = ["joined"]


@contextlib.contextmanager
def joined(purpose: str, address: str | None = None) -> Iterator[Any]:
    """Connect to a cluster, whose processes use one thread each.

    Args:
        purpose: purpose of Ray in one word, such as "playing".
        address: address of the cluster, such as `host:6379`; by default the connected cluster, or
            one that `ray.init` finds, or a new one on this machine.

    Yields:
        The module `ray`. An existing connection stays open.

    Raises:
        ValueError: Ray is not installed, or the cluster does not exist.
    """
    try:
        import ray
    except ImportError:
        raise ValueError(
            f"{purpose} on Ray needs the extra [ray]: pip install 'boardenvs[ray]'"
        ) from None
    if ray.is_initialized():
        yield ray
        return
    where = "" if address is None else f" at {address}"
    try:
        _check_answers(address)
        ray.init(
            address=address,
            logging_level="ERROR",
            log_to_driver=False,
            runtime_env={"env_vars": ONE_THREAD},
        )
    except Exception as error:
        raise ValueError(f"there is no Ray cluster{where}: {one_line(error)}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _check_answers(address: str | None) -> None:
    """Raise `OSError` if the address does not answer; Ray itself would take minutes."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=10).close()
