"""An attack: one row of the campaign's table."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

import numpy as np

MOST_FAILURES = 20
"""Failures after which an attack stops, because more would add nothing new."""


@dataclass(frozen=True)
class Failure:
    """A failure and how to reproduce it."""

    seed: int
    """Seed of the round, for `--round SEED`."""
    case: str
    """The smallest failing input, as Python or a person writes it."""
    told: str
    """The actual and the expected result."""


@dataclass
class Attack:
    """A repeated test with new random numbers in each round."""

    name: str
    """Name in the table."""
    unit: str
    """Unit of the counter, such as `plies`."""
    seed: int
    """Seed of the campaign."""
    seconds: float
    """Time limit in seconds."""
    only: int | None = None
    """Seed of the only round to run; by default all rounds run."""
    tried: int = 0
    spent: float = 0.0
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Lines printed below the table, such as measurements."""

    def rounds(self, least: int = 1) -> Iterator[int]:
        """Yield the seed of each round until the time is over.

        Args:
            least: minimum number of rounds, regardless of the time.
        """
        if self.only is not None:
            yield self.only
            return
        begin = time.monotonic()
        words = np.random.SeedSequence([self.seed, zlib.crc32(self.name.encode())])
        number = 0
        while number < least or time.monotonic() - begin < self.seconds:
            if len(self.failures) >= MOST_FAILURES:
                return
            (child,) = words.spawn(1)
            yield int(child.generate_state(1)[0])
            number += 1

    def count(self, number: int = 1) -> None:
        """Add to the number of attempts."""
        self.tried += number

    def failed(self, seed: int, case: str, told: str) -> None:
        """Record a failure; the attack continues."""
        self.failures.append(Failure(seed, case, told))

    def to_dict(self) -> dict[str, object]:
        """Return JSON values."""
        told = asdict(self)
        del told["only"]
        return told
