"""Which reference agents a policy met in training, as far as it can be told."""

from __future__ import annotations

from typing import Any

from boardenvs.envs.opponents import Opponent

__all__ = ["met_in_training"]

_NOBODY_ELSE = ("latest", "earlier")  # the learner's own selves, in settings of training


def met_in_training(agent: Opponent) -> tuple[str, ...] | None:
    """Return the specs that a trained agent's card names: opponents and teacher.

    The opponents of evaluations are included: the best checkpoint was chosen by them.

    Args:
        agent: one that `boardenvs train` left, or that searches with its network; of others it is
            not known.
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
