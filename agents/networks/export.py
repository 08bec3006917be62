"""A policy as an ONNX network: written whole, or its weights put into one written before."""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
import torch

from agents.networks.line_stem import LineStem
from agents.networks.line_table import has_line_table
from agents.networks.policy_networks import copied, logits_and_values
from agents.networks.sizes import Sizes, free_axes, games_of
from boardenvs.game import Game

__all__ = ["NetworkTemplate", "network_file"]


class _Network(torch.nn.Module):
    """Observation in; logits and value out."""

    def __init__(self, policy: Any) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return logits_and_values(self.policy, observation)


def network_file(policy: Any, game: Game | Sizes) -> bytes:
    """A Stable-Baselines3 actor-critic policy as an ONNX file.

    Its parameters keep their names in the policy's `state_dict()`, with `policy.` before them. One
    that reads lines looks them up if the board allows that, see `agents.networks.line_table`.

    Args:
        policy: with a features extractor shared by policy and value.
        game: what it plays. Of several sizes the file leaves open, besides how many positions it
            is asked about, the axes that `agents.networks.sizes.free_axes` names.
    """
    smallest = games_of(game)[0]
    shape = smallest.observation_shape
    seen, logits = {0: "n"}, {0: "n"}
    if isinstance(game, Sizes):
        axes = list(free_axes(smallest))
        seen |= dict(enumerate(axes[:-1], 2))
        logits[1] = axes[-1]
    network = _Network(copied(policy).cpu()).eval()
    looks_up = False
    for part in network.modules():
        if isinstance(part, LineStem):
            part.look_up = looks_up = has_line_table(smallest, part.reach)
    data: Any = io.BytesIO()  # which Torch takes, but does not say so
    with warnings.catch_warnings():
        # The exporter by tracing is deprecated, but the newer one needs onnxscript and
        # writes larger files for such plain networks.
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
    """An ONNX network of a policy's kind, into which weights are put in milliseconds.

    To write one anew takes a hundred times as long, and a policy in training changes every second.
    """

    def __init__(self, policy: Any, game: Game | Sizes) -> None:
        """Write the network once.

        Args:
            policy: as for `network_file`.
            game: what it plays.

        Raises:
            ValueError: the network does not hold the policy's weights as they are.
        """
        import onnx

        different = copied(policy).cpu()
        generator = torch.Generator().manual_seed(0)
        with torch.no_grad():
            # The exporter writes weights that are equal, as at the start, only once.
            for weight in different.parameters():
                weight.copy_(torch.randn(weight.shape, generator=generator))
        self._model = onnx.load_from_string(network_file(different, game))
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
                f"the network of {type(policy).__name__} does not hold its weights as they are"
            )

    def filled(self, policy: Any) -> bytes:
        """The network with the weights that a policy of the same kind has now."""
        weights = dict(policy.named_parameters())
        for name, place in self._places.items():
            array = weights[name].detach().cpu().numpy()
            place.raw_data = np.ascontiguousarray(array, np.dtype("<f4")).tobytes()
        data: bytes = self._model.SerializeToString()
        return data
