"""Choice of the best or a random legal action from logits."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, RandomBits

__all__ = ["masked_choice", "masked_policy"]


def masked_choice(
    logits: npt.NDArray[np.floating[Any]],
    masks: npt.NDArray[np.bool_],
    temperature: float,
    random_bits: RandomBits,
) -> Actions:
    """Return the best legal action, or one sampled from the softmax over the legal actions.

    Args:
        logits: shape (N, A).
        masks: bool of shape (N, A), at least one True per row.
        temperature: divisor of the logits; 0 takes the best action.
        random_bits: uint64 of shape (N,).

    Returns:
        int64 of shape (N,).
    """
    scores = _masked_scores(logits, masks)
    if temperature == 0:
        return scores.argmax(1)
    scores = (scores - scores.max(1, keepdims=True)) / temperature
    cumulative = np.exp(scores).cumsum(1)
    # 53 bits make a double in [0, 1). The first sum above the threshold is at a legal action.
    threshold = (random_bits >> np.uint64(11)).astype(np.float64) * 2.0**-53 * cumulative[:, -1]
    return (cumulative > threshold[:, None]).argmax(1)


def masked_policy(
    logits: npt.NDArray[np.floating[Any]], masks: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """Return the softmax over the legal actions, and 0 for illegal ones.

    Args:
        logits: shape (N, A).
        masks: bool of shape (N, A), at least one True per row.
    """
    scores = _masked_scores(logits, masks)
    shares = np.exp(scores - scores.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


def _masked_scores(
    logits: npt.NDArray[np.floating[Any]], masks: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """Return finite logits of the legal actions, and minus infinity for illegal ones."""
    # NaN or infinite logits of a diverged training must not undo the masks.
    finite = np.nan_to_num(logits.astype(np.float64), nan=-1e38, posinf=1e38, neginf=-1e38)
    return np.where(masks, finite, -np.inf)
