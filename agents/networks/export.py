"""Export of a policy as an ONNX file with a card, for the agent `trained`."""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import json
import platform
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch

import boardenvs
from agents.networks.card import card_path
from agents.networks.line_stem import LineStem
from agents.networks.line_table import has_line_table
from agents.networks.policy_networks import copied, logits_and_values
from agents.networks.sizes import (
    Games,
    common_params,
    covered_sizes,
    free_axes,
    size_parameter,
)
from boardenvs.files import write_atomically

__all__ = ["NetworkTemplate", "export_policy", "policy_to_onnx", "versions"]


def export_policy(policy: Any, games: Games, path: Path, card: dict[str, Any]) -> None:
    """Write a Stable-Baselines3 actor-critic policy as an ONNX file with its card.

    Args:
        policy: as for `policy_to_onnx`.
        games: the game of the policy on each size. A policy for several sizes plays all sizes from
            the smallest to the largest.
        path: path of the ONNX file; the card is in the same folder. Each file is written
            atomically, the network first.
        card: entries of the card; `game`, `params`, `versions` and the network's checksum are
            added.
    """
    data = policy_to_onnx(policy, games)
    full_card = {
        "game": games[0].name,
        **_params(games),
        **card,
        "versions": versions(),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data)
    write_atomically(card_path(path), (json.dumps(full_card, indent=2) + "\n").encode())


def _params(games: Games) -> dict[str, Any]:
    """Return the card's entries about the game's parameters; see `agents.networks.sizes`."""
    params = common_params(games)
    if len(games) == 1:
        return {"params": params}
    parameter = size_parameter(games)
    return {
        "params": {**params, parameter: covered_sizes(games)},
        "sizes": {parameter: [game.params[parameter] for game in games]},
    }


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that training uses."""
    names = ("numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib")
    found = {name: importlib.metadata.version(name) for name in names}
    return {"python": platform.python_version(), "boardenvs": boardenvs.__version__, **found}


class _Network(torch.nn.Module):
    """A module that maps observations to logits and values."""

    def __init__(self, policy: Any) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return logits_and_values(self.policy, observation)


def policy_to_onnx(policy: Any, games: Games) -> bytes:
    """Return a Stable-Baselines3 actor-critic policy as an ONNX file.

    Its parameters keep their names in the policy's `state_dict()`, with the prefix `policy.`. A
    policy that reads lines looks them up if the board allows it, see `agents.networks.line_table`.

    Args:
        policy: a policy whose actor and critic share a features extractor.
        games: the game of the policy on each size. With several sizes, the axes of
            `agents.networks.sizes.free_axes` have no fixed length.
    """
    smallest = games[0]
    shape = smallest.observation_shape
    seen, logits = {0: "n"}, {0: "n"}
    if len(games) > 1:
        axes = list(free_axes(smallest))
        seen |= dict(enumerate(axes[:-1], 2))
        logits[1] = axes[-1]
    network = _Network(copied(policy).cpu()).eval()
    looks_up = False
    for part in network.modules():
        if isinstance(part, LineStem):
            part.look_up = looks_up = has_line_table(smallest, part.reach)
    data: Any = io.BytesIO()  # Torch accepts it, but its annotations do not
    with warnings.catch_warnings():
        # The exporter by tracing is deprecated, but the newer one needs onnxscript and
        # writes larger files.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network,
            (torch.zeros((1, *shape)),),
            data,
            input_names=["observation"],
            output_names=["logits", "value"],
            dynamic_axes={"observation": seen, "logits": logits, "value": {0: "n"}},
            opset_version=17,
            dynamo=False,
            # Folded weights would lose their names.
            do_constant_folding=not looks_up,
        )
    written: bytes = data.getvalue()
    return written


class NetworkTemplate:
    """An ONNX network whose weights are replaced in milliseconds.

    A new export takes a hundred times as long, and a policy in training changes every second.
    """

    def __init__(self, policy: Any, games: Games) -> None:
        """Export the network once.

        Args:
            policy: as for `policy_to_onnx`.
            games: the game of the policy on each size.

        Raises:
            ValueError: the exporter changes the policy's weights.
        """
        import onnx

        different = copied(policy).cpu()
        generator = torch.Generator().manual_seed(0)
        with torch.no_grad():
            # The exporter would merge equal weights, such as initial biases.
            for weight in different.parameters():
                weight.copy_(torch.randn(weight.shape, generator=generator))
        self._model = onnx.load_from_string(policy_to_onnx(different, games))
        held = {one.name: one for one in self._model.graph.initializer}
        weights = {f"policy.{name}": weight for name, weight in different.named_parameters()}
        self._places = {name.removeprefix("policy."): held[name] for name in weights.keys() & held}
        self._shapes = {name: tuple(weights[f"policy.{name}"].shape) for name in self._places}
        changed = [
            name
            for name, one in held.items()
            if one.data_type == onnx.TensorProto.FLOAT and name not in weights and list(one.dims)
        ]
        if changed or any(
            tuple(one.dims) != self._shapes[name] for name, one in self._places.items()
        ):
            raise ValueError(
                f"policy must be exported with its weights unchanged, got a {type(policy).__name__}"
                f" whose weights the exporter changes"
            )

    def filled(self, policy: Any) -> bytes:
        """Return the ONNX file with the current weights of a policy of the same kind."""
        weights = dict(policy.named_parameters())
        for name, place in self._places.items():
            array = weights[name].detach().cpu().numpy()
            place.raw_data = np.ascontiguousarray(array, np.dtype("<f4")).tobytes()
        data: bytes = self._model.SerializeToString()
        return data
