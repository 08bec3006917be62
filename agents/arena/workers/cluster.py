"""Joining a Ray cluster, for as long as something is to be done there."""

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
    """Be connected to a cluster; its processes keep to one thread each.

    Args:
        purpose: what Ray is wanted for, in a word such as "playing".
        address: of the cluster, such as `host:6379`; by default the one this process is
            connected to, or that `ray.init` finds, or a new one on this machine.

    Yields:
        The module `ray`. A connection that was there before stays.

    Raises:
        ValueError: Ray is not installed, or there is no such cluster.
    """
    try:
        import ray
    except ImportError:
        raise ValueError(
            f"{purpose} on Ray needs the extra [ray], such as pip install 'boardenvs[ray]': "
            "there is no ray"
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
    """Raise `OSError` where nobody answers, which Ray itself would take minutes to say."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=10).close()
