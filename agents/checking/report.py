"""The report of a check: a table of probes, verdicts and causes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from agents.report.table import Table

__all__ = ["LearnerReport", "ProbeResult", "Verdict"]

Verdict = Literal["right", "wrong", "not learned in the time"]
UNKNOWN = "no known mistake leads to these values and actions"


@dataclass(frozen=True)
class ProbeResult:
    """Result of a learner on one probe, over all seeds."""

    probe: str
    """Name of the probe game."""
    checks: str
    """What the probe checks."""
    exact: float
    """What a right learner gets, in the seat or position with the largest error."""
    learned: float
    """What the learner gets there, mean over the seeds."""
    score: float
    """From 0 for the worst play to 1 for perfect play, mean over the seeds."""
    verdict: Verdict
    causes: Sequence[str]
    """Likely causes of a wrong result, the most likely first. Empty if none is known."""
    progress: tuple[float, float] | None
    """Distance to the right result after the time and after twice the time; `None` if right."""


@dataclass(frozen=True)
class LearnerReport:
    """The result of `agents.check_learner`. `str` returns a table."""

    results: Sequence[ProbeResult]
    seeds: int
    """Number of trainings of each probe."""
    seconds: float
    """Time of each training, in seconds."""

    @property
    def passed(self) -> bool:
        """Whether no probe is wrong."""
        return all(result.verdict != "wrong" for result in self.results)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "passed": self.passed,
            "seeds": self.seeds,
            "seconds": self.seconds,
            "probes": [{**asdict(result), "causes": [*result.causes]} for result in self.results],
        }

    def __str__(self) -> str:
        """Return the table, and the causes of each wrong result."""
        rows = [
            (
                result.probe,
                result.checks,
                f"{result.exact:.2f}",
                f"{result.learned:.2f}",
                _verdict(result),
            )
            for result in self.results
        ]
        table = Table(("probe", "checks that", "exact", "learned", "verdict"), rows, (0, 1, 4))
        lines = [str(table)]
        for result in self.results:
            if result.verdict == "wrong":
                causes = result.causes or (UNKNOWN,)
                lines += ["", f"{result.probe}: likely causes, the most likely first"]
                lines += [f"  {number}. {cause}" for number, cause in enumerate(causes, 1)]
        return "\n".join(lines)


def _verdict(result: ProbeResult) -> str:
    if result.verdict != "not learned in the time" or result.progress is None:
        return result.verdict
    first, second = result.progress
    return f"{result.verdict}: {first:.2f} away, {second:.2f} in twice the time"
