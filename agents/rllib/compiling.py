"""Compiling a game where RLlib waits for it."""

from __future__ import annotations

from typing import Any

from ray.rllib.callbacks.callbacks import RLlibCallback

from agents.rllib.env import GameMultiAgentEnv

__all__ = ["CompileFirst"]


class CompileFirst(RLlibCallback):
    """Compiles the game when an env runner is made, before anybody asks it for games.

    RLlib waits for an env runner until it is there, but for its games only so long, and throws
    those away that come too late. Where no compiled code is cached yet and the cores are busy,
    compiling takes longer than that.
    """

    def on_environment_created(self, *, env: Any, **kwargs: Any) -> None:
        """Play a game through, in an environment of its own."""
        own = GameMultiAgentEnv({"game": env.envs[0].unwrapped.game})
        seen, _ = own.reset(seed=0)
        over = False
        while not over:
            ((mover, shown),) = seen.items()
            # The first legal action.
            seen, _, ended, cut, _ = own.step({mover: shown["action_mask"].argmax()})
            over = ended["__all__"] or cut["__all__"]
