"""The program that grades agents."""

import re

from agents.dev.__main__ import main


def test_it_prints_a_line_for_each_agent(capsys):
    words = "grading gekitai random greedy --games 2 --budget 100 --seed 3"
    assert main(words.split()) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.partition(":")[0] for row in rows] == ["random", "greedy"]
    for row in rows:
        assert re.search(r"kept \d+ of \d+ wins: \d\.\d{3} \(", row)
