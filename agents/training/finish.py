"""What a run leaves once it is over: the agent with its card, and the learning curve."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from agents.sizes import Sizes
from agents.trained import card_path
from agents.training.curve import draw_curve
from agents.training.evaluation import Yardstick
from agents.training.export import export_policy
from agents.training.settings import Settings
from boardenvs.files import write_atomically
from boardenvs.game import Game

__all__ = ["LEFT", "leave_agent"]

_NETWORK, _CURVE = "agent.onnx", "learning_curve.png"
LEFT = (_NETWORK, card_path(Path(_NETWORK)).name, _CURVE)
"""Names of the files that `leave_agent` writes."""


def leave_agent(
    folder: Path,
    game: Game | Sizes,
    policy: Any,
    agent: Any,
    card: dict[str, Any],
    settings: Settings,
    yardstick: Yardstick,
    history: Sequence[dict[str, Any]],
    seed: int,
    libraries: Iterable[str] = (),
) -> Path:
    """Measure an agent, export it, and draw its learning curve.

    Args:
        folder: gets `agent.onnx`, its card `agent.json`, and `learning_curve.png`.
        game: what was learned.
        policy: to be kept, an actor-critic policy of Stable-Baselines3.
        agent: that plays by it, as the yardstick takes it.
        card: what is to be said of it: `steps`, at which it stood, and more; its `scores` are
            added.
        settings: of the run.
        yardstick: what it is measured by.
        history: the points of the curve.
        seed: of the matches.
        libraries: whose versions the card tells, too.

    Returns:
        The ONNX file.
    """
    card["scores"] = yardstick.entries(agent, settings.final_games, seed)
    path = folder / _NETWORK
    export_policy(policy, game, path, card, libraries)
    title = f"{game!r}: {settings.evaluation_games} games an evaluation"
    curve = draw_curve(title, history, list(yardstick.rivals), card["steps"])
    write_atomically(folder / _CURVE, curve)
    return path
