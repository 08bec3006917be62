"""The network that guides a search: of two that judge alike, the cheaper one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.players.trained import INT8, TrainedAgent, card_path

__all__ = ["SearchNetwork"]


class SearchNetwork(TrainedAgent):
    """A network as searches ask it: in 8-bit integers where its card names such a version.

    The card alone says so, whatever the processor, so that the same agent plays the same
    everywhere. `agents.dev.quantise` makes the version, measures it and writes it down.
    """

    def _file(self, network: Path) -> tuple[Path, Mapping[str, Any]]:
        version = self.card.get("int8")
        if version is None:
            return super()._file(network)
        if not isinstance(version, dict) or "file" not in version:
            raise ValueError(f"{card_path(network)} is damaged: its int8 names no file")
        name = version["file"]
        if name is None:
            return super()._file(network)
        if not isinstance(name, str) or not name.endswith(INT8) or name != Path(name).name:
            raise ValueError(
                f"{card_path(network)} is damaged: its int8 must name a file beside it such as "
                f"{network.stem}{INT8}, got {name!r}"
            )
        if "sha256" not in version:
            raise ValueError(f"{card_path(network)} is damaged: its int8 has no sha256")
        path = network.with_name(name)
        if not path.is_file():
            raise ValueError(f"{network} has no int8 version beside it: expected {name}")
        return path, version
