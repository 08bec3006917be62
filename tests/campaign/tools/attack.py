"""An attack: one row of the campaign's table, and how it goes on until its time is over."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

import numpy as np

MOST_FAILURES = 20
"""After so many an attack gives up: they are of one kind or of many, but nothing new any more."""


@dataclass(frozen=True)
class Failure:
    """What went wrong, and how to see it again."""

    seed: int
    """Of the round: `--round SEED` plays that one alone."""
    case: str
    """The smallest input that shows it, as Python reads it or as a person types it."""
    told: str
    """What came out, and what should have."""


@dataclass
class Attack:
    """What is tried again and again with other random numbers."""

    name: str
    """What the table calls it."""
    unit: str
    """What is counted, such as `plies`."""
    seed: int
    """Of the campaign."""
    seconds: float
    """How long it may take."""
    only: int | None = None
    """The one round to play, if only one is."""
    tried: int = 0
    spent: float = 0.0
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Lines that are printed below the table, such as what was measured."""

    def rounds(self, least: int = 1) -> Iterator[int]:
        """Seeds, one a round, until the time is over.

        Args:
            least: how many rounds there are however long they take.
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
        """So many more have been tried."""
        self.tried += number

    def failed(self, seed: int, case: str, told: str) -> None:
        """Take note of a failure; the attack goes on."""
        self.failures.append(Failure(seed, case, told))

    def to_dict(self) -> dict[str, object]:
        """As JSON values."""
        told = asdict(self)
        del told["only"]
        return told
