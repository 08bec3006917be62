"""One description of a table for a terminal, Markdown and HTML."""

from xml.etree import ElementTree as ET

import pytest

from agents.report.table import Table

HEAD = ("agent", "score", "nothing", "why")
ROWS = [("a|b<c>", "0.5", "", "it wins"), ("", "12.25", "", "")]
TABLE = Table(HEAD, ROWS, left=(0, 3), code=(0,))
SHOWN = [("agent", "score", "why"), ("a|b<c>", "0.5", "it wins"), ("", "12.25", "")]
"""The visible cells; columns without text are omitted."""


def test_columns_are_aligned_in_a_terminal():
    head, rule, *rows = str(TABLE).split("\n")
    assert set(rule) == {"-"}
    assert len(rule) == max(map(len, [head, *rows]))
    # Texts align with the start of their heading, numbers with its end.
    first, second = rows
    assert head.index("why") == first.index("it wins")
    assert head.index("score") + len("score") == first.index("0.5") + 3 == len(second)
    assert [line.split() for line in (head, second)] == [["agent", "score", "why"], ["12.25"]]


def test_cells_are_written_in_markdown():
    head, rule, *rows = TABLE.markdown().splitlines()
    assert rule == "|---|---:|---|"
    cells = [
        [cell.strip().replace("\0", "|") for cell in line.replace("\\|", "\0").split("|")[1:-1]]
        for line in (head, *rows)
    ]
    assert cells == [list(SHOWN[0]), ["`a|b<c>`", *SHOWN[1][1:]], list(SHOWN[2])]


def test_cells_are_written_in_html():
    page = ET.fromstring(TABLE.html())
    cells = [tuple(cell.text or "" for cell in row) for row in page.iter("tr")]
    assert cells == SHOWN
    assert [cell.tag for row in page.iter("tr") for cell in row] == [
        *["th"] * 3,
        *["th", "td", "td"] * 2,
    ]


def test_a_table_without_rows_has_all_its_columns():
    assert str(Table(HEAD, [])).split()[:4] == list(HEAD)


def test_rows_have_a_cell_under_each_heading():
    with pytest.raises((ValueError, IndexError)):
        str(Table(("a", "b"), [("1",)]))
