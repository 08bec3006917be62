"""The code of this package's pages on learners, run from the pages themselves."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import numpy as np

from agents.checking.learners import STEPS, Learner
from boardenvs.game import Game
from boardenvs.registration import env_id

__all__ = ["LEARNERS", "alphazero", "ppo", "self_play_ppo"]

_TRAINING = Path(__file__).parents[2] / "training"


@functools.cache
def _definitions(page: str, env: str = "boardenvs:boardenvs/Gekitai-v0") -> dict[str, Any]:
    """Return the names that the page's first block defines, with another environment."""
    text = (_TRAINING / page).read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    code = code.partition("\ngame = ")[0].replace("boardenvs:boardenvs/Gekitai-v0", env)
    names: dict[str, Any] = {}
    exec(compile(code, page, "exec"), names)
    return names


def ppo(game: Game, seed: int, seconds: float) -> Any:
    """Learn with the code of `PPO.md`, against random opponents."""
    import torch

    policy = _definitions("PPO.md", env_id(game.name))["train"](int(STEPS * seconds), seed=seed)

    def best(observations: Any, masks: Any) -> Any:
        with torch.no_grad():
            return policy(observations, masks.astype(np.int8))[0].logits.argmax(1).numpy()

    return best


def self_play_ppo(game: Game, seed: int, seconds: float) -> Any:
    """Learn with the code of `SELF_PLAY_PPO.md`, with fewer games, since a probe is tiny."""
    import torch

    names = _definitions("SELF_PLAY_PPO.md")
    policy = names["train"](game, int(STEPS * seconds), num_envs=64, epochs=8, seed=seed)

    def values(*arrays: Any) -> Any:
        with torch.no_grad():
            return policy(*map(torch.as_tensor, arrays))[1].numpy()

    return names["Player"](game, policy), values


def alphazero(game: Game, seed: int, seconds: float) -> Any:
    """Learn with the code of `ALPHAZERO.md`, five rounds of self-play for each second."""
    import torch

    names = _definitions("self_play/ALPHAZERO.md")
    network = names["learn"](game, round(5 * seconds), seed=seed)

    @torch.no_grad()
    def best(observations: Any, masks: Any) -> Any:
        return np.where(masks, network(observations)[0].numpy(), -np.inf).argmax(1)

    @torch.no_grad()
    def values(observations: Any, masks: Any) -> Any:
        found = network(observations)[1].numpy()
        return found if found.ndim == 1 else found[:, 0]  # of the seat to move

    return best, values


LEARNERS = (
    Learner("[PPO of your own](../training/PPO.md)", ppo, "boardenvs", 50),
    Learner("[self-play PPO](../training/SELF_PLAY_PPO.md)", self_play_ppo, "boardenvs", 50),
    Learner(
        "[AlphaZero of your own](../training/self_play/ALPHAZERO.md)", alphazero, "boardenvs", 1
    ),
)
