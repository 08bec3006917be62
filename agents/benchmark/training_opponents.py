"""The reference agents that a policy met in training, if known."""

from __future__ import annotations

from typing import Any

from boardenvs.envs.opponents import Opponent

__all__ = ["met_in_training"]

_NOBODY_ELSE = ("latest", "earlier")  # the learner itself, in training settings


def met_in_training(agent: Opponent) -> tuple[str, ...] | None:
    """Return the specs of opponents and teacher in a trained agent's card; `None` without a card.

    The opponents of evaluations are included, because they decide the best checkpoint.

    Args:
        agent: an agent with a network of `boardenvs train`, or any other agent.
    """
    card = getattr(agent, "card", None)
    settings: Any = card.get("settings") if isinstance(card, dict) else None
    if not isinstance(settings, dict):
        return None
    clone = settings.get("clone") or {}
    taught = [clone.get("agent"), *clone.get("opponents", ())]
    searched = (settings.get("guided") or {}).get("opponents", ())
    evaluated_against = settings.get("evaluate_against", ())
    named = [*settings.get("opponents", ()), *taught, *searched, *evaluated_against]
    specs = [spec for spec in named if isinstance(spec, str) and spec not in _NOBODY_ELSE]
    return tuple(dict.fromkeys(specs))
