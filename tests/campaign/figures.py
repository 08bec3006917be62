"""Write the table of the last long run into README.md.

    python tests/campaign/figures.py campaign.json

The file is what `pytest tests/campaign --campaign-json FILE` has written.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

PAGE = Path(__file__).with_name("README.md")
BLOCK = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- end of figures -->)", re.DOTALL)


def table(told):
    """The table of what a run came to, as Markdown."""
    lines = [
        f"Seed {told['seed']}:",
        "",
        "| attack | tried | | failed | minutes |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['name']} | {row['tried']:,} | {row['unit']} | {len(row['failures'])} "
        f"| {row['spent'] / 60:,.1f} |"
        for row in told["attacks"]
    ]
    return "\n".join(["", *lines, "", ""])


def written(page, told):
    """The page with the table of a run."""
    return BLOCK.sub(lambda _: table(told), page, count=1)


if __name__ == "__main__":
    told = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    page = written(PAGE.read_text(encoding="utf-8"), told)
    PAGE.write_text(page, encoding="utf-8")
