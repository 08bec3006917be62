"""The MaskablePPO part of `boardenvs train` compared with the original MaskablePPO."""

from __future__ import annotations

import time
from typing import Any

import boardenvs
from agents.bench.row import Row
from agents.bench.run import Bench, Key
from agents.bench.timing import Side, interleaved

__all__ = ["deciding", "training_steps"]

_GAME = "gekitai"
_PLAIN = "sb3-contrib's own policy class"


def deciding(part: Any) -> Side:
    """Return a side that measures decisions per second. A turn is a rollout and its update.

    Args:
        part: an `agents.training.ppo.PPO`.
    """
    from agents.networks.sharded import one_torch_thread

    decisions = part.env.num_envs * part.model.n_steps

    def side() -> float:
        began = time.perf_counter()
        with one_torch_thread():  # as `boardenvs train` does
            part.advance()
        return decisions / (time.perf_counter() - began)

    return side


def training_steps(bench: Bench) -> list[Row]:
    """Return a row that compares both policies on the same network, games and opponents."""
    effort = bench.effort

    def sides() -> dict[Key, Side]:
        from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

        from agents.networks.policy_networks import BoardPolicy
        from agents.training.ppo import make_ppo
        from agents.training.settings_files import settings_for

        class PlainPolicy(BoardPolicy):
            forward: Any = MaskableActorCriticPolicy.forward
            evaluate_actions: Any = MaskableActorCriticPolicy.evaluate_actions
            get_distribution: Any = MaskableActorCriticPolicy.get_distribution

        game = boardenvs.make(_GAME)
        settings = settings_for(game, num_envs=effort.train_envs, rollout=effort.learn_steps)
        kinds = {(): BoardPolicy, (_PLAIN,): PlainPolicy}
        return {
            key: deciding(make_ppo(game, settings, 0, policies={"convolutional": kind}))
            for key, kind in kinds.items()
        }

    built = bench.peer("boardenvs train", "train", sides)
    if built is None:
        return []
    found = interleaved(built, effort.learn_rounds)
    measure = f"boardenvs train {_GAME}, its MaskablePPO part"
    return [Row(measure, _GAME, found[()], "decisions/s", _PLAIN, found[_PLAIN,])]
