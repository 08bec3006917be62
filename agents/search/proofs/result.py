"""Result of the proof-number search: the record of compiled code, and the Python class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["UNLIMITED", "ProofResult", "result_record"]

UNLIMITED = 1 << 62
"""Budget that no search exhausts."""
_ANSWER = [(name, np.int64) for name in ("won", "rank", "action", "positions", "proof", "disproof")]


@dataclass(frozen=True)
class ProofResult:
    """Result of a proof-number search."""

    won: bool | None
    """Whether the attacker forces a win; `None` if unknown."""
    plies: int
    """Maximum number of plies to a forced win; 0 without one."""
    action: int
    """Action of the attacker that forces a win; -1 without one or if the defender is to move."""
    positions: int
    """Number of positions searched."""
    proof: int
    """Proof number; 0 if a win is proved."""
    disproof: int
    """Disproof number; 0 if no win was found and nothing is left to search."""

    @property
    def settled(self) -> bool:
        """Whether nothing is left to search.

        In a game with repetitions `won` may be `None` in a settled result: no win was found, but
        lines of play repeated positions.
        """
        return self.proof == 0 or self.disproof == 0

    @classmethod
    def read(cls, answer: npt.NDArray[np.void]) -> ProofResult:
        """Return the result that compiled code has written to a `result_record`."""
        won, *rest = answer[0].item()
        return cls(bool(won) if won >= 0 else None, *rest)


def result_record() -> npt.NDArray[np.void]:
    """Return a record for compiled code with the fields of `ProofResult`.

    `won` is 1, 0, or -1 if unknown; the field `rank` holds the plies.
    """
    return np.zeros(1, np.dtype((np.record, np.dtype(_ANSWER))))
