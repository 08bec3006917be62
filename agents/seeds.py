"""Seeds and random words of a match, which an agent cannot trace back to the match's seed.

An agent receives random words, a seed and concealed states. If these came from the games' own
random streams, an agent could reverse the generator and predict dice, hidden tiles or its
opponent's random bits. A cryptographic hash prevents this.
"""

from __future__ import annotations

import hashlib
import secrets

import numpy as np
import numpy.typing as npt

from boardenvs.core.chance import seed_word

__all__ = ["agent_seed", "fresh_seed", "one_way_words"]


def fresh_seed() -> int:
    """Return a random seed."""
    return secrets.randbits(64)


def _key(seed: int, label: str) -> bytes:
    return f"boardenvs {label}:".encode() + int(seed_word(seed)).to_bytes(8, "little")


def agent_seed(seed: int, place: int) -> int:
    """Return the seed of the agent in one place of a match, from 0 to 2**31 - 1.

    Raises:
        ValueError: the match's seed is not a whole number of at least 0.
    """
    digest = hashlib.shake_256(_key(seed, f"agent {place}")).digest(4)
    return int.from_bytes(digest, "little") >> 1  # 31 bits: every generator accepts them


def one_way_words(seed: int, label: str, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Return a random word for each number.

    Args:
        seed: seed of the match.
        label: purpose of the words; each label has its own words.
        numbers: indices of the words, at least 0, shape (N,).

    Returns:
        Words, uint64 of shape (N,).
    """
    if not len(numbers):
        return np.zeros(0, np.uint64)
    # The hash has output of any length, and word i does not depend on that length.
    output = hashlib.shake_256(_key(seed, label)).digest(8 * (int(numbers.max()) + 1))
    return np.frombuffer(output, "<u8").astype(np.uint64)[numbers]
