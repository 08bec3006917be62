"""What a match draws from its seed, so that nobody can compute the one from the other.

An agent is given random words, a seed and concealed states. Had they been made as the games'
own streams are, an agent could turn the steps back and foresee dice, hidden tiles or what its
opponent draws; so they come out of a cryptographic hash.
"""

from __future__ import annotations

import hashlib
import secrets

import numpy as np
import numpy.typing as npt

from boardenvs.core.chance import seed_word

__all__ = ["agent_seed", "fresh_seed", "one_way_words"]


def fresh_seed() -> int:
    """A seed that nobody has used."""
    return secrets.randbits(64)


def _key(seed: int, label: str) -> bytes:
    return f"boardenvs {label}:".encode() + int(seed_word(seed)).to_bytes(8, "little")


def agent_seed(seed: int, place: int) -> int:
    """The seed of the agent in one place of a match, from 0 to 2**31 - 1.

    Raises:
        ValueError: the match's seed is no whole number of at least 0.
    """
    digest = hashlib.shake_256(_key(seed, f"agent {place}")).digest(4)
    return int.from_bytes(digest, "little") >> 1  # so small that any generator takes it


def one_way_words(seed: int, label: str, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """A random word for each number; labels tell apart what words are for.

    Args:
        seed: of the match.
        label: what they are for.
        numbers: at least 0, shape (N,).

    Returns:
        uint64 of shape (N,).
    """
    if not len(numbers):
        return np.zeros(0, np.uint64)
    # The output of this hash goes on and on: word i is the same whatever else is asked for.
    output = hashlib.shake_256(_key(seed, label)).digest(8 * (int(numbers.max()) + 1))
    return np.frombuffer(output, "<u8").astype(np.uint64)[numbers]
