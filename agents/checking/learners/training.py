"""The parts of `boardenvs train`, with short settings."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import Any

from agents.checking.learners import STEPS, Learner
from boardenvs.game import Game

__all__ = ["LEARNERS", "imitation", "maskable_ppo", "puct", "self_play", "values"]

_SHORT: dict[str, Any] = {"hidden": [64, 64], "evaluation_games": 8, "final_games": 8}


def imitation(game: Game, seed: int, seconds: float) -> Any:
    """Imitate `mcts:100`."""
    return _trained(game, seed, clone=_imitated(seconds), ppo_steps=0)[0]


def maskable_ppo(game: Game, seed: int, seconds: float) -> Any:
    """Learn with MaskablePPO against random, greedy, itself and its earlier selves."""
    return _trained(game, seed, ppo_steps=int(STEPS * seconds))[0]


def self_play(game: Game, seed: int, seconds: float) -> Any:
    """Learn from search-guided self-play."""
    return _trained(game, seed, guided=_searched(seconds), ppo_steps=0)


def values(game: Game, seed: int, seconds: float) -> Any:
    """Imitate `mcts:100`, then learn the values of this policy."""
    fitted = {"agent": "latest", "steps": int(STEPS * seconds), "random_share": 0.05}
    return _trained(game, seed, clone=_imitated(seconds), ppo_steps=0, values=fitted)


def puct(game: Game, seed: int, seconds: float) -> Any:
    """Play `puct:100` with the network of search-guided self-play."""
    from agents.search.puct import PuctAgent

    with tempfile.TemporaryDirectory() as folder:
        _trained(game, seed, Path(folder), guided=_searched(seconds), ppo_steps=0)
        return PuctAgent(game, seed, 100, path=Path(folder, "run", "agent.onnx"))


def _imitated(seconds: float) -> dict[str, Any]:
    return {"agent": "mcts:100", "steps": int(STEPS * seconds)}


def _searched(seconds: float) -> dict[str, Any]:
    steps = int(STEPS * seconds)
    # A buffer that keeps the whole run would keep the policies of its start.
    return {"steps": steps, "actors": 1, "warm_up": 500, "buffer": max(steps // 10, 2000)}


def _trained(game: Game, seed: int, folder: Path | None = None, **changes: Any) -> tuple[Any, Any]:
    """Return the best agent of a run, and its values of the seat to move."""
    import torch

    from agents.networks.policy_networks import logits_and_values
    from agents.training import train
    from agents.training.settings_files import settings_from

    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(None))
        where = folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = settings_from({**_SHORT, **changes})
        run = train(game, where / "run", seed=seed, settings=settings)
    run.model.policy.load_state_dict(run.best["policy"])

    @torch.no_grad()
    def worth(observations: Any, masks: Any) -> Any:
        seen = torch.as_tensor(observations, dtype=torch.float32)
        found = logits_and_values(run.model.policy, seen)[1].numpy()
        return found if found.ndim == 1 else found[:, 0]

    return run.agent(), worth


LEARNERS = (
    Learner("imitation of `boardenvs train`", imitation, "boardenvs", 4),
    Learner("MaskablePPO of `boardenvs train`", maskable_ppo, "boardenvs", 20),
    Learner("search-guided self-play of `boardenvs train`", self_play, "boardenvs", 20),
    Learner("values of `boardenvs train`", values, "boardenvs", 8),
    Learner("`puct:100` with a network of search-guided self-play", puct, "boardenvs"),
)
