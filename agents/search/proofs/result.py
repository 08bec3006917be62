"""The answer of the proof-number search, as compiled code writes it and as Python reads it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["UNLIMITED", "ProofResult", "result_record"]

UNLIMITED = 1 << 62
"""More positions than any search looks at."""
_ANSWER = [(name, np.int64) for name in ("won", "rank", "action", "positions", "proof", "disproof")]


@dataclass(frozen=True)
class ProofResult:
    """What a search has come to."""

    won: bool | None
    """Whether the attacker forces a win; `None` if that is not settled."""
    plies: int
    """If so, within how many plies; else 0."""
    action: int
    """If so, and the attacker is to move, an action that does; else -1."""
    positions: int
    """How many positions were looked at."""
    proof: int
    """How much is left to settle until the win is proved: the proof number."""
    disproof: int
    """How much until it is seen that there is none."""

    @property
    def settled(self) -> bool:
        """Whether there is nothing left to search.

        In a game that can repeat itself it may be so with `won` not known: no win was found, but
        lines of play led in circles.
        """
        return self.proof == 0 or self.disproof == 0

    @classmethod
    def read(cls, answer: npt.NDArray[np.void]) -> ProofResult:
        """What compiled code has written in `result_record`."""
        won, *rest = answer[0].item()
        return cls(bool(won) if won >= 0 else None, *rest)


def result_record() -> npt.NDArray[np.void]:
    """One record for compiled code to write an answer in: the fields of `ProofResult`.

    `won` is 1 or 0, or -1 for not settled; the plies are called `rank`.
    """
    return np.zeros(1, np.dtype((np.record, np.dtype(_ANSWER))))
