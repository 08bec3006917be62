"""Write the table of the last long runs into README.md.

    python tests/campaign/tools/figures.py campaign.json [another.json ...]

`pytest tests/campaign --campaign-json FILE` writes the files, one for each seed. The table contains
their sums.
"""

from __future__ import annotations

import json
import re
import sys
from itertools import groupby
from operator import itemgetter
from pathlib import Path

PAGE = Path(__file__).parents[1] / "README.md"
BLOCK = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- end of figures -->)", re.DOTALL)


def table(runs):
    """Return the summed table of several runs as Markdown."""
    lines = [
        f"Seeds: {', '.join(str(seed) for seed in sorted({run['seed'] for run in runs}))}.",
        "",
        "| attack | tried | | failed | minutes |",
        "|---|---|---|---|---|",
    ]
    rows = sorted((row for run in runs for row in run["attacks"]), key=itemgetter("name", "unit"))
    for (name, unit), same in groupby(rows, itemgetter("name", "unit")):
        of_one = list(same)
        tried, failed, spent = (
            sum(count(row) for row in of_one)
            for count in (
                itemgetter("tried"),
                lambda row: len(row["failures"]),
                itemgetter("spent"),
            )
        )
        lines.append(f"| {name} | {tried:,} | {unit} | {failed} | {spent / 60:,.1f} |")
    return "\n".join(["", *lines, "", ""])


def written(page, runs):
    """Return the page with the table of these runs."""
    return BLOCK.sub(lambda _: table(runs), page, count=1)


if __name__ == "__main__":
    told = [json.loads(Path(file).read_text(encoding="utf-8")) for file in sys.argv[1:]]
    page = written(PAGE.read_text(encoding="utf-8"), told)
    PAGE.write_text(page, encoding="utf-8")
