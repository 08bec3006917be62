"""The random stream of a record: SplitMix64 with one 64-bit word.

Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number
generators", OOPSLA 2014. Each step adds a constant to the word and hashes it. So a copy of a record
has the same future, and a new word gives a new future.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from boardenvs.core.checks import is_whole, shown
from boardenvs.kernels.numba_compat import COMPILES
from boardenvs.kernels.plain import PLAIN

__all__ = [
    "below",
    "draw",
    "make_streams",
    "mixed",
    "next_bits",
    "one_way",
    "seed_word",
    "stepped",
    "times",
]

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_WORD = 0xFFFFFFFFFFFFFFFF
_INTS = int(_GAMMA), int(_MIX_1), int(_MIX_2)  # Python ints are faster for single words


def _plain_times(a: np.uint64, b: np.uint64) -> np.uint64:
    """Return the lowest 64 bits of a product."""
    return np.uint64(int(a) * int(b) & 0xFFFFFFFFFFFFFFFF)


def _plain_plus(a: np.uint64, b: np.uint64) -> np.uint64:
    return np.uint64((int(a) + int(b)) & 0xFFFFFFFFFFFFFFFF)


if not COMPILES:
    times, _plus = _plain_times, _plain_plus

else:

    @njit
    def times(a, b):  # type: ignore[no-untyped-def]
        """Return the lowest 64 bits of a product."""
        return a * b

    @njit
    def _plus(a, b):  # type: ignore[no-untyped-def]
        return a + b

    # In plain Python, NumPy scalars would warn about the intended overflow.
    PLAIN[times] = _plain_times
    PLAIN[_plus] = _plain_plus


@njit
def stepped(word):  # type: ignore[no-untyped-def]
    """Return the stream word after `word`."""
    return _plus(word, _GAMMA)


@njit
def mixed(word):  # type: ignore[no-untyped-def]
    """Return the 64 random bits of a stream word."""
    z = times(word ^ (word >> np.uint64(30)), _MIX_1)
    z = times(z ^ (z >> np.uint64(27)), _MIX_2)
    return z ^ (z >> np.uint64(31))


@njit
def below(bits, bound):  # type: ignore[no-untyped-def]
    """Return an integer from 0 to `bound - 1` from 64 random bits (bias below `bound / 2**32`)."""
    return np.int64(((bits >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@njit
def draw(s, bound):  # type: ignore[no-untyped-def]
    """Draw an integer from 0 to `bound - 1` from the stream of record `s`."""
    s.rng = stepped(s.rng)
    return below(mixed(s.rng), bound)


def seed_word(seed: int | None) -> np.uint64:
    """Return the 64-bit word for a user's seed, a random one for `None`.

    Raises:
        ValueError: the seed is not an integer of at least 0.
    """
    if seed is not None and (not is_whole(seed) or seed < 0):
        raise ValueError(f"seed must be a whole number of at least 0 or None, got {shown(seed)}")
    sequence = np.random.SeedSequence(None if seed is None else int(seed))
    word: np.uint64 = sequence.generate_state(1, np.uint64)[0]
    return word


def make_streams(base: np.uint64, num: int) -> npt.NDArray[np.uint64]:
    """Return `num` independent random streams. Stream i is the same for every `num`.

    Args:
        base: seed word of the streams, see `seed_word`.
        num: number of streams, at least 0.

    Returns:
        Array of shape (num,), dtype uint64.
    """
    if num == 1:  # Python ints are faster, and most environments have one game
        return np.array([_mixed_int((int(base) + _INTS[0]) & _WORD)], np.uint64)
    # NumPy arrays overflow silently, but scalars would warn.
    return _mixed_array(base + np.arange(1, num + 1, dtype=np.uint64) * _GAMMA)


def one_way(words: npt.NDArray[np.uint64], label: str) -> npt.NDArray[np.uint64]:
    """Return hashes from which the given words cannot be computed, uint64 of shape (N,).

    SplitMix64 can be inverted. The cryptographic hash prevents players from computing the game's
    stream from their own random bits.

    Args:
        words: uint64 of shape (N,).
        label: purpose of the words. Each label gives different hashes.
    """
    key = label.encode()
    digests = [
        hashlib.blake2b(word.to_bytes(8, "little"), digest_size=8, key=key).digest()
        for word in words.tolist()
    ]
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def next_bits(streams: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Advance an array of streams in place, and return the next 64 random bits of each."""
    streams += _GAMMA
    return _mixed_array(streams)


def _mixed_int(word: int) -> int:
    z = ((word ^ (word >> 30)) * _INTS[1]) & _WORD
    z = ((z ^ (z >> 27)) * _INTS[2]) & _WORD
    return z ^ (z >> 31)


def _mixed_array(words: Any) -> npt.NDArray[np.uint64]:
    z = (words ^ (words >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    result: npt.NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return result
